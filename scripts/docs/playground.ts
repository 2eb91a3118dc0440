/**
 * The folder in which the blocks of one page run: fresh, below the system's temp folder, a copy of what a reader finds in the root of the clone.
 * The workspace's commands are on the PATH, and the head server has a port of its own, so that pages disturb nothing and nobody. `await using`:
 * leaving the scope stops what still runs and removes the folder.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";

/** What is copied; the rest is found through the workspace's `node_modules`. */
const COPIED = ["resources_servers", "responses_api_agents", "responses_api_models", "benchmarks"];
const NOT_COPIED = new Set(["node_modules", "dist", "coverage"]);
/** Time for one block to end, or for a background block to say that it is ready. */
export const BLOCK_LIMIT_MS = 120_000;
/** Time for a background block to stop after SIGINT before it is killed. */
const STOP_LIMIT_MS = 10_000;
/** End of a block's output that a report shows. */
const SHOWN_OUTPUT_CHARS = 3_000;

export interface BlockResult {
  /** Undefined = passed. */
  problem?: string;
  output: string;
}

export interface Playground extends AsyncDisposable {
  readonly folder: string;
  write(path: string, text: string): void;
  /** Runs a block to its end. */
  run(script: string): Promise<BlockResult>;
  /** Starts a block that stays; ends when its output matches `ready`. */
  start(script: string, ready: RegExp): Promise<BlockResult>;
}

export interface PlaygroundOptions {
  /** The repository. */
  root: string;
  limitMs?: number;
}

export async function openPlayground({ root, limitMs = BLOCK_LIMIT_MS }: PlaygroundOptions): Promise<Playground> {
  const folder = mkdtempSync(join(tmpdir(), "ng-docs-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const part of COPIED.filter((part) => existsSync(join(root, part)))) {
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
  }
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  writeFileSync(join(folder, "env.yaml"), `head_server:\n  host: 127.0.0.1\n  port: ${await freePort()}\n`);
  const env = cleanEnvironment(root);
  const running = new Set<ChildProcess>();

  function launch(script: string): { child: ChildProcess; output: () => string; ended: Promise<string> } {
    const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
    const ended = once(child, "close").then(([code, signal]) => {
      running.delete(child);
      return signal === null ? `exit code ${code}` : `signal ${signal}`;
    });
    return { child, output: () => output.slice(-SHOWN_OUTPUT_CHARS), ended };
  }

  return {
    folder,
    write(path, text) {
      const target = resolve(folder, path);
      if (!target.startsWith(folder)) throw new Error(`${path} is outside of the page's folder`);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    },
    async run(script) {
      const { child, output, ended } = launch(script);
      const end = await within(limitMs, ended);
      if (end === undefined) await stop(child, ended);
      const problem = end === undefined ? `did not end within ${limitMs / 1000} s` : end === "exit code 0" ? undefined : end;
      return { problem, output: output() };
    },
    async start(script, ready) {
      const { child, output, ended } = launch(script);
      const isReady = new Promise<string>((done) => {
        for (const stream of [child.stdout, child.stderr]) stream?.on("data", () => ready.test(output()) && done("ready"));
      });
      const end = await within(limitMs, Promise.race([isReady, ended]));
      if (end === undefined) await stop(child, ended);
      const problem = end === "ready" ? undefined : `${end ?? `${limitMs / 1000} s passed`} before its output said ${ready}`;
      return { problem, output: output() };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((child) => stop(child, once(child, "close"))));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The machine's environment without what would change a command's meaning. */
function cleanEnvironment(root: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:NEMO_GYM_|NG_|OPENAI_|NODE_OPTIONS$|VITEST)/.test(name));
  return { ...Object.fromEntries(kept), NO_COLOR: "1", PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH ?? ""}` };
}

/** Asks the block's whole process group, then insists. */
async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  signalGroup(child, "SIGINT");
  if ((await within(STOP_LIMIT_MS, ended)) === undefined) signalGroup(child, "SIGKILL");
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

/** The promise's value, or undefined when the time is over. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<undefined>((done) => {
    timer = setTimeout(done, ms, undefined);
  });
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
