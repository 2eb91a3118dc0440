/** Who may read the configuration of a run, keys included. */
import { existsSync, statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/index.ts";
import { createRunToken, fetchHead, isLoopback } from "../../src/head/index.ts";
import { findRunToken } from "../../src/head/run-token.ts";
import { createServerClient } from "../../src/http/index.ts";
import { type HostEvent, type RunningServers, startServers } from "../../src/servers/index.ts";

const CONFIG = "responses_api_models/simulated_model/configs/simulated_model.yaml";
const ADDRESS = { host: "0.0.0.0", port: 11_000 };

/** A folder as the system gives each user for the time of a login. */
async function runtimeFolder(): Promise<AsyncDisposable & { env: { XDG_RUNTIME_DIR: string }; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "ng-runtime-"));
  return { env: { XDG_RUNTIME_DIR: folder }, folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test.each([
  ["127.0.0.1", true],
  ["127.8.9.1", true],
  ["::1", true],
  ["[::1]", true],
  ["localhost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["", false],
  ["10.0.0.1", false],
  ["128.0.0.1", false],
  ["127.0.0.1.example.org", false],
  ["::ffff:10.0.0.1", false],
])("%s: loopback %s", (host, loopback) => {
  expect(isLoopback(host)).toBe(loopback);
});

describe("the file of a token", () => {
  test("can be read by this user alone, is found by address, and goes with the run", async () => {
    await using runtime = await runtimeFolder();
    {
      using token = createRunToken(ADDRESS, runtime.env);
      const file = token.file as string;
      expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
      expect(await readFile(file, "utf8")).toBe(token.value);
      expect(token.value).toMatch(/^[\w-]{43}$/);
      expect(findRunToken(ADDRESS, runtime.env)).toBe(token.value);
      expect(findRunToken({ ...ADDRESS, host: "127.0.0.1" }, runtime.env)).toBe(token.value);
      expect(findRunToken({ ...ADDRESS, host: "elsewhere.example" }, runtime.env)).toBeUndefined();
      expect(findRunToken({ ...ADDRESS, port: 11_001 }, runtime.env)).toBeUndefined();
    }
    expect(await readdir(join(runtime.folder, "ng-gym"))).toEqual([]);
  });

  test("each run has its own, and takes the place of one that was killed", async () => {
    await using runtime = await runtimeFolder();
    const killed = createRunToken(ADDRESS, runtime.env);
    using next = createRunToken(ADDRESS, runtime.env);
    expect(next.value).not.toBe(killed.value);
    expect(findRunToken(ADDRESS, runtime.env)).toBe(next.value);
  });

  test("a folder that others may enter is neither written nor read", async () => {
    await using runtime = await runtimeFolder();
    const folder = join(runtime.folder, "ng-gym");
    await mkdir(folder);
    await chmod(folder, 0o755);
    await writeFile(join(folder, "head-0.0.0.0-11000.token"), "planted");
    expect(() => createRunToken(ADDRESS, runtime.env)).toThrow(expect.objectContaining({ code: "NG_ERR_FILE" }));
    expect(findRunToken(ADDRESS, runtime.env)).toBeUndefined();
  });

  test("nor is a link to another folder", async () => {
    await using runtime = await runtimeFolder();
    await mkdir(join(runtime.folder, "other"), { mode: 0o700 });
    await symlink(join(runtime.folder, "other"), join(runtime.folder, "ng-gym"));
    expect(() => createRunToken(ADDRESS, runtime.env)).toThrow(expect.objectContaining({ code: "NG_ERR_FILE" }));
  });

  test("a path is no name of a file", async () => {
    await using runtime = await runtimeFolder();
    using token = createRunToken({ host: "../../x/y", port: 1 }, runtime.env);
    expect(dirname(token.file as string)).toBe(join(runtime.folder, "ng-gym"));
  });

  test("is not made where the environment has a token", async () => {
    await using runtime = await runtimeFolder();
    const env = { ...runtime.env, NG_RUN_TOKEN: "given" };
    using token = createRunToken(ADDRESS, env);
    expect([token.value, token.file, findRunToken({ host: "elsewhere", port: 1 }, env)]).toEqual(["given", undefined, "given"]);
    expect(await readdir(runtime.folder)).toEqual([]);
  });
});

interface Run extends AsyncDisposable {
  running: RunningServers;
  events: HostEvent[];
  port: number;
  ask(headers?: Record<string, string>): Promise<{ status: number; text: string }>;
}

async function run(host: string, env: Record<string, string>): Promise<Run> {
  const argv = [`+config_paths=[${CONFIG}]`, "+hosting=shared", `+head_server={host: "${host}", port: null}`, "+policy_api_key=sk-secret"];
  const config = await loadConfig({ cwd: process.cwd(), env, argv });
  const events: HostEvent[] = [];
  const running = await startServers({ config, env, onEvent: (event) => void events.push(event) });
  const { port } = running.head;
  return {
    running,
    events,
    port,
    async ask(headers) {
      await using client = createServerClient({ addressOf: () => ({ url: `http://127.0.0.1:${port}` }) });
      const reply = await client.call("head", { kind: "control", method: "GET", path: "/global_config_dict_yaml", headers });
      return { status: reply.status, text: reply.text() };
    },
    [Symbol.asyncDispose]: () => running.stop("done"),
  };
}

describe("a head server", () => {
  test("on the loopback tells its configuration to whoever asks, as the reference does", async () => {
    await using runtime = await runtimeFolder();
    await using server = await run("127.0.0.1", runtime.env);
    expect(await server.ask()).toMatchObject({ status: 200, text: expect.stringContaining("sk-secret") });
    expect(await readdir(runtime.folder)).toEqual([]);
  });

  test("on all addresses tells it to who has the token", async () => {
    await using runtime = await runtimeFolder();
    let file = "";
    {
      await using server = await run("0.0.0.0", runtime.env);
      for (const headers of [undefined, { "x-ng-run-token": "" }, { "x-ng-run-token": "guess" }]) {
        const { status, text } = await server.ask(headers);
        expect([status, text]).toEqual([401, expect.stringContaining("x-ng-run-token")]);
        expect(text).not.toContain("sk-secret");
      }
      file = (server.events.find((event) => event.type === "ready") as { runToken: { file: string } }).runToken.file;
      expect((await server.ask({ "x-ng-run-token": await readFile(file, "utf8") })).text).toContain("sk-secret");
      for (const host of ["0.0.0.0", "127.0.0.1"]) {
        expect((await fetchHead({ host, port: server.port }, undefined, runtime.env)).configYaml).toContain("sk-secret");
      }
      expect(JSON.stringify(server.events)).not.toContain(await readFile(file, "utf8"));
    }
    expect(existsSync(file)).toBe(false);
  });

  test("refuses a command without the right token by a name of its own", async () => {
    await using runtime = await runtimeFolder();
    await using server = await run("0.0.0.0", { ...runtime.env, NG_RUN_TOKEN: "right" });
    const head = { host: "127.0.0.1", port: server.port };
    const asked = (env: Record<string, string>) => fetchHead(head, undefined, env);
    await expect(asked(runtime.env)).rejects.toMatchObject({ code: "NG_ERR_RUN_TOKEN", hint: expect.stringContaining("NG_RUN_TOKEN") });
    await expect(asked({ NG_RUN_TOKEN: "wrong" })).rejects.toMatchObject({ code: "NG_ERR_RUN_TOKEN" });
    expect((await asked({ NG_RUN_TOKEN: "right" })).ready).toBe(true);
  });
});
