import { readFileSync } from "node:fs";
import { startTestServers } from "@ng-gym/testing";
import { expect, test } from "vitest";

const CONFIGS = [
  "resources_servers/example_single_tool_call/configs/example_single_tool_call.yaml",
  "responses_api_models/simulated_model/configs/simulated_model.yaml",
];
const rows = readFileSync(new URL("../data/example.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

test("the tool answers, and refuses what its schema does not know", async () => {
  await using server = await startTestServers({ configPaths: CONFIGS });
  const answer = await server.call("example_single_tool_call", "/get_weather", { city: "Bergen" });
  expect(answer.json()).toEqual({ city: "Bergen", weather_description: "The weather in Bergen is cold." });
  const refused = await server.call("example_single_tool_call", "/get_weather", { town: "Bergen" });
  expect([refused.status, refused.json()]).toMatchObject([422, { detail: [{ type: "missing", loc: ["body", "city"] }] }]);
});

test.each([
  ["the tool was called", [{ type: "function_call", call_id: "c", name: "get_weather", arguments: "{" }], 1],
  ["another tool was called", [{ type: "function_call", call_id: "c", name: "get_tide", arguments: "{}" }], 0],
  ["nothing was called", [], 0],
])("%s", async (_name, output, reward) => {
  await using server = await startTestServers({ configPaths: CONFIGS });
  const response = {
    id: "r",
    created_at: 0,
    model: "m",
    object: "response",
    output,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
  };
  const reply = await server.call("example_single_tool_call", "/verify", { responses_create_params: { input: "x" }, response });
  expect(reply.json()).toMatchObject({ reward });
});

test("each of the five example rows is worth 1 and uses the tool", async () => {
  expect(rows).toHaveLength(5);
  await using server = await startTestServers({ configPaths: CONFIGS });
  for (const row of rows) {
    const reply = await server.call("example_single_tool_call_environment_server", "/run", JSON.parse(row));
    expect(reply.json()).toMatchObject({ reward: 1, response: { output: [{ name: "get_weather" }, {}, { type: "message" }] } });
  }
});
