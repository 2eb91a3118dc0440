/** Typed environment servers through the real binaries: episodes and flat rows, servers in one process and in their own, a collector of ours and a foreign one. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { ResultPromise } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Folder, run, start, temporaryFolder } from "./run-command.ts";

const TASKS = 3;
const REPEATS = 2;

describe.each(["shared", "process"])("%s hosting", (hosting) => {
  let folder: Folder;
  let servers: ResultPromise;
  const file = (name: string): string => join(folder.path, name);

  beforeAll(async () => {
    folder = temporaryFolder();
    writeFileSync(file("config.yaml"), configuration(hosting));
    writeFileSync(file("env.yaml"), `head_server: {host: 127.0.0.1, port: ${await freePort()}}\n`);
    servers = start(["ng-run", "+config_paths=[config.yaml]"], { cwd: folder.path, all: true, buffer: false });
    await until(servers, /servers ready in /);
  });

  afterAll(async () => {
    servers?.kill("SIGINT");
    await servers;
    folder?.[Symbol.dispose]();
  });

  const collect = (name: string, rows: object[], parameters: string[]) => {
    writeFileSync(file(`${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return run(["ng-collect-rollouts", "-i", `${name}.jsonl`, "-o", `out/${name}.jsonl`, "--num-repeats", `${REPEATS}`, ...parameters], {
      cwd: folder.path,
    });
  };
  const rowsOf = (path: string): Record<string, unknown>[] =>
    readFileSync(file(path), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("task rows travel as episodes, each in a session of its own", async () => {
    const { exitCode, stdout, stderr } = await collect("tasks", tasks(), ["+environment_server_routes={counters: turn}"]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.not.stringMatching(/Error/) });
    expect(stdout).toMatch(/scored +6\n/);
    const rows = rowsOf("out/tasks.jsonl");
    expect(rows).toHaveLength(TASKS * REPEATS);
    for (const row of rows)
      expect(row).toMatchObject({
        reward: 1,
        _ng_environment_server: "turn",
        _ng_result_type: "single_agent_turn",
        _ng_task_id: { taskset: "counters" },
        ng_agent_observations: null,
      });
  });

  test("flat rows go through the variant for them", async () => {
    const parameters = ["+environment_routing_mode=legacy", "+environment_server_name=turn_rows"];
    const { exitCode } = await collect("flat", tasks().map(flatRow), parameters);
    expect(exitCode).toBe(0);
    const rows = rowsOf("out/flat.jsonl");
    expect(rows.map(({ reward }) => reward)).toEqual(Array(TASKS * REPEATS).fill(1));
    for (const row of rows) expect(row).toMatchObject({ agent_ref: { name: AGENT }, _ng_environment_server: "turn_rows" });
  });

  test("an episode that fails is a row of the sidecar with stage, kind and the hop that broke", async () => {
    const [task] = tasks();
    const rows = [{ ...task, task_input: { ...task?.task_input, expected_count: "many" } }];
    const { exitCode } = await collect("failing", rows, ["+environment_server_routes={counters: turn}"]);
    expect(exitCode).toBe(1);
    for (const row of rowsOf("out/failing_failures.jsonl"))
      expect(row).toMatchObject({
        _ng_failure_class: "environment_server_failed",
        _ng_failure_stage: "verification",
        _ng_failure_terminal: true,
        _ng_failure_boundary: SERVER,
        failure_kind: `${SERVER}:upstream_status`,
        _ng_failure_partial_response: { object: "response" },
      });
  });

  test("a foreign collector: one POST over HTTP/1.1", async () => {
    const { stdout } = await run(["ng-status", "--json"], { cwd: folder.path });
    const instances: { process_name: string; url: string }[] = JSON.parse(stdout);
    const [task] = tasks();
    const ask = async (server: string, body: unknown): Promise<{ status: number; json: unknown; cookies: string[] }> => {
      const url = instances.find(({ process_name }) => process_name === server)?.url;
      const reply = await fetch(`${url}/run`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
      return { status: reply.status, json: await reply.json(), cookies: reply.headers.getSetCookie() };
    };
    const episode_id = { rollout_id: "mine", attempt: 1 };
    const { task_id, task_input } = task ?? {};
    expect(await ask("turn", { episode_id, task: { task_id, task_input } })).toEqual({
      status: 200,
      json: { episode_id, task_id, failure: null, result: expect.objectContaining({ reward: 1 }) },
      cookies: [],
    });
    const row = { ...flatRow(task ?? {}), _ng_task_index: 7, _ng_rollout_index: 0 };
    expect(await ask("turn_rows", row)).toMatchObject({ status: 200, json: { reward: 1, agent_ref: { name: AGENT } } });
  });
});

test.each([
  ["a misspelt limit", "single_agent_turn", "{cleanup_timeout_seconds: 5, max_concurent_episodes: 3}", /max_concurent_episodes/],
  ["a limit without its queue", "single_agent_turn", "{cleanup_timeout_seconds: 5, max_concurrent_episodes: 3}", /queue_timeout_seconds/],
  ["a kind that there is not", "nemo_user_sim", "{cleanup_timeout_seconds: 5}", /nemo_user_sim.*single_agent_turn/s],
])("ng-run refuses %s before anything starts", async (_name, kind, keys, said) => {
  using here = temporaryFolder();
  writeFileSync(join(here.path, "config.yaml"), configuration("shared"));
  const refs = `resources_server: {type: resources_servers, name: ${SERVER}}, agent_server: {type: responses_api_agents, name: ${AGENT}}`;
  writeFileSync(
    join(here.path, "more.yaml"),
    `more: {environment_servers: {${kind}: {entrypoint: app.py, ${refs}, ${keys.slice(1, -1)}}}}\n`,
  );
  const head = `+head_server.port=${await freePort()}`;
  const { exitCode, stderr } = await run(["ng-run", "+config_paths=[config.yaml,more.yaml]", head], { cwd: here.path });
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(said) });
  expect(stderr).not.toMatch(/^waiting for/m);
});

const SERVER = "example_session_state_mgmt";
const AGENT = "example_session_state_mgmt_simple_agent";

function configuration(hosting: string): string {
  const turn = `
      entrypoint: app.py
      resources_server: {type: resources_servers, name: ${SERVER}}
      agent_server: {type: responses_api_agents, name: ${AGENT}}
      resources_tool_transports: [direct_http]
      cleanup_timeout_seconds: 10
      max_concurrent_episodes: 2
      queue_timeout_seconds: 60
      default_episode_timeout_seconds: 60`;
  return `
config_paths:
  - resources_servers/${SERVER}/configs/${SERVER}.yaml
  - responses_api_models/simulated_model/configs/simulated_model.yaml
hosting: ${hosting}
policy_model_name: simulated
turn:
  environment_servers:
    single_agent_turn:${turn}
turn_rows:
  environment_servers:
    single_agent_turn_legacy:${turn}
`;
}

interface Task {
  task_id?: { taskset: string; task_id: string };
  task_input?: Record<string, unknown>;
}

/** The model adds the number of the question: only where seed, tool and verification meet one session is the sum right. */
function tasks(): Task[] {
  const parameters = { type: "object", properties: { count: { type: "integer" } }, required: ["count"], additionalProperties: false };
  const tool = { type: "function", name: "increment_counter", description: "Adds to the counter.", strict: true, parameters };
  return Array.from({ length: TASKS }, (_, index) => ({
    task_id: { taskset: "counters", task_id: String(index) },
    task_input: {
      responses_create_params: { input: [{ role: "user", content: `Add ${index + 4} to the counter.` }], tools: [tool] },
      initial_count: 10 * index,
      expected_count: 11 * index + 4,
    },
  }));
}

function flatRow({ task_input }: Task): object {
  return { ...task_input, task_source: SERVER };
}

/** Resolves with what a command said once it said this; rejects if it ends before. */
async function until(command: ResultPromise, expected: RegExp): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let text = "";
  command.all?.on("data", (chunk) => {
    text += String(chunk);
    if (expected.test(text)) resolve();
  });
  void command.then(() => reject(new Error(`the command ended before it said ${expected}:\n${text}`)));
  await promise;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
