/** One call of one command: what its words mean, its run, and its exit code. Help loads nothing but the table and commander. */
import { helpOf, parse, route, treeHelp } from "./args/index.ts";
import { guardProcess } from "./last-resort.ts";
import { createTerminal, type Terminal } from "./terminal/index.ts";

const EXIT_UNWRITTEN = 1;

/** Runs a command by the name of its binary; returns the exit code. Never throws. */
export async function main(binary: string, argv: readonly string[]): Promise<number> {
  const terminal = createTerminal(process);
  const at = { terminal, json: argv.includes("--json") };
  using _guard = guardProcess(at);
  const exitCode = await ending(dispatch(binary, argv, terminal), at);
  terminal.status("");
  const unwritten = await terminal.flush();
  if (unwritten === undefined) return exitCode;
  terminal.note(`Error: the results could not be written to standard output: ${unwritten.message}`);
  return exitCode === 0 ? EXIT_UNWRITTEN : exitCode;
}

async function ending(call: Promise<number>, at: { terminal: Terminal; json: boolean }): Promise<number> {
  try {
    return await call;
  } catch (thrown) {
    const { showFailure } = await import("./show-failure.ts");
    return await showFailure(thrown, at);
  }
}

async function dispatch(binary: string, argv: readonly string[], terminal: Terminal): Promise<number> {
  const at = route(binary, argv);
  if (at.kind === "tree") {
    terminal.out(treeHelp(at.umbrella, at.group));
    return at.exitCode;
  }
  const parsed = await parse(at, { env: process.env, rootsOf: async (env) => (await import("./roots.ts")).searchRootsOf(env) });
  if (parsed.kind === "help") {
    terminal.out(helpOf(at.command, at.calledAs, terminal.columns));
    return 0;
  }
  const { call } = await import("./call.ts");
  return call(at, parsed, terminal);
}
