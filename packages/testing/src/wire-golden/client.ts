/** The client of a transcript: makes the calls of its steps through the proxies and keeps the cookies it is given. */
import { request } from "node:http";
import { CLIENT_HEADER } from "./proxy.ts";
import type { Address, WireCall } from "./transcript.ts";

export interface WireClient {
  /** Status of the answer, null where the client left before it was complete. It does not leave while `staying` is pending. */
  call(call: WireCall, staying?: Promise<unknown>): Promise<number | null>;
}

export function createWireClient(addressOf: (server: string) => Address, mark: string): WireClient {
  const jar = new Map<string, string>();

  function cookieHeader(cookies: string | undefined): string | undefined {
    if (cookies === undefined || cookies === "none") return undefined;
    if (cookies !== "keep") return cookies;
    return [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async function call(call: WireCall, staying: Promise<unknown> = Promise.resolve()): Promise<number | null> {
    const body = call.text ?? (call.json === undefined ? "" : JSON.stringify(call.json));
    const hasBody = call.text !== undefined || call.json !== undefined;
    const cookie = cookieHeader(call.cookies);
    const headers: Record<string, string> = { [CLIENT_HEADER]: mark };
    if (hasBody) Object.assign(headers, { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) });
    if (cookie !== undefined && cookie !== "") headers.cookie = cookie;
    for (const [name, value] of call.headers ?? []) headers[name.toLowerCase()] = value;

    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    const outgoing = request({ ...addressOf(call.to), method: call.method ?? "POST", path: call.path, headers, agent: false });
    let left = false;
    const leave = (): void => {
      left = true;
      outgoing.destroy();
      resolve(null);
    };
    const timer = call.leave_after === undefined ? undefined : setTimeout(() => void staying.then(leave), call.leave_after * 1000);
    outgoing.on("error", (error) => (left ? undefined : reject(error)));
    outgoing.on("response", (response) => {
      for (const line of response.headers["set-cookie"] ?? []) {
        const pair = line.split(";")[0] ?? "";
        jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
      }
      response.on("error", (error) => (left ? undefined : reject(error)));
      response.on("end", () => resolve(response.statusCode ?? null));
      response.resume();
    });
    outgoing.end(body);
    return promise.finally(() => clearTimeout(timer));
  }

  return { call };
}
