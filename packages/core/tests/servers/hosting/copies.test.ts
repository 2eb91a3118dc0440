/** Servers in several processes: sessions are found whichever copy a connection leads to, calls are spread, and what is lost is told. */
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { startFakeUpstream, startTestServers, type TestServer, type TestServers } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { CookieJar, createServerClient, type TargetLoad } from "../../../src/http/index.ts";
import { responseSaying } from "../contract/response.ts";

const PYTHON = fileURLToPath(new URL("../hosting-python/fixtures", import.meta.url));

const counter = (config: TestServer["config"] = {}): Record<string, TestServer> => ({
  counter: { type: "resources_servers", implementation: "example_session_state_mgmt", config },
});

/** A call as any HTTP client makes it, on a connection of its own. */
async function fresh(url: string, path: string, { body = {}, cookie = "" }: { body?: object; cookie?: string }) {
  const agent = new Agent({ keepAlive: false });
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...(cookie === "" ? {} : { cookie }) };
  return new Promise<{ status: number; body: unknown; cookie: string }>((resolve, reject) => {
    const call = request(url + path, { method: "POST", agent, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          body: JSON.parse(Buffer.concat(chunks).toString()),
          cookie: answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "",
        }),
      );
    });
    call.on("error", reject);
    call.end(text);
  });
}

const copyOf = (cookie: string): string => /=(\d)~/.exec(cookie)?.[1] ?? "none";

describe.each([
  ["num_hosts", {}, { num_hosts: 2 }],
  ["num_workers", { num_workers: 2 }, {}],
] as const)("%s", (_, block, topLevel) => {
  test("sessions of strangers keep their state, each call on a connection of its own", async () => {
    await using servers = await startTestServers({ servers: counter(block), topLevel });
    const url = servers.urls.counter as string;
    const sessions = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        let { cookie } = await fresh(url, "/seed_session", { body: { initial_count: index } });
        for (const count of [1, 2, 3]) {
          const reply = await fresh(url, "/increment_counter", { body: { count }, cookie });
          expect(reply.body).toEqual({ success: true });
          cookie = reply.cookie;
        }
        const reply = await fresh(url, "/get_counter_value", { cookie });
        expect(reply.body).toEqual({ count: index + 6 });
        return cookie;
      }),
    );
    // Each connection goes to either copy by the kernel's hash of its address: that 20 of them all go to one is no accident.
    expect([...new Set(sessions.map(copyOf))].sort()).toEqual(["0", "1"]);
  });

  test("the client of a collector spreads sessions evenly and stays with each", async () => {
    await using servers = await startTestServers({ servers: counter(block), topLevel });
    const jars = Array.from({ length: 10 }, () => new CookieJar());
    await Promise.all(jars.map((cookies, index) => servers.call("counter", "/seed_session", { initial_count: index }, { cookies })));
    const copies = jars.map((jar) => copyOf(jar.header() ?? ""));
    expect(copies.filter((copy) => copy === "0")).toHaveLength(5);
    const values = await Promise.all(jars.map((cookies) => servers.call("counter", "/get_counter_value", {}, { cookies })));
    expect(values.map((reply) => reply.json())).toEqual(jars.map((_, count) => ({ count })));
  });
});

/** Kills the process of a copy; the servers have no restart policy, so the others go on until the run ends. */
async function killCopy(servers: TestServers, copy: number): Promise<void> {
  const [{ pids, copies } = {}] = servers.instances;
  process.kill(pids?.[copy] as number, "SIGKILL");
  const gone = createServerClient({ addressOf: () => ({ url: copies?.[copy] as string }), policy: { maxAttempts: 1 } });
  for (;;) {
    const up = await gone.call("counter", { kind: "control", method: "GET", path: "/" }).catch(() => undefined);
    if (up === undefined) break;
  }
  await gone[Symbol.asyncDispose]();
}

test("a session whose copy is gone is lost, not begun anew; new ones are opened at the others", async () => {
  await using servers = await startTestServers({ servers: counter({ num_workers: 2 }) });
  const [{ copies = [] } = {}] = servers.instances;
  const { cookie } = await fresh(copies[0] as string, "/seed_session", { body: { initial_count: 1 } });
  expect(copyOf(cookie)).toBe("0");
  await killCopy(servers, 0);
  const reply = await fresh(copies[1] as string, "/get_counter_value", { cookie });
  expect([reply.status, reply.cookie]).toEqual([410, ""]);
  expect(reply.body).toEqual({ detail: expect.stringMatching(/^counter: the process at .* that held this session cannot be reached/) });
  for (let session = 0; session < 6; session++) {
    const cookies = new CookieJar();
    await servers.client.call("counter", { kind: "seed", path: "/seed_session", body: { initial_count: 5 }, jar: cookies });
    expect(copyOf(cookies.header() ?? "")).toBe("1");
  }
});

test("a copy that is started anew keeps its address, and knows which sessions it lost", async () => {
  await using servers = await startTestServers({ servers: counter({ num_workers: 2, restart: { on_failure: 1 } }) });
  const [{ copies = [], pids = [] } = {}] = servers.instances;
  const before = pids[0];
  const cookies = new CookieJar();
  cookies.take([(await fresh(copies[0] as string, "/seed_session", { body: { initial_count: 1 } })).cookie]);
  await killCopy(servers, 0);
  const again = createServerClient({
    addressOf: () => ({ url: copies[0] as string }),
    policy: { transport: { ...UNTIL_READY, peer_drop: UNTIL_READY.unreachable } },
  });
  const lost = await again.call("counter", { kind: "tool", path: "/get_counter_value", body: {}, jar: cookies });
  expect([lost.status, lost.headers["x-ng-failure-kind"]]).toEqual([410, "session_lost"]);
  const handed = await fresh(copies[1] as string, "/get_counter_value", { cookie: cookies.header() ?? "" });
  expect(handed.status).toBe(410);
  expect(servers.instances[0]?.pids?.[0]).not.toBe(before);
  await again[Symbol.asyncDispose]();
});

const LONG = { attempts: 1_000, withinMs: 30_000 };
const UNTIL_READY = { unreachable: LONG, peer_drop: LONG, timeout: LONG, local_resource: LONG };

test("without copies there is no port of its own and no mark in a session", async () => {
  await using servers = await startTestServers({ servers: counter({ num_workers: 1 }), topLevel: { num_hosts: 1 } });
  expect(servers.instances[0]).toMatchObject({ copies: undefined, pids: undefined });
  const { cookie } = await fresh(servers.urls.counter as string, "/seed_session", { body: { initial_count: 1 } });
  expect(copyOf(cookie)).toBe("none");
});

const MODEL = { openai_api_key: "k", openai_model: "m" };

/** What the model servers have under way at their endpoint, and what of it waits. */
async function loadOf({ head }: TestServers): Promise<{ inFlight: number; waiting: number }> {
  const { hosts } = (await (await fetch(`${head}/ng_status`)).json()) as { hosts: { targets: Record<string, TargetLoad> }[] };
  const loads = hosts.flatMap(({ targets }) => Object.values(targets));
  const sum = (key: "inFlight" | "waiting"): number => loads.reduce((total, load) => total + load[key], 0);
  return { inFlight: sum("inFlight"), waiting: sum("waiting") };
}

test("a limit of calls at an endpoint holds for all copies together", async () => {
  const hello = { json: responseSaying("hello") };
  const hold = { ...hello, hold: true as const };
  await using upstream = await startFakeUpstream({ scripts: { "/v1/responses": [hold, hold, hold, hello] } });
  const config = { ...MODEL, openai_base_url: upstream.url, max_concurrent_requests: 3 };
  await using servers = await startTestServers({
    servers: { policy_model: { type: "responses_api_models", implementation: "openai_model", config } },
    topLevel: { num_hosts: 2 },
  });
  const calls = Array.from({ length: 8 }, () => servers.call("policy_model", "/v1/responses", { input: "x" }, { kind: "model" }));
  await upstream.arrived(3);
  let load = await loadOf(servers);
  while (load.inFlight < 8) load = await loadOf(servers);
  expect(load.waiting).toBe(5);
  upstream.release("/v1/responses");
  for (const reply of await Promise.all(calls)) expect(reply.status).toBe(200);
  expect(upstream.stats).toMatchObject({ requests: 8, maxOpen: 3 });
});

describe("what cannot be", () => {
  test.each([
    ["num_hosts", 0, "must be a whole number from 1 to 64"],
    ["num_hosts", 1.5, "must be a whole number from 1 to 64"],
    ["num_hosts", 65, "must be a whole number from 1 to 64"],
    ["num_hosts", "many", "must be a whole number from 1 to 64"],
  ])("%s: %s", async (key, value, message) => {
    await expect(startTestServers({ servers: counter(), topLevel: { [key]: value } })).rejects.toMatchObject({
      code: "NG_ERR_CONFIG",
      message: expect.stringContaining(message),
    });
  });

  test.each([
    [{ num_workers: 65 }, "num_workers must be a whole number up to 64"],
    [{ num_workers: 2, hosting: "shared" }, "num_workers needs processes of its own"],
  ])("a block with %j", async (block, message) => {
    await expect(startTestServers({ servers: counter(block) })).rejects.toMatchObject({
      code: "NG_ERR_CONFIG",
      message: expect.stringContaining(message),
    });
  });

  test("a limit of the whole that leaves a copy nothing", async () => {
    const policy_model = {
      type: "responses_api_models",
      implementation: "openai_model",
      config: { ...MODEL, max_concurrent_requests: 2 },
    } as const;
    await expect(startTestServers({ servers: { policy_model }, topLevel: { num_hosts: 3 } })).rejects.toMatchObject({
      code: "NG_ERR_CONFIG",
      message: expect.stringContaining("max_concurrent_requests 2 is for all 3 processes"),
    });
  });

  test("workers of a server in Python that may keep sessions", async () => {
    const points = { type: "resources_servers", implementation: "py_points", config: { num_workers: 2 } } as const;
    await expect(startTestServers({ servers: { points }, root: PYTHON })).rejects.toMatchObject({
      code: "NG_ERR_CONFIG",
      message: expect.stringContaining("points: num_workers of a server in Python must be 1"),
    });
  });

  test("workers of an environment server, which lives with its agent", async () => {
    const servers: Record<string, TestServer> = {
      ...counter(),
      environment: {
        type: "environment_servers",
        implementation: "legacy_agent",
        config: { num_workers: 2, agent_server: { type: "responses_api_agents", name: "agent" } },
      },
      agent: {
        type: "responses_api_agents",
        implementation: "simple_agent",
        config: {
          resources_server: { type: "resources_servers", name: "counter" },
          model_server: { type: "responses_api_models", name: "policy_model" },
        },
      },
      policy_model: { type: "responses_api_models", implementation: "simulated_model" },
    };
    await expect(startTestServers({ servers })).rejects.toMatchObject({ message: expect.stringContaining("write num_workers there") });
  });
});
