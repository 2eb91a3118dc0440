/**
 * What every binary does: finds a Node that can run this program, switches the compile cache on and calls `main` with the binary's name.
 * Plain JavaScript that Node 12 can read, because it is an old Node that has to be told.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const OLDEST_NODE = 24;
const here = dirname(fileURLToPath(import.meta.url));
const packageFolder = dirname(here);

/** Runs the command and sets the exit code. */
export async function launch(binary) {
  if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
    runWithOwnNode(binary);
    return;
  }
  stopWithStarter();
  const nodeModules = nodeModulesAbove(packageFolder);
  if (nodeModules !== undefined) module.enableCompileCache(join(nodeModules, ".cache", "ng-gym"));
  const source = join(packageFolder, "src", "main.ts");
  const { main } = await import(pathToFileURL(existsSync(source) ? source : join(packageFolder, "dist", "main.js")).href);
  process.exit(await main(binary, process.argv.slice(2)));
}

/** The install may hold a Node of its own (the package `node`): the command goes on with that one. */
function runWithOwnNode(binary) {
  const node = ownNode();
  if (node === undefined || process.env.NG_OWN_NODE === "1") {
    process.stderr.write(`Error: ${binary} needs Node ${OLDEST_NODE} or newer; this is ${process.version} (${process.execPath})\n`);
    process.exitCode = 2;
    return;
  }
  // The channel carries nothing: its end tells the command that this process is gone, also where it was killed.
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  const child = spawn(node, process.argv.slice(1), { stdio, env: Object.assign({}, process.env, { NG_OWN_NODE: "1" }) });
  // Ctrl-C reaches both through the terminal; anything else that is sent to this process is meant for the command.
  const onTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(name, () => (name === "SIGINT" && onTerminal ? undefined : child.kill(name)));
  child.on("exit", (code) => process.exit(code === null ? 1 : code));
}

/** The other end of that channel. It does not keep the command running. */
function stopWithStarter() {
  if (process.env.NG_OWN_NODE !== "1" || !process.channel) return;
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}

function ownNode() {
  for (let folder = packageFolder; folder !== dirname(folder); folder = dirname(folder)) {
    const node = join(folder, "node_modules", ".bin", "node");
    if (existsSync(node)) return node;
  }
  return undefined;
}

/** The nearest folder `node_modules` of the install: the one that this package lies in, or the workspace's. */
function nodeModulesAbove(start) {
  let found;
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "node_modules"))) found = join(folder, "node_modules");
    if (found !== undefined && existsSync(join(folder, "pnpm-workspace.yaml"))) return found;
    if (folder.endsWith("node_modules")) return folder;
  }
  return found;
}
