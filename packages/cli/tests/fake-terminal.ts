/** Streams that keep what is written, and a clock that a test turns. */
import { Writable } from "node:stream";
import { createTerminal, type Terminal } from "../src/terminal/index.ts";

export interface FakeTerminal extends Terminal {
  readonly stdout: string;
  readonly stderr: string;
  /** Turns the clock. */
  advance(milliseconds: number): void;
}

export function fakeTerminal(options: { tty?: boolean; columns?: number; env?: Record<string, string> } = {}): FakeTerminal {
  const texts = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr"): Writable & { isTTY: boolean; columns?: number } => {
    const writable = new Writable({
      write: (chunk, _encoding, done) => {
        texts[name] += String(chunk);
        done();
      },
    });
    return Object.assign(writable, { isTTY: options.tty === true, columns: options.columns });
  };
  let time = 0;
  const terminal = createTerminal({ stdout: stream("stdout"), stderr: stream("stderr"), env: options.env ?? {} });
  return {
    ...terminal,
    now: () => time,
    advance: (milliseconds) => {
      time += milliseconds;
    },
    get stdout() {
      return texts.stdout;
    },
    get stderr() {
      return texts.stderr;
    },
  };
}
