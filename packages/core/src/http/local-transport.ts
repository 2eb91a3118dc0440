/** A call to a server of the same process: a function call, with the same limit and cancel semantics as over a socket. */
import { hopError } from "./failure.ts";
import type { Call, Endpoint, Reply } from "./message.ts";
import { localReply } from "./reply.ts";

const NEVER = new AbortController().signal;

export interface LocalCall {
  server: string;
  endpoint: Endpoint;
  call: Call;
  headers: Record<string, string>;
  timeoutMs: number;
  timeoutName: string;
}

/** @throws GymError NG_ERR_TIMEOUT, NG_ERR_CANCELLED. */
export function callLocal({ server, endpoint, call, headers, timeoutMs, timeoutName }: LocalCall): Promise<Reply> {
  const request = { method: call.method ?? "POST", path: call.path, headers, body: call.body, signal: call.signal ?? NEVER };
  if (timeoutMs === 0 && call.signal === undefined)
    return endpoint.handle(request).then((reply) => localReply({ server, path: call.path }, reply));
  return new Promise<Reply>((resolve, reject) => {
    const inner = new AbortController();
    const facts = (failure_kind: string) => ({ failure_kind, boundary: server, url: call.path });
    const stop = (error: Error): void => {
      settle();
      inner.abort(error);
      reject(error);
    };
    const onAbort = (): void =>
      stop(hopError("NG_ERR_CANCELLED", `the call to ${server} was cancelled`, { facts: facts("cancelled"), cause: call.signal?.reason }));
    const settle = (): void => {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", onAbort);
    };
    const timer =
      timeoutMs > 0
        ? setTimeout(() => {
            const message = `${server} did not answer ${call.path} within the ${timeoutName} of ${timeoutMs / 1000} s`;
            stop(hopError("NG_ERR_TIMEOUT", message, { facts: facts("transport_timeout") }));
          }, timeoutMs)
        : undefined;
    if (call.signal?.aborted) return onAbort();
    call.signal?.addEventListener("abort", onAbort, { once: true });
    endpoint.handle({ ...request, signal: inner.signal }).then(
      (reply) => {
        settle();
        resolve(localReply({ server, path: call.path }, reply));
      },
      (error) => {
        settle();
        reject(error);
      },
    );
  });
}
