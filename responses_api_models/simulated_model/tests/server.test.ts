import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Reply } from "@ng-gym/core/http";
import { startTestServers, type TestServers } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";

const CONFIG = "responses_api_models/simulated_model/configs/simulated_model.yaml";
const QUESTIONS = "resources_servers/mcqa/data/quickstart.jsonl";

const serve = (...overrides: string[]): Promise<TestServers> =>
  startTestServers({
    configPaths: [CONFIG],
    overrides: overrides.map((override) => `++policy_model.responses_api_models.simulated_model.${override}`),
  });

const ask = (server: TestServers, body: object, path = "/v1/responses"): Promise<Reply> => server.call("policy_model", path, body);

function shippedQuestion(): { input: unknown; letter: string } {
  const [line] = readFileSync(fileURLToPath(new URL(`../../../${QUESTIONS}`, import.meta.url)), "utf8").split("\n");
  const row = JSON.parse(line ?? "");
  return { input: row.responses_create_params.input, letter: row.expected_answer };
}

function textOf(reply: Reply): string {
  const { output } = reply.json() as { output: { content: { text: string }[] }[] };
  return output[0]?.content[0]?.text ?? "";
}

describe("answers", () => {
  test("say that they are simulated, in both dialects", async () => {
    await using server = await serve();
    const response = await ask(server, { input: "Hello?" });
    expect(response.status).toBe(200);
    expect(response.json()).toMatchObject({ model: "simulated", metadata: { simulated: "true" }, status: "completed" });
    const chat = await ask(server, { messages: [{ role: "user", content: "Hello?" }] }, "/v1/chat/completions");
    expect(chat.json()).toMatchObject({ model: "simulated", metadata: { simulated: "true" }, choices: [{ finish_reason: "stop" }] });
  });

  test("know the questions of the shipped data set", async () => {
    const { input, letter } = shippedQuestion();
    await using server = await serve("skill=1");
    expect(textOf(await ask(server, { input }))).toContain(`\\boxed{${letter}}`);
    await using dull = await serve("skill=0");
    expect(textOf(await ask(dull, { input }))).not.toContain(`\\boxed{${letter}}`);
  });

  test("are the same on another start, and differ by rollout", async () => {
    const { input } = shippedQuestion();
    const answers = async (): Promise<string[]> => {
      await using server = await serve("skill=0.5");
      const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(server, { input }, `/ng-rollout/0-${i}/v1/responses`)));
      return replies.map((reply) => reply.text());
    };
    const once = await answers();
    expect(await answers()).toEqual(once);
    expect(new Set(once.map((text) => /boxed\{+(\w)/.exec(text)?.[1])).size).toBeGreaterThan(1);
  });

  test("stream", async () => {
    await using server = await serve();
    const reply = await ask(server, { input: "Hello?", stream: true });
    expect(reply.headers["content-type"]).toContain("text/event-stream");
    expect(reply.text().match(/^event: .*$/gm)).toEqual([
      "event: response.created",
      "event: response.output_item.done",
      "event: response.completed",
    ]);
  });
});

describe("misbehaviour on request", () => {
  test("fails with the status asked for, always for the same calls", async () => {
    const statuses = async (): Promise<number[]> => {
      await using server = await serve("fail_rate=0.5", "fail_status=503");
      const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => ask(server, { input: `Question ${i}` })));
      return replies.map(({ status }) => status);
    };
    const once = await statuses();
    expect(new Set(once)).toEqual(new Set([200, 503]));
    expect(await statuses()).toEqual(once);
  });

  test("is silent until the caller gives up", async () => {
    await using server = await serve("silent_rate=1");
    const call = server.client.call("policy_model", { kind: "model", path: "/v1/responses", body: { input: "x" }, timeoutMs: 200 });
    await expect(call).rejects.toMatchObject({ code: "NG_ERR_TIMEOUT" });
  });

  test("takes its time", async () => {
    await using server = await serve("latency_ms=60", "jitter_ms=20");
    const began = performance.now();
    await ask(server, { input: "x" });
    expect(performance.now() - began).toBeGreaterThanOrEqual(59);
  });
});

describe("the answer key", () => {
  test("a file that is not there stops the start and names the places looked at", async () => {
    await expect(serve("answer_key=no/such/file.jsonl")).rejects.toMatchObject({ message: expect.stringContaining("no/such/file.jsonl") });
  });

  test("none is a model that guesses", async () => {
    await using server = await serve("answer_key=null");
    expect((await ask(server, { input: "A) x\nB) y" })).status).toBe(200);
  });
});
