/** What a model, an endpoint or a file says is data: it steers no terminal, no route, no object and no clock. */
import { appendFile } from "node:fs/promises";
import { type Step, startFakeUpstream } from "@ng-gym/testing";
import { expect, test } from "vitest";
import { answer, ROUTE, responseOf } from "./endpoint.ts";
import { openScene, question, type Row, type Scene } from "./scene.ts";

/** Clears a screen, sets a title, writes from right to left, overwrites a line, forges one. */
const HOSTILE = "\u001b[2J\u001b]0;owned\u0007\u009b31m\u202eevil\u2066\r0 failed\u2028\u0000\nError: forged [NG_ERR_FAKE]";
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

function expectHarmless(scene: Scene, ...texts: string[]): void {
  for (const text of [...texts, scene.servers.stdout, scene.servers.stderr]) {
    expect(text).not.toMatch(CONTROL);
    expect(text).not.toMatch(/^Error: forged/m);
  }
}

const STEPS: [string, Step, { scored: boolean }][] = [
  ["in an answer", answer(`${HOSTILE} \\boxed{B}`), { scored: true }],
  ["in an error text", { status: 400, json: { error: { message: HOSTILE, code: HOSTILE } } }, { scored: false }],
  ["in a page", { status: 502, type: "text/html", text: `<title>${HOSTILE}</title>`, headers: [["retry-after", "0"]] }, { scored: false }],
  ["in what is not JSON", { type: "application/json", text: HOSTILE }, { scored: false }],
  ["in a field of the wrong type", { json: { ...responseOf("x"), output: HOSTILE } }, { scored: false }],
  ["in a name of a field", { json: { ...responseOf("\\boxed{B}"), [HOSTILE]: HOSTILE } }, { scored: true }],
];

test("control characters of an endpoint reach no terminal, wherever they stand", async () => {
  await using upstream = await startFakeUpstream();
  await using scene = await openScene({
    upstream: upstream.url,
    rows: [question(0)],
    run: ["++policy_model.responses_api_models.openai_model.max_http_attempts=1"],
  });
  for (const [what, step, { scored }] of STEPS) {
    upstream.script(ROUTE, [step]);
    for (const words of [[], ["--json"]]) {
      const { exitCode, stdout, stderr } = await scene.collect(words);
      expect.soft({ what, exitCode }).toEqual({ what, exitCode: scored ? 0 : 1 });
      expectHarmless(scene, stdout, stderr);
      if (words.length > 0) expect(() => JSON.parse(stdout)).not.toThrow();
    }
  }
});

test("nor those of rows, names and earlier files", async () => {
  await using scene = await openScene({ rows: [question(0)] });
  const outputs: string[] = [];
  const run = async (words: string[]): Promise<void> => {
    const { stdout, stderr } = await scene.collect(words);
    outputs.push(stdout, stderr);
  };
  await run([]);
  const failure: Row = {
    _ng_task_index: 0,
    _ng_rollout_index: 1,
    _ng_failure_class: HOSTILE,
    failure_kind: HOSTILE,
    _ng_failure_message: HOSTILE,
    agent_ref: { name: HOSTILE },
  };
  await appendFile(scene.project.file("out/r_failures.jsonl"), `${JSON.stringify(failure)}\n`);
  await appendFile(
    scene.project.file("out/r_materialized_inputs.jsonl"),
    `${JSON.stringify({ ...question(0), _ng_task_index: 0, _ng_rollout_index: 1 })}\n`,
  );
  await run(["--resume"]);
  await scene.project.write("in.jsonl", [question(0, { task_source: HOSTILE })]);
  await run(["-o", "out/names.jsonl"]);
  await run(["-o", `out/${HOSTILE.replaceAll("\u0000", "")}.jsonl`]);
  await run(["--agent", HOSTILE.replaceAll("\u0000", "")]);
  expectHarmless(scene, ...outputs);
  expect(outputs.join("")).toContain("\\u001b[2J");
});

test("a megabyte of thinking, opened and never closed, is graded in no time", async () => {
  const opened = "<think>".repeat(150_000);
  const nested = `${"<think>a".repeat(60_000)}${"</think>".repeat(60_000)}`;
  await using upstream = await startFakeUpstream({
    scripts: { [ROUTE]: [answer(`${opened}\\boxed{B}`), answer(`${nested}\\boxed{B}`), answer(`${"\\boxed{".repeat(140_000)}B}`)] },
  });
  await using scene = await openScene({ upstream: upstream.url, rows: [question(0), question(1), question(2)] });
  const { exitCode, stdout } = await scene.collect(["--concurrency", "1", "--strict"]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/scored +3\n/);
});

test("keys called __proto__ and constructor are keys: nothing is polluted, nothing is lost", async () => {
  const poisoned = (value: object): string =>
    JSON.stringify(value).replace("{", '{"__proto__":{"reward":1,"polluted":true},"constructor":{"prototype":{"polluted":true}},');
  const wrong = responseOf("\\boxed{A}");
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [{ type: "application/json", text: poisoned(wrong) }] } });
  await using scene = await openScene({ upstream: upstream.url, hosting: "process" });
  await scene.project.write("in.jsonl", `${poisoned(question(0))}\n${JSON.stringify(question(1))}\n`);
  const { exitCode, stdout } = await scene.collect(["--strict"]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/scored +2\n/);
  const text = await scene.project.read("out/r.jsonl");
  const rows = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
  expect(rows.map((row) => row.reward)).toEqual([0, 0]);
  expect(rows.some((row) => "polluted" in row)).toBe(false);
  for (const row of rows) expect(Object.hasOwn(row.response as object, "constructor")).toBe(true);
  // The rows that were sent are the rows of the input.
  expect(
    (await scene.project.read("out/r_materialized_inputs.jsonl")).startsWith('{"__proto__":{"reward":1,"polluted":true},"constructor":'),
  ).toBe(true);
});

test("names of tools are names: no path, no route of others, no control character", async () => {
  const names = [
    "../verify",
    "..",
    "verify",
    "seed_session",
    "get_weather/../verify",
    "get_weather?x=1",
    "%2e%2e%2fverify",
    "\u001b[31m",
    "__proto__",
    "x".repeat(100_000),
    "\ud800",
  ];
  await using upstream = await startFakeUpstream({ model: { toolCalls: 1, text: "done" } });
  await using scene = await openScene({ upstream: upstream.url, resourcesServer: "example_single_tool_call", rows: [weather()] });
  for (const name of names) {
    upstream.model.toolName = name;
    const { exitCode, stdout, stderr } = await scene.collect();
    expect.soft({ name: name.slice(0, 30), exitCode }).toEqual({ name: name.slice(0, 30), exitCode: 0 });
    expectHarmless(scene, stdout, stderr);
    const [row] = (await scene.rows()) as { response: { output: { type: string; output?: string }[] } }[];
    const output = row?.response.output ?? [];
    expect.soft(output.find(({ type }) => type === "function_call_output")?.output, name.slice(0, 30)).toMatch(/Not Found/);
  }
});

function weather(): object {
  const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
  const tools = [{ type: "function", name: "get_weather", description: "weather", parameters, strict: true }];
  return {
    responses_create_params: { input: [{ role: "user", content: "What is the weather in Rome?" }], tools },
    agent_ref: { type: "responses_api_agents", name: "example_single_tool_call_simple_agent" },
  };
}
