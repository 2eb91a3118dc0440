/** One call of one command: what its words mean, its run, and its exit code. Help loads nothing but the table and commander. */
import { helpOf, parse, route, treeHelp } from "./args/index.ts";
import { guardProcess } from "./last-resort.ts";
import { createTerminal, type Terminal } from "./terminal/index.ts";

/** Runs a command by the name of its binary; returns the exit code. Never throws. */
export async function main(binary: string, argv: readonly string[]): Promise<number> {
  const terminal = createTerminal(process);
  const at = { terminal, json: argv.includes("--json") };
  using _guard = guardProcess(at);
  try {
    return await dispatch(binary, argv, terminal);
  } catch (thrown) {
    const { showFailure } = await import("./show-failure.ts");
    return await showFailure(thrown, at);
  } finally {
    terminal.status("");
    await terminal.flush();
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
