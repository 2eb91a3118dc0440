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
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PNPM = "pnpm@12";
const root = fileURLToPath(new URL("..", import.meta.url));
const node = join(root, "node_modules", ".bin", "node");

/** pnpm keeps a copy of the lock file it installed from. */
function upToDate() {
  const installed = join(root, "node_modules", ".pnpm", "lock.yaml");
  if (!existsSync(node) || !existsSync(installed)) return false;
  return readFileSync(installed, "utf8") === readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
}

function install() {
  process.stderr.write("Setting up: installing the locked dependencies (once) ...\n");
  const done = spawnSync("npx", ["--yes", PNPM, "install", "--frozen-lockfile", "--prefer-offline", "--reporter=append-only"], { cwd: root, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  if (done.status === 0) return;
  process.stderr.write(`${done.stdout ?? ""}${done.stderr ?? ""}\nSetting up failed: see the lines above. A package registry must be reachable the first time.\n`);
  process.exit(1);
}

if (!upToDate()) install();
const [program, ...args] = process.argv.slice(2);
if (program) {
  const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH ?? ""}` };
  const child = spawn(node, [program, ...args], { cwd: root, stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
