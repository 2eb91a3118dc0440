/** Ctrl-C, and what nobody caught, in a process of their own. */
import { join } from "node:path";
import { execa, type ResultPromise } from "execa";
import { expect, test } from "vitest";
import { PACKAGE } from "./run-command.ts";

/** A command that never ends by itself, and says when it is there and when it was asked to stop. */
const STUBBORN = `
  const { watchInterrupts } = await import(${JSON.stringify(join(PACKAGE, "src/interrupts.ts"))});
  const { createTerminal } = await import(${JSON.stringify(join(PACKAGE, "src/terminal/index.ts"))});
  const interrupts = watchInterrupts(createTerminal(process));
  interrupts.signal.addEventListener("abort", () => process.stdout.write("asked\\n"));
  process.stdout.write("here\\n");
  setInterval(() => {}, 1000);
`;

function stubborn(): { command: ResultPromise; line: () => Promise<string> } {
  const command = execa(process.execPath, ["--input-type=module", "-e", STUBBORN], { reject: false, buffer: { stdout: false } });
  const lines = command.iterable({ from: "stdout" })[Symbol.asyncIterator]();
  return { command, line: async () => String((await lines.next()).value) };
}

test.each(["SIGINT", "SIGTERM"] as const)("the first %s asks, the second ends the process", async (signal) => {
  const { command, line } = stubborn();
  expect(await line()).toBe("here");
  command.kill(signal);
  expect(await line()).toBe("asked");
  command.kill(signal);
  const { exitCode, stderr } = await command;
  expect(exitCode).toBe(130);
  expect(stderr).toBe("Stopping in order. Ctrl-C again stops at once.\nStopped at once.");
});

test("a rejection that nobody caught is a message and an exit code; the stack only under NG_DEBUG=1", async () => {
  const code = `
    const { guardProcess } = await import(${JSON.stringify(join(PACKAGE, "src/last-resort.ts"))});
    const { createTerminal } = await import(${JSON.stringify(join(PACKAGE, "src/terminal/index.ts"))});
    guardProcess({ terminal: createTerminal(process), json: false });
    Promise.reject(new TypeError("oops"));
    setInterval(() => {}, 1000);
  `;
  const ended = (debug: string) =>
    execa(process.execPath, ["--input-type=module", "-e", code], { reject: false, env: { NG_DEBUG: debug } });
  const [plain, debug] = await Promise.all([ended(""), ended("1")]);
  expect(plain.exitCode).toBe(1);
  expect(plain.stderr).toBe("Error: unexpected: TypeError: oops\n  This is a defect of ng-gym. NG_DEBUG=1 shows where it happened.");
  expect(debug.stderr).toMatch(/^ {4}at /m);
});
