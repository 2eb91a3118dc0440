/** What nobody caught (a rejected promise, an error in a callback) ends the process like any other failure: a message and an exit code, no dump. */
import { isCancellation } from "./cancellation.ts";
import type { Terminal } from "./terminal/index.ts";

export function guardProcess(at: { terminal: Terminal; json: boolean }): Disposable {
  const onUncaught = (thrown: unknown): void => {
    // A call that was given up on while everything stops in order; the stop itself has the last word.
    if (isCancellation(thrown)) return;
    void import("./show-failure.ts").then(async ({ showFailure }) => process.exit(await showFailure(thrown, at)));
  };
  process.on("uncaughtException", onUncaught);
  return { [Symbol.dispose]: () => process.off("uncaughtException", onUncaught) };
}
