/**
 * The package as npm would install it: built, packed, unpacked below a `node_modules` outside of this repository, where Node runs no TypeScript. A
 * server written against it starts from there, in both hosting modes.
 */
import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CommandResult, runCommand, type TempProject, tempProject } from "@ng-gym/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const CORE = join(ROOT, "packages/core");
const PNPM = ["npx", "--yes", "--prefer-offline", "pnpm@12"];

/** A server as an author writes it, with its grading in a worker thread. */
const APP = `
import { ResourcesServer, resourcesServerConfig, serve, tool, type VerifyInput, type VerifyResult } from "@ng-gym/core/servers";
import { createVerifyLane, workerFile } from "@ng-gym/core/work";
import { z } from "zod";

const lane = createVerifyLane<string, number>({ name: "echo", worker: workerFile(import.meta, "grade") });

export default class EchoResourcesServer extends ResourcesServer {
  static override readonly configSchema = resourcesServerConfig.extend({ wanted: z.string() });
  override tools() {
    return { ping: tool({ run: () => ({ pong: true }) }) };
  }
  override seedSession(): object {
    return { runs: import.meta.url.split("/").at(-1) };
  }
  override async verify({ body }: VerifyInput<unknown>): Promise<VerifyResult> {
    return { reward: await lane.run(String(body.said)), pid: process.pid };
  }
  override async stop(): Promise<void> {
    await lane[Symbol.asyncDispose]();
  }
}

await serve(import.meta, EchoResourcesServer);
`;
const GRADE = "export default (said: string): number => (said === 'echo' ? 1 : 0);\n";
const CONFIG = "echo:\n  resources_servers:\n    echo:\n      entrypoint: app.py\n      domain: other\n      wanted: echo\n";

/** What a user's own program does with the package. */
const PROGRAM = `
import { loadConfig } from "@ng-gym/core/config";
import { clientOf } from "@ng-gym/core/head";
import { startServers } from "@ng-gym/core/servers";

const config = await loadConfig({
  argv: ["+config_paths=[resources_servers/echo/configs/echo.yaml]", "++head_server={host: 127.0.0.1, port: 0}", ...process.argv.slice(2)],
  cwd: process.cwd(),
  env: {},
});
const servers = await startServers({ config, cwd: process.cwd() });
const client = clientOf(servers.instances);
const post = async (kind, path, body) => (await client.call("echo", { kind, path, body })).json();
const response = { id: "r", created_at: 0, model: "m", object: "response", output: [], parallel_tool_calls: true, tool_choice: "auto", tools: [] };
const row = { responses_create_params: { input: "say echo" }, said: "echo" };
const answers = {
  seeded: await post("seed", "/seed_session", row),
  tool: await post("tool", "/ping"),
  verified: await post("verify", "/verify", { ...row, response }),
  own: process.pid,
};
await client[Symbol.asyncDispose]();
await servers.stop("done");
process.stdout.write(JSON.stringify(answers));
`;

let build: TempProject;
let site: TempProject;
let missing: string | undefined;

async function succeeded(argv: string[], cwd: string): Promise<CommandResult> {
  const result = await runCommand(argv, { cwd, timeoutMs: 120_000 });
  if (result.exitCode !== 0) throw new Error(`${argv.join(" ")} ended with ${result.exitCode}:\n${result.stdout}\n${result.stderr}`);
  return result;
}

/** The packed archive. Sources are copied, so that nothing of the build is left in the repository. */
async function pack(): Promise<string> {
  const copy = build.file("packages/core");
  await mkdir(copy, { recursive: true });
  for (const name of ["package.json", "src", "tsconfig.build.json"]) await cp(join(CORE, name), join(copy, name), { recursive: true });
  for (const name of ["package.json", "pnpm-workspace.yaml", "tsconfig.base.json"]) await cp(join(ROOT, name), build.file(name));
  await symlink(join(CORE, "node_modules"), join(copy, "node_modules"));
  await succeeded([join(ROOT, "node_modules/.bin/tsc"), "-p", "tsconfig.build.json"], copy);
  await succeeded([...PNPM, "pack", "--pack-destination", build.path], copy);
  const archive = (await readdir(build.path)).find((name) => name.endsWith(".tgz"));
  if (archive === undefined) throw new Error("pnpm pack made no archive");
  return build.file(archive);
}

/** A folder of a user: the package installed, one server built to JavaScript. */
async function install(archive: string): Promise<void> {
  const modules = site.file("node_modules");
  const core = join(modules, "@ng-gym/core");
  await mkdir(core, { recursive: true });
  await succeeded(["tar", "-xzf", archive, "-C", core, "--strip-components=1"], site.path);
  const dependencies = Object.keys(JSON.parse(await site.read("node_modules/@ng-gym/core/package.json")).dependencies);
  for (const name of dependencies) {
    await mkdir(dirname(site.file(`node_modules/${name}`)), { recursive: true });
    await symlink(join(CORE, "node_modules", name), join(modules, name));
  }
  const server = site.file("resources_servers/echo");
  await mkdir(join(server, "configs"), { recursive: true });
  await writeFile(join(server, "app.js"), stripTypeScriptTypes(APP));
  await writeFile(join(server, "grade.js"), stripTypeScriptTypes(GRADE));
  await writeFile(join(server, "configs/echo.yaml"), CONFIG);
  await writeFile(site.file("package.json"), '{"type": "module"}\n');
  await writeFile(site.file("program.js"), PROGRAM);
}

beforeAll(async () => {
  build = await tempProject();
  site = await tempProject();
  const pnpm = await runCommand([...PNPM, "--version"], { cwd: build.path, timeoutMs: 60_000 });
  if (pnpm.exitCode === 0) await install(await pack());
  else missing = `npx has no pnpm 12 at hand: ${pnpm.stderr.trim().split("\n").at(-1)}`;
}, 180_000);

afterAll(async () => {
  await build[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

describe("the packed package", () => {
  test("names no workspace, no catalog and no source", async (context) => {
    context.skip(missing !== undefined, missing);
    const manifest = await site.read("node_modules/@ng-gym/core/package.json");
    expect(manifest).not.toMatch(/workspace:|catalog:|\.\/src\//);
    const files = await readdir(site.file("node_modules/@ng-gym/core"), { recursive: true });
    expect(files.filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))).toEqual([]);
    for (const { types, default: module } of Object.values<{ types?: string; default?: string }>(JSON.parse(manifest).exports)) {
      for (const file of [types, module]) if (file !== undefined) expect(files).toContain(file.replace("./", ""));
    }
  });

  test.for(["++hosting=shared", "++hosting=process", "++num_hosts=2"])("starts a built server with %s", async (hosting, context) => {
    context.skip(missing !== undefined, missing);
    const result = await runCommand([process.execPath, "program.js", hosting], { cwd: site.path });
    expect(result.stderr).toBe("");
    const answers = JSON.parse(result.stdout);
    expect(answers).toMatchObject({ seeded: { runs: "app.js" }, tool: { pong: true }, verified: { reward: 1 } });
    expect(answers.verified.pid === answers.own).toBe(hosting === "++hosting=shared");
    expect(await result.leftBehind()).toEqual([]);
  });
});
