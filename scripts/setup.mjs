/**
 * Sets the workspace up where that is needed, then runs a program with the workspace's own Node:
 *
 *   node scripts/setup.mjs PROGRAM [ARGUMENT ...]
 *
 * Plain JavaScript without dependencies: the system's Node (20 or newer) runs it before anything is installed. Dependencies are installed when
 * the lock file has changed since the last time; a second run costs nothing.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const PNPM = "pnpm@12";
const OLDEST_NODE = 20;
const root = fileURLToPath(new URL("..", import.meta.url));
const node = join(root, "node_modules", ".bin", "node");

/** pnpm keeps a copy of the lock file it installed from. */
function upToDate() {
  const installed = join(root, "node_modules", ".pnpm", "lock.yaml");
  if (!existsSync(node) || !existsSync(installed)) return false;
  return readFileSync(installed, "utf8") === readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
}

function install() {
  if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
    fail(`Setting up needs Node ${OLDEST_NODE} or newer; this is ${process.version}.`);
  }
  process.stderr.write("Setting up: installing the locked dependencies (once) ...\n");
  const args = ["--yes", PNPM, "install", "--frozen-lockfile", "--prefer-offline", "--reporter=append-only"];
  // Without a terminal pnpm would rather stop than replace a node_modules that another store filled.
  args.push("--config.confirm-modules-purge=false");
  const done = spawnSync("npx", args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  if (done.status === 0) return;
  const reason = done.error ? `npx cannot be started: ${done.error.message}\n` : `${done.stdout ?? ""}${done.stderr ?? ""}`;
  fail(`${reason}\nSetting up failed: see the lines above. A package registry must be reachable the first time.`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (!upToDate()) install();
const [program, ...args] = process.argv.slice(2);
if (program) {
  const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH ?? ""}` };
  const child = spawn(node, [program, ...args], { cwd: root, stdio: "inherit", env });
  // Ctrl-C reaches both through the terminal; a signal that was sent to this process alone is passed on.
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => (signal === "SIGINT" && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  child.on("error", (error) => fail(`${node} cannot be started: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
}
