/** An endpoint that is down or talks nonsense: rows end in the sidecar with class, kind, hop and cause; the run ends; nothing becomes a reward. */
import { runCommand, type Step, startFakeUpstream } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { answer, closedPort, modelCalls, ROUTE } from "./endpoint.ts";
import { binary, expectClean, folderWith, openScene, type Row, surroundings } from "./scene.ts";

const ROWS = 4;

interface Fault {
  what: string;
  step: Step;
  kind: string;
  /** Requests for one row. */
  tries: number;
  cause: RegExp;
}

const FAULTS: Fault[] = [
  {
    what: "answers 500",
    step: { status: 500, json: { error: { message: "out of cheese" } } },
    kind: "policy_model:upstream_status",
    tries: 3,
    cause: /^policy_model at http:\/\/127\.0\.0\.1:\d+\/v1\/responses answered 500: .*out of cheese/,
  },
  {
    what: "answers 400 with a page",
    step: { status: 400, type: "text/html", text: "<html>\n<body>\n  bad gateway config\n</body>\n</html>" },
    kind: "policy_model:upstream_status",
    tries: 1,
    cause: /answered 400: <html> <body> bad gateway config/,
  },
  {
    what: "resets the connection",
    step: { reset: true },
    kind: "transport_peer_drop",
    tries: 5,
    cause: /policy_model at http.* after 5 tries/,
  },
  { what: "closes without an answer", step: { drop: true }, kind: "transport_peer_drop", tries: 5, cause: /closed the connection/ },
  {
    what: "cuts its answer",
    step: { json: { id: "x" }, cut: true },
    kind: "transport_peer_drop",
    tries: 1,
    cause: /policy_model cut its answer/,
  },
  {
    what: "answers a sign-in page with 200",
    step: { type: "text/html", text: "<html><body>Sign in</body></html>" },
    kind: "policy_model:bad_response",
    tries: 1,
    cause: /not JSON.*Sign in/,
  },
  {
    what: "answers half a JSON text",
    step: { type: "application/json", text: '{"id": ' },
    kind: "policy_model:bad_response",
    tries: 1,
    cause: /not JSON/,
  },
  { what: "answers nothing", step: { text: "" }, kind: "policy_model:bad_response", tries: 1, cause: /not JSON/ },
  { what: "answers a list", step: { json: [] }, kind: "policy_model:bad_response", tries: 1, cause: /policy_model answered/ },
  { what: "answers null fields", step: { json: { output: null } }, kind: "policy_model:bad_response", tries: 1, cause: /output: / },
];

describe.each(["shared", "process"] as const)("%s hosting", (hosting) => {
  test("every fault of an endpoint, one after the other", { timeout: 120_000 }, async () => {
    await using upstream = await startFakeUpstream();
    await using scene = await openScene({ upstream: upstream.url, hosting });
    for (const { what, step, kind, tries, cause } of FAULTS) {
      upstream.reset();
      upstream.script(ROUTE, [step]);
      const { exitCode, stdout, stderr } = await scene.collect();
      const failed = await scene.rows("r_failures.jsonl");
      expect
        .soft({ what, exitCode, failed: failed.length, scored: (await scene.rows()).length })
        .toEqual({ what, exitCode: 1, failed: ROWS, scored: 0 });
      expect.soft(modelCalls(upstream), what).toBe(tries * ROWS);
      for (const row of failed) {
        expect.soft(row, what).toMatchObject({
          _ng_failure_class: "agent_run_error",
          failure_kind: kind,
          _ng_failure_boundary: "policy_model",
          _ng_failure_attempts: tries,
          _ng_failure_message: expect.stringMatching(cause),
        });
        expect.soft(row, what).not.toHaveProperty("reward");
      }
      expect.soft(stderr, what).toMatch(new RegExp(`^first agent_run_error \\(${kind}\\) at policy_model: `, "m"));
      expect.soft(stderr, what).toContain("[NG_ERR_NOTHING_SCORED]");
      expect.soft(stdout, what).toMatch(/scored +0\n +failed +4\n +missing +0\n +coverage +0 %/);
    }
  });
});

test("an endpoint that goes away: connections are refused", async () => {
  const upstream = await startFakeUpstream();
  await using scene = await openScene({ upstream: upstream.url });
  await upstream.close();
  const { exitCode, stderr } = await scene.collect();
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^first agent_run_error \(transport_unreachable\) at policy_model: policy_model at http:\/\/127\.0\.0\.1:\d+\/v1\/responses cannot be reached after 3 tries: .*ECONNREFUSED/m,
  );
  expect(stderr).toMatch(/^ {2}Nothing answers at that address/m);
  expect(scene.servers.stderr).toMatch(/^\[policy_model\] policy_model at http.*: unreachable; try 2 in /m);
  const failed = await scene.rows("r_failures.jsonl");
  expect(failed).toHaveLength(ROWS);
  for (const row of failed) expect(row).toMatchObject({ failure_kind: "transport_unreachable", _ng_failure_attempts: 3 });
});

test("an endpoint that was never there: told before anything waits for it, and after the limit the start ends", async () => {
  await using project = await folderWith({});
  const url = `http://127.0.0.1:${await closedPort()}/v1`;
  const words = [
    "--resources-server",
    "mcqa",
    "--model-type",
    "openai_model",
    "--model",
    "m",
    "--model-url",
    url,
    "--model-api-key",
    "sk-x",
  ];
  const limit = "+model_endpoint_readiness_timeout_seconds=0.1";
  const result = await runCommand([binary("ng-run"), ...words, limit, "+head_server.port=0", "+hosting=process"], surroundings(project));
  expect(result.exitCode).toBe(1);
  const lines = result.stderr.split("\n");
  const told = lines.findIndex((line) => line.includes(url));
  const ended = lines.findIndex((line) => line.startsWith("Error: "));
  expect(told).toBeGreaterThanOrEqual(0);
  expect(told).toBeLessThan(ended);
  expect(lines.slice(ended).join("\n")).toContain(url);
  expect(result.stderr).toContain("[NG_ERR_UNREACHABLE]");
  await expectClean(project, [result]);
});

test.each([
  [
    "says so as OpenAI does",
    { status: 401, json: { error: { message: "Incorrect API key provided", code: "invalid_api_key" } } },
    401,
    "Incorrect API key provided",
  ],
  ["only says Unauthorized", { status: 401, text: "Unauthorized" }, 401, "Unauthorized"],
  ["forbids", { status: 403, json: { detail: "no access to m" } }, 403, "no access to m"],
] as const)("a wrong key, where the endpoint %s: server, URL, status, its text and what to do", async (_what, step, status, text) => {
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [step] } });
  await using scene = await openScene({ upstream: upstream.url });
  const { exitCode, stdout, stderr } = await scene.collect();
  expect(exitCode).toBe(1);
  const first = stderr.split("\n").find((line) => line.startsWith("first "));
  for (const part of ["policy_model", `${upstream.url}/responses`, String(status), text]) expect(first).toContain(part);
  expect(stderr).toMatch(/^ {2}.*refuses the key.*policy_api_key/m);
  for (const said of [stdout, stderr, scene.servers.stdout, scene.servers.stderr]) expect(said).not.toContain("sk-of-the-test");
  const calls = upstream.requests.filter(({ path }) => path.endsWith(ROUTE));
  expect(calls.every(({ headers }) => headers.authorization === "Bearer sk-of-the-test")).toBe(true);
});

test("a wrong key behind an environment server that runs turns is told like any other", async () => {
  const step: Step = { status: 401, json: { error: { message: "Incorrect API key provided", code: "invalid_api_key" } } };
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [step] } });
  const block = {
    entrypoint: "app.py",
    resources_server: "{type: resources_servers, name: mcqa}",
    agent_server: "{type: responses_api_agents, name: mcqa_simple_agent}",
    cleanup_timeout_seconds: 5,
  };
  const turn = Object.entries(block).map(([key, value]) => `+turn.environment_servers.single_agent_turn_legacy.${key}=${value}`);
  await using scene = await openScene({ upstream: upstream.url, run: turn });
  const { exitCode, stderr } = await scene.collect(["++environment_routing_mode=legacy", "++environment_server_name=turn"]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^first .*policy_model.*answered 401.*Incorrect API key provided/m);
  expect(stderr).toMatch(/^ {2}.*refuses the key.*policy_api_key/m);
  const [row] = await scene.rows("r_failures.jsonl");
  expect(JSON.stringify(row)).not.toContain("Hit an exception");
});

test("one failure among many does not end the run; it runs again on resume, wrong answers do not", async () => {
  const answers: Step[] = [{ status: 400, json: { error: { message: "no" } } }, answer("\\boxed{A}"), answer("\\boxed{B}")];
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: answers } });
  await using scene = await openScene({ upstream: upstream.url });
  const first = await scene.collect(["--concurrency", "1"]);
  expect(first.exitCode).toBe(0);
  expect(first.stdout).toMatch(/scored +3\n +failed +1\n/);
  expect(first.stdout).toMatch(/Incomplete: 1 of 4 .*--resume/);
  expect(rewards(await scene.rows())).toEqual([0, 1, 1]);
  upstream.script(ROUTE, answers);
  const strict = await scene.collect(["--concurrency", "1", "-o", "out/strict.jsonl", "--strict"]);
  expect(strict).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("[NG_ERR_INCOMPLETE]") });

  upstream.reset();
  upstream.script(ROUTE, [answer("\\boxed{B}")]);
  const second = await scene.collect(["--concurrency", "1", "--resume", "--strict"]);
  expect(second).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/scored +4\n +failed +0\n/) });
  expect(modelCalls(upstream)).toBe(1);
  expect(rewards(await scene.rows())).toEqual([0, 1, 1, 1]);
  expect(await scene.rows("r_failures.jsonl")).toHaveLength(1);
});

function rewards(rows: readonly Row[]): unknown[] {
  return rows.map((row) => row.reward);
}
