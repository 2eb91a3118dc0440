/** One HTTP exchange on a connection: request out, whole answer in. No retries, no redirects; a limit that starts when the request is written. */
import { messageOf } from "../errors/index.ts";
import type { Exchanger } from "./connections.ts";
import { type FailureFacts, hopError, kindName } from "./failure.ts";
import { timerMs } from "./limits.ts";
import type { Reply } from "./message.ts";
import { textReply } from "./reply.ts";

export interface ExchangeRequest {
  server: string;
  origin: string;
  path: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  timeoutMs: number;
  timeoutName: string;
  maxResponseBytes: number;
  signal?: AbortSignal;
  /** The answer comes from a server of ours, which looked at the numbers of large arrays when they came in. */
  ours?: boolean;
}

/**
 * @throws what the transport throws before an answer began; GymError NG_ERR_TIMEOUT when the limit fires, NG_ERR_PEER_DROP when the answer is
 * cut short, NG_ERR_BAD_RESPONSE when it is longer than the limit.
 */
export function exchange(dispatcher: Exchanger, request: ExchangeRequest): Promise<Reply> {
  const { signal } = request;
  const facts = (failure_kind: string, status?: number): FailureFacts => ({
    failure_kind,
    boundary: request.server,
    url: request.origin + request.path,
    status,
  });
  return new Promise<Reply>((resolve, reject) => {
    let status = 0;
    let headers: Record<string, string> = {};
    let setCookies: string[] = [];
    let size = 0;
    let timer: NodeJS.Timeout | undefined;
    let abort: ((reason: Error) => void) | undefined;
    const chunks: Buffer[] = [];

    const onAbort = (): void => (abort ? abort(cancelled()) : fail(cancelled()));
    const cancelled = (): Error =>
      hopError("NG_ERR_CANCELLED", `the call to ${request.server} was cancelled`, { facts: facts("cancelled"), cause: signal?.reason });
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const fail = (error: Error): void => {
      settle();
      reject(error);
    };
    if (signal?.aborted) return fail(cancelled());
    signal?.addEventListener("abort", onAbort, { once: true });

    dispatcher.dispatch(
      { origin: request.origin, path: request.path, method: request.method, headers: request.headers, body: request.body ?? null },
      {
        onRequestStart(controller) {
          abort = (reason) => controller.abort(reason);
          if (signal?.aborted) return onAbort();
          if (request.timeoutMs > 0) {
            const limit = `${request.timeoutName} of ${request.timeoutMs / 1000} s`;
            timer = setTimeout(
              () =>
                controller.abort(
                  hopError("NG_ERR_TIMEOUT", `${request.server} did not answer ${request.path} within the ${limit}`, {
                    facts: facts("transport_timeout"),
                  }),
                ),
              timerMs(request.timeoutMs),
            );
          }
        },
        onResponseStart(_controller, statusCode, received) {
          status = statusCode;
          ({ headers, setCookies } = splitHeaders(received));
        },
        onResponseData(controller, chunk) {
          size += chunk.length;
          chunks.push(chunk);
          if (size > request.maxResponseBytes) {
            const message = `${request.server} answered more than maxResponseBytes (${request.maxResponseBytes}) to ${request.path}`;
            chunks.length = 0;
            controller.abort(
              hopError("NG_ERR_BAD_RESPONSE", message, { facts: facts(`${kindName(request.server)}:bad_response`, status) }),
            );
          }
        },
        onResponseEnd() {
          settle();
          const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
          const { server, path, ours: checked } = request;
          resolve(textReply({ server, path, status, headers, setCookies, text: bytes, checked }));
        },
        onResponseError(_controller, error) {
          if (error.name === "GymError") return fail(error);
          if (isOversizedHead(error)) {
            const message = `${request.server} answered ${request.path} with a head longer than maxResponseHeadBytes`;
            return fail(
              hopError("NG_ERR_BAD_RESPONSE", message, { facts: facts(`${kindName(request.server)}:bad_response`), cause: error }),
            );
          }
          if (status === 0) return fail(error);
          const message = `${request.server} cut its answer to ${request.path} short after ${size} bytes: ${messageOf(error)}`;
          fail(hopError("NG_ERR_PEER_DROP", message, { facts: facts("transport_peer_drop", status), cause: error }));
        },
      },
    );
  });
}

function isOversizedHead(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "UND_ERR_HEADERS_OVERFLOW" || code === "HPE_HEADER_OVERFLOW";
}

function splitHeaders(received: Record<string, string | string[] | undefined>): { headers: Record<string, string>; setCookies: string[] } {
  const headers: Record<string, string> = {};
  let setCookies: string[] = [];
  for (const name of Object.keys(received)) {
    const value = received[name];
    if (value === undefined) continue;
    if (name === "set-cookie") setCookies = Array.isArray(value) ? value : [value];
    else headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return { headers, setCookies };
}
