import { readFileSync } from "node:fs";
import { startTestServers } from "@ng-gym/testing";
import { expect, test } from "vitest";

const CONFIGS = ["resources_servers/mcqa/configs/mcqa.yaml", "responses_api_models/simulated_model/configs/simulated_model.yaml"];
const rows = readFileSync(new URL("../data/example.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));

const answered = (...texts: string[]) => ({
  id: "r",
  created_at: 0,
  model: "m",
  object: "response",
  output: texts.map((text) => ({
    type: "message",
    id: "m",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  })),
  parallel_tool_calls: true,
  tool_choice: "auto",
  tools: [],
});
const ROW = { responses_create_params: { input: "Which tree?" }, options: [{ A: "oak" }, { B: "pine" }], expected_answer: "b" };

test("a right and a wrong answer; fields of the row do not come back", async () => {
  await using server = await startTestServers({ configPaths: CONFIGS });
  const right = (await server.call("mcqa", "/verify", { ...ROW, response: answered("\\box", "ed{B}") })).json();
  expect(right).toMatchObject({ reward: 1, expected_answer: "B", extracted_answer: "B" });
  expect(right).not.toHaveProperty("options");
  const wrong = (await server.call("mcqa", "/verify", { ...ROW, response: answered("\\boxed{A}") })).json();
  expect(wrong).toMatchObject({ reward: 0, extracted_answer: "A" });
});

test("the mode of the configuration wins over the row's", async () => {
  await using server = await startTestServers({
    configPaths: CONFIGS,
    overrides: ["++mcqa.resources_servers.mcqa.grading_mode=lenient_answer_colon_md"],
  });
  const reply = await server.call("mcqa", "/verify", { ...ROW, grading_mode: "lenient_boxed", response: answered("**Answer: B**") });
  expect(reply.json()).toMatchObject({ reward: 1 });
});

test("a mode that does not exist is refused: in a row with 422, in the configuration at load", async () => {
  await using server = await startTestServers({ configPaths: CONFIGS });
  expect((await server.call("mcqa", "/verify", { ...ROW, grading_mode: "none", response: answered("x") })).status).toBe(422);
  await expect(
    startTestServers({ configPaths: CONFIGS, overrides: ["++mcqa.resources_servers.mcqa.grading_mode=none"] }),
  ).rejects.toMatchObject({ code: "NG_ERR_CONFIG" });
});

test("a model that knows the answers gets every example row right, through the agent", async () => {
  await using server = await startTestServers({
    configPaths: CONFIGS,
    overrides: ["++policy_model.responses_api_models.simulated_model.skill=1"],
  });
  for (const row of rows) {
    const reply = await server.call("mcqa_environment_server", "/run", row);
    expect(reply.json()).toMatchObject({ reward: 1 });
  }
});

test("the headline metrics", async () => {
  await using server = await startTestServers({ configPaths: CONFIGS });
  const scored = (task: number, rollout: number, reward: number, letter: string | null) => ({
    _ng_task_index: task,
    _ng_rollout_index: rollout,
    reward,
    extracted_answer: letter,
    expected_answer: "B",
  });
  const verify_responses = [scored(0, 0, 1, "B"), scored(0, 1, 0, null), scored(1, 0, 0, "A"), scored(1, 1, 0, "A")];
  const { key_metrics } = (await server.call("mcqa", "/aggregate_metrics", { verify_responses })).json() as { key_metrics: object };
  expect(key_metrics).toEqual({
    "mean/reward": 0.25,
    "pass@1[avg-of-2]/accuracy": 25,
    "pass@1[avg-of-2]/no_answer": 25,
    "pass@2/no_answer": 50,
    "majority@2/accuracy": 50,
    "pass@1/accuracy": 25,
  });
  expect((await server.client.call("mcqa", { kind: "control", method: "GET", path: "/reverify_mode" })).json()).toBe("stateless");
});

test("a row's regular expression that runs for ever gives no reward and stops nobody else", async () => {
  await using server = await startTestServers({
    configPaths: CONFIGS,
    overrides: ["++mcqa.resources_servers.mcqa.grading_timeout_seconds=0.5"],
  });
  const trap = { ...ROW, template_metadata: { output_regex: "(a+)+$" }, response: answered(`${"a".repeat(40)}!`) };
  const trapped = server.call("mcqa", "/verify", trap);
  const other = await server.call("mcqa", "/verify", { ...ROW, response: answered("\\boxed{B}") });
  expect(other.json()).toMatchObject({ reward: 1 });
  const reply = await trapped;
  expect(reply.status).toBe(500);
  expect(reply.headers["x-ng-failure-kind"]).toBe("verifier_error");
  expect(reply.text()).toContain("grading did not end within 0.5 s");
});
