/** Server-sent events of the Responses dialect: the finished answer, replayed as a stream. */
import { randomUUID } from "node:crypto";
import { messageOf } from "../errors/index.ts";
import { stringifyJson } from "../json/index.ts";
import type { ModelResponse } from "../protocol/index.ts";

const frame = (type: string, data: object): string => `event: ${type}\ndata: ${stringifyJson({ type, ...data })}\n\n`;

/** `response.created`, one `response.output_item.done` an item, `response.completed`; a failure is `response.created`, then `response.failed`. */
export async function* responsesEvents(answer: () => Promise<ModelResponse>): AsyncGenerator<string> {
  let response: ModelResponse;
  try {
    response = await answer();
  } catch (error) {
    const failed = {
      id: `resp_${randomUUID().replaceAll("-", "")}`,
      object: "response",
      output: [],
      error: { code: "server_error", message: messageOf(error) },
    };
    yield frame("response.created", { response: { ...failed, status: "in_progress" } });
    yield frame("response.failed", { response: { ...failed, status: "failed" } });
    return;
  }
  yield frame("response.created", { response: { ...response, status: "in_progress", output: [] } });
  for (const [index, item] of response.output.entries()) yield frame("response.output_item.done", { output_index: index, item });
  yield frame("response.completed", { response });
}

/** Passes a stream of events on, with a comment whenever nothing came for `everyMs`. */
export async function* withKeepAlive(events: AsyncIterable<string>, everyMs: number): AsyncGenerator<string> {
  const iterator = events[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const silence = (): Promise<undefined> =>
    new Promise((resolve) => {
      timer = setTimeout(() => resolve(undefined), everyMs);
    });
  try {
    for (let next = iterator.next(); ; ) {
      const step = await Promise.race([next, silence()]);
      clearTimeout(timer);
      if (step === undefined) {
        yield ": keep-alive\n\n";
        continue;
      }
      if (step.done) return;
      yield step.value;
      next = iterator.next();
    }
  } finally {
    clearTimeout(timer);
    // Not awaited: a source that waits for its upstream ends when that does.
    void iterator.return?.().catch(() => {});
  }
}
