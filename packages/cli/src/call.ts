/** Runs a parsed command: interrupts, events, result, exit code. */
import { type CommandRoute, catalogueFor, type Parsed } from "./args/index.ts";
import { isCancellation } from "./cancellation.ts";
import { watchInterrupts } from "./interrupts.ts";
import type { Terminal } from "./terminal/index.ts";

const EXIT_INTERRUPTED = 130;

/** @throws what the command throws, unless it stopped because it was asked to. */
export async function call(at: CommandRoute, parsed: Extract<Parsed, { kind: "call" }>, terminal: Terminal): Promise<number> {
  for (const notice of parsed.notices) terminal.note(`Note: ${notice}`);
  const command = await at.command.load();
  using interrupts = watchInterrupts(terminal);
  const follow = command.follow?.(terminal) ?? (() => {});
  const input = {
    calledAs: at.calledAs,
    overrides: parsed.overrides,
    values: parsed.values,
    options: at.command.options,
    env: parsed.env,
    cwd: process.cwd(),
    catalogue: catalogueFor(terminal.columns),
    signal: interrupts.signal,
  };
  let result: unknown;
  try {
    result = await command.execute(input, follow);
  } catch (thrown) {
    if (interrupts.signal.aborted && isCancellation(thrown)) return EXIT_INTERRUPTED;
    throw thrown;
  }
  terminal.status("");
  for (const line of command.notices?.(result) ?? []) terminal.note(line);
  terminal.out(parsed.json && command.json !== undefined ? `${jsonText(command.json(result))}\n` : command.text(result));
  if (interrupts.signal.aborted) return EXIT_INTERRUPTED;
  const problem = command.problem?.(result);
  if (problem !== undefined) await (await import("./show-failure.ts")).showFailure(problem, { terminal, json: parsed.json });
  return command.exitCode?.(result) ?? 0;
}

/** Integers past 2^53 keep their digits. */
function jsonText(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_key, inner) => (typeof inner === "bigint" ? rawJSON(String(inner)) : inner));
}
