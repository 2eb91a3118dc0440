/** `restart` in a server's block: a server that ends by itself is started anew, as often as it may be; what was under way has no reward. */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { runCommand, startFakeUpstream, survivors } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { answer, arrived, ROUTE } from "./endpoint.ts";
import { binary, expectClean, folderWith, openScene, questions, type Scene, surroundings } from "./scene.ts";

process.env.NEMO_GYM_EXTRA_ROOTS = fileURLToPath(new URL("../../../core/tests/servers/hosting-python/fixtures", import.meta.url));
process.env.PYTHONDONTWRITEBYTECODE = "1";

const AGENT = "mcqa_simple_agent";
const agentRestarts = (policy: string): string => `++${AGENT}.responses_api_agents.simple_agent.restart=${policy}`;

interface Instance {
  config_path: string;
  pid: number;
  url: string;
}

async function instanceOf(scene: Scene, name: string): Promise<Instance> {
  const port = scene.head.split("=")[1];
  const instances = (await (await fetch(`http://127.0.0.1:${port}/server_instances`)).json()) as Instance[];
  return instances.find(({ config_path }) => config_path === name) as Instance;
}

/** Kills an instance and waits until it is there again. */
async function killed(scene: Scene, name: string): Promise<void> {
  const { pid } = await instanceOf(scene, name);
  process.kill(pid, "SIGKILL");
  await scene.servers.waitForLine(new RegExp(`^${name} is ready again \\(process (?!${pid}\\))\\d+\\)`));
}

test("an agent that is killed comes back on its port, as often as it may; what it was at is a failure, a resume completes the run", async () => {
  const hold = { ...answer("\\boxed{B}"), hold: true as const };
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [hold, hold, answer("\\boxed{B}")] } });
  await using scene = await openScene({
    upstream: upstream.url,
    hosting: "process",
    rows: questions(4),
    run: [agentRestarts("{on_failure:2}")],
  });
  const before = await instanceOf(scene, AGENT);
  const collection = scene.startCollection(["--concurrency", "2", "--disable-aggregation"]);
  await arrived(upstream, 2);
  await killed(scene, AGENT);
  expect(scene.servers.stderr).toMatch(/^mcqa_simple_agent ended \(SIGKILL\)/m);
  expect(scene.servers.stderr).toMatch(/^mcqa_simple_agent is started anew in \d+ ms \(1 of 2\)$/m);
  const after = await instanceOf(scene, AGENT);
  expect(after.url).toBe(before.url);
  expect(after.pid).not.toBe(before.pid);
  const head = `http://127.0.0.1:${scene.head.split("=")[1]}`;
  const { hosts } = (await (await fetch(`${head}/ng_status`)).json()) as { hosts: { pid: number }[] };
  expect(hosts.find(({ pid }) => pid === after.pid)).toMatchObject({ restarts: 1, restartedAt: expect.any(Number) });
  expect(await (await fetch(`${head}/metrics`)).text()).toContain(`nggym_server_restarts_total{server="${AGENT}"} 1\n`);

  await collection.exited;
  const failed = await scene.rows("r_failures.jsonl");
  // Only what was under way has failed; what came while the agent was away has waited for it.
  expect(failed.map((row) => row.failure_kind)).toEqual(["transport_peer_drop", "transport_peer_drop"]);
  for (const row of failed) expect(row).not.toHaveProperty("reward");
  expect((await scene.rows()).length).toBe(2);
  expect((await scene.collect(["--resume"])).stdout).toMatch(/scored +4\n +failed +0\n/);

  await killed(scene, AGENT);
  process.kill((await instanceOf(scene, AGENT)).pid, "SIGKILL");
  const ended = await scene.servers.exited;
  expect(ended.exitCode).toBe(1);
  expect(ended.stderr).toMatch(/^Error: mcqa_simple_agent \(process \d+\) was ended by SIGKILL/m);
  expect(ended.stderr).toMatch(/^ +It was started anew 2 times, which is all that its restart policy allows\.$/m);
});

test("cookies of a server that was started anew stay valid", async () => {
  const server = "example_session_state_mgmt";
  const policy = `++${server}.resources_servers.${server}.restart='on_failure(1)'`;
  await using scene = await openScene({ resourcesServer: server, hosting: "process", run: [policy] });
  const { url } = await instanceOf(scene, server);
  const seed = async (cookie?: string): Promise<string> => {
    const headers = { "content-type": "application/json", ...(cookie && { cookie }) };
    const reply = await fetch(`${url}/seed_session`, { method: "POST", body: '{"initial_count": 1}', headers });
    await reply.text();
    return reply.headers.get("set-cookie")?.split(";")[0] as string;
  };
  const cookie = await seed();
  expect(await seed(cookie)).toBe(cookie);
  await killed(scene, server);
  expect(await seed(cookie)).toBe(cookie);
  expect(await seed()).not.toBe(cookie);
});

/** Tasks for the Python server with points; `crash` ends it while it verifies. */
function tasks(metas: readonly object[]): object[] {
  const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };
  const tools = [{ type: "function", name: "add_points", parameters, strict: true }];
  return metas.map((verifier_metadata, index) => ({
    responses_create_params: { input: [{ role: "user", content: `Add points (${index}).` }], tools },
    verifier_metadata,
  }));
}

const POINTS = ["configs/points.yaml", "configs/simulated.yaml"];
const pointsRestart = (times: number): string => `++points.resources_servers.py_points.restart={on_failure:${times}}`;

test("a Python server that a row crashes comes back: that row fails, rows before and after are scored", async () => {
  const rows = tasks([{}, {}, {}, { crash: true }]);
  await using scene = await openScene({ configs: POINTS, rows, run: [pointsRestart(20)] });
  const words = ["--agent", "points_simple_agent", "--concurrency", "1", "--disable-aggregation"];
  const collected = await scene.collect(words);
  expect(collected.stdout).toMatch(/expected +4\n +scored +3\n +failed +1\n/);
  expect(scene.servers.stderr).toContain("the verifier crashes");
  expect((await scene.rows()).map((row) => row.reward)).toEqual([1, 1, 1]);
  const [failed] = await scene.rows("r_failures.jsonl");
  expect(failed).toMatchObject({ _ng_failure_boundary: "points", failure_kind: expect.stringMatching(/^transport_/) });
  expect(failed).not.toHaveProperty("reward");

  await answering(await instanceOf(scene, "points"));
  const again = await scene.collect([...words, "--limit", "3", "-o", "out/again.jsonl"]);
  expect(again.stdout).toMatch(/expected +3\n +scored +3\n +failed +0\n/);
});

/** Resolves when something answers there. */
async function answering({ url }: Instance): Promise<void> {
  for (;;) {
    const answered = await fetch(url).then(
      (reply) => reply.text().then(() => true),
      () => false,
    );
    if (answered) return;
  }
}

const FRAGILE = `
import os, sys
sys.path.insert(0, "${process.env.NEMO_GYM_EXTRA_ROOTS}/lib")
from mini_gym import serve
if os.path.exists("broken"):
    print("broken for good", flush=True)
    sys.exit(4)
serve("Fragile", {})
`;

async function fragile(): Promise<Scene & { folder: string }> {
  const folder = await folderWith({ "resources_servers/fragile/app.py": FRAGILE });
  const config = { fragile: { resources_servers: { fragile: { entrypoint: "app.py", domain: "other", restart: { on_failure: 3 } } } } };
  await folder.write("fragile.yaml", config);
  const extra = process.env.NEMO_GYM_EXTRA_ROOTS;
  process.env.NEMO_GYM_EXTRA_ROOTS = folder.path;
  const scene = await openScene({ configs: [folder.file("fragile.yaml")] }).finally(() => {
    process.env.NEMO_GYM_EXTRA_ROOTS = extra;
  });
  const close = scene[Symbol.asyncDispose].bind(scene);
  return Object.assign(Object.create(scene) as Scene, {
    folder: folder.file("resources_servers/fragile"),
    [Symbol.asyncDispose]: async () => {
      await close();
      await folder[Symbol.asyncDispose]();
    },
  });
}

test("a server that cannot come back uses its restarts up, and the run ends with what it said last", async () => {
  await using scene = await fragile();
  await writeFile(`${scene.folder}/broken`, "");
  process.kill((await instanceOf(scene, "fragile")).pid, "SIGKILL");
  const { exitCode, stderr } = await scene.servers.exited;
  expect(exitCode).toBe(1);
  for (const time of [1, 2, 3]) expect(stderr).toMatch(new RegExp(`^fragile is started anew in .*\\(${time} of 3\\)$`, "m"));
  expect(stderr).toMatch(/^Error: fragile \(process \d+\) ended with exit code 4; its last lines:\n +broken for good$/m);
});

test("SIGTERM between a server's end and its restart: in order, nothing is left", async () => {
  await using scene = await fragile();
  await writeFile(`${scene.folder}/broken`, "");
  const tree = scene.servers.tree();
  process.kill((await instanceOf(scene, "fragile")).pid, "SIGKILL");
  await scene.servers.waitForLine(/^fragile is started anew/);
  scene.servers.kill("SIGTERM");
  const { exitCode, stderr } = await scene.servers.exited;
  expect(exitCode).toBe(130);
  expect(stderr).toMatch(/^all servers are stopped$/m);
  expect(await survivors(tree)).toEqual([]);
});

describe("what restart may be", () => {
  async function refusal(words: readonly string[], command = "ng-run"): Promise<string> {
    await using project = await folderWith({});
    const argv = [binary(command), "--resources-server", "mcqa", "--model-type", "simulated_model", "+head_server.port=0", ...words];
    const result = await runCommand(argv, surroundings(project));
    expect(result.exitCode).toBe(1);
    await expectClean(project, [result]);
    return result.stderr;
  }

  test.each(["always", "{on_failure:0}", "{on_failure:1,more:2}", "on_failure", "3", "{on_failure:1.5}"])("not %s", async (policy) => {
    expect(await refusal([agentRestarts(policy), "+hosting=process"])).toMatch(
      /mcqa_simple_agent\.responses_api_agents\.simple_agent\.restart' must be never, or \{on_failure: N\} with N from 1 to 1000/,
    );
  });

  test("only for a process of its own; ng-validate and a dry run say so too", async () => {
    const words = [agentRestarts("{on_failure:1}")];
    expect(await refusal(words)).toMatch(/mcqa_simple_agent: restart needs a process of its own, .*: add hosting: process to the block/);
    expect(await refusal([...words, "+dry_run=true"])).toMatch(/mcqa_simple_agent: restart needs a process of its own/);
    expect(await refusal([...words, "--offline"], "ng-validate")).toMatch(
      /'mcqa_simple_agent\.responses_api_agents\.simple_agent' cannot be started: restart needs a process of its own/,
    );
  });
});
