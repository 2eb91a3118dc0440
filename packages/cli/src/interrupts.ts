/** The first SIGINT or SIGTERM asks the command to stop in order; the second ends the process at once. */
import type { Terminal } from "./terminal/index.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
const EXIT_INTERRUPTED = 130;

export interface Interrupts extends Disposable {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
}

export function watchInterrupts(terminal: Terminal): Interrupts {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      terminal.status("");
      terminal.note("Stopped at once.");
      process.exit(EXIT_INTERRUPTED);
    }
    terminal.note("Stopping in order. Ctrl-C again stops at once.");
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
