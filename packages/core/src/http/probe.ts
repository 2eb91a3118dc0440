/** Is somebody there? One GET whose answer does not matter; it follows nothing, repeats nothing and carries no key. */
import { classifyTransportError } from "./classify.ts";
import type { Client } from "./undici-client.ts";

/** `answering`: an answer came, whatever it says; also where TLS was refused, for then somebody is there. */
export type ProbeOutcome = "answering" | "refused" | "unresolvable";

export const PROBE_TIMEOUT_MS = 5_000;

const NAME_FAILURES = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"]);

/** Never throws, except with the signal's reason once that is aborted. */
export async function probe(url: string, options: { signal?: AbortSignal; timeoutMs?: number } = {}): Promise<ProbeOutcome> {
  const { signal, timeoutMs = PROBE_TIMEOUT_MS } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  let client: Client | undefined;
  try {
    const { origin, pathname, search } = new URL(url);
    const undici = await import("./undici-client.ts");
    client = new undici.Client(origin, { connect: { timeout: timeoutMs }, headersTimeout: timeoutMs });
    await answerBegins(client, pathname + search, signal === undefined ? limit : AbortSignal.any([signal, limit]));
    return "answering";
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.aborted) return "refused";
    if (codesOf(error).some((code) => NAME_FAILURES.has(code))) return "unresolvable";
    return classifyTransportError(error) === undefined ? "answering" : "refused";
  } finally {
    await client?.destroy();
  }
}

/** Resolves with the head of the answer: its body, which may have no end, is left to the closing of the connection. */
function answerBegins(client: Client, path: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    signal.throwIfAborted();
    client.dispatch(
      { path, method: "GET" },
      {
        onRequestStart() {},
        onResponseStart: () => resolve(),
        onResponseData() {},
        onResponseEnd() {},
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

/** Codes of an error, its causes and the errors that it gathers. */
function codesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const inner = error instanceof AggregateError ? error.errors : [];
  return [String((error as NodeJS.ErrnoException).code), ...[error.cause, ...inner].flatMap((one) => codesOf(one, depth + 1))];
}
