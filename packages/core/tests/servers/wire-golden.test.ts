import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  compareTranscript,
  describeGolden,
  type Exchange,
  GOLDEN_DIR,
  type GoldenCase,
  type GoldenException,
  type Replay,
  replayTranscript,
  type Transcript,
  type WireBody,
} from "@ng-gym/testing";
import { expect, test } from "vitest";
import { type BlockKeys, startWireServers } from "./wire-servers.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const MINE =
  /^(?:run|tool|args|stop|max_steps|usage|seed|verify|cookie|invalid|upstream|aggregate|disconnect|routes|env|agent_session|turn|sse_responses|execute_tools_false|prefix_routes|skip_verification)(?:_|\.|$)/;

/** Group of a transcript: what its name begins with. */
const groups = Map.groupBy(
  readdirSync(`${GOLDEN_DIR}wire`).filter((file) => MINE.test(file)),
  (file) => MINE.exec(file)?.[0].replace(/[_.]$/, "") ?? "",
);

/** 0.7.0 makes three tries whatever the status; ours has a budget for each kind (decisions.md, "retries"). Under the reference's rule both are equal. */
const RETRY_RULE: Record<string, BlockKeys> = {
  ...Object.fromEntries([429, 502, 503, 504, 520].map((status) => [`upstream_${status}`, { m_openai: { max_http_attempts: 3 } }])),
  upstream_404: { m_openai: { max_http_attempts: 3, retry_statuses: [404] } },
  upstream_529: { m_openai: { max_http_attempts: 1 } },
  // Gives up well before the client leaves.
  upstream_refused_client_leaves: { m_openai_dead: { max_http_attempts: 2 } },
};

const replays = new Map<string, Replay>();

async function check(golden: GoldenCase): Promise<void> {
  const transcript = golden as unknown as Transcript;
  const replay = await replayTranscript(transcript, (spec) => startWireServers(spec, RETRY_RULE[golden.id]));
  replays.set(golden.id, replay);
  const differences = compareTranscript(transcript, replay);
  if (differences.length > 0) throw new Error(`${golden.id}: ${differences.length} differences\n${differences.join("\n")}`);
}

function pending(golden: GoldenCase): string | undefined {
  const servers = Object.values((golden as unknown as Transcript).input.servers);
  const missing = servers.find(({ type, dir }) => type !== "environment_servers" && !existsSync(`${ROOT}${type}/${dir}/app.ts`));
  return missing && `${missing.type}/${missing.dir}`;
}

/** What the replay of an excepted transcript shows; the golden's `ours` or decisions.md says what that must be. */
const shows = (reason: string, ours: (replay: Replay) => void): GoldenException => ({
  reason,
  ours: ({ id }) => ours(replays.get(id) as Replay),
});

const statuses = ({ exchanges }: Replay, path: string): (number | undefined)[] =>
  exchanges.filter((exchange) => exchange.path === path).map(({ response }) => response?.status);
const callsOf = ({ exchanges }: Replay, to: string): string[] => exchanges.filter((exchange) => exchange.to === to).map(({ path }) => path);
// biome-ignore lint/suspicious/noExplicitAny: foreign JSON
const jsonOf = (body: WireBody | undefined): any => (body && "json" in body ? body.json : undefined);

/** What the model read as outputs of its calls, in the last request to the endpoint. */
function toolOutputs({ exchanges }: Replay): string[] {
  const { input } = jsonOf(exchanges.findLast(({ to }) => to === "upstream")?.request.body);
  return input.filter(({ type }: { type?: string }) => type === "function_call_output").map(({ output }: { output: string }) => output);
}

function goesOn(replay: Replay, ...outputs: unknown[]): void {
  expect(replay.clientStatus).toEqual([200]);
  expect(statuses(replay, "/verify")).toEqual([200]);
  expect(toolOutputs(replay)).toEqual(outputs);
}

const keepsBody = (text: string): GoldenException =>
  shows("decisions.md, `/run` failures and retries: the upstream's status and text are kept, also those of 401 and 403", (replay) => {
    expect(replay.clientStatus).toEqual([500]);
    expect(jsonOf(replay.exchanges[0]?.response?.body)).toContain(text);
    expect(callsOf(replay, "upstream")).toHaveLength(1);
  });

const UNKNOWN_TOOL = '{"detail":"Not Found"}';

const exceptions: Record<string, GoldenException> = {
  args_huge_int: shows("the golden's ours: the number is passed on, the rollout goes on", (replay) => {
    goesOn(replay, expect.any(String));
    expect(statuses(replay, "/do_it")).toEqual([200]);
  }),
  args_lone_surrogate: shows("the golden's ours: the surrogate is replaced, the rollout goes on", (replay) => {
    goesOn(replay, expect.any(String));
    expect(jsonOf(replay.exchanges.find(({ path }) => path === "/do_it")?.request.body)).toEqual({ a: "\ufffd" });
  }),
  disconnect_sse: shows("decisions.md, SSE: the first byte comes at once, so the client has an answer when it leaves", (replay) => {
    expect(replay.clientStatus).toEqual([null]);
    expect(replay.exchanges.map(({ end }) => end)).toEqual(["caller went away", "caller went away"]);
    expect(replay.exchanges[0]?.response).toMatchObject({ status: 200, body: null });
  }),
  run_structured_output: shows("the golden's ours: the run succeeds, text.format keeps the key schema", (replay) => {
    expect(replay.clientStatus).toEqual([200]);
    expect(jsonOf(replay.exchanges[0]?.response?.body)).toMatchObject({
      reward: 1,
      responses_create_params: { text: { format: { type: "json_schema", schema: {} } } },
    });
  }),
  sse_responses_fail: shows(
    "decisions.md, SSE: the head goes out before the backend has failed, so it is that of every stream",
    (replay) => {
      const { response } = replay.exchanges[0] as Exchange;
      expect(response?.status).toBe(200);
      expect(Object.fromEntries(response?.headers ?? [])).toMatchObject({ "cache-control": "no-cache", "x-accel-buffering": "no" });
      expect(response?.body).toMatchObject({
        sse: [/^event: response.created/, /^event: response.failed/].map((frame) => expect.stringMatching(frame)),
      });
    },
  ),
  tool_name_path: shows("the golden's ours: a tool name is one encoded path segment", (replay) => {
    expect(replay.clientStatus).toEqual([200]);
    const called = callsOf(replay, "res_stub").filter((path) => !["/seed_session", "/verify"].includes(path));
    expect(called).toEqual(["/do_it%23f", "/do%20it", "/do%255Fit"]);
    expect(toolOutputs(replay).filter((output) => output === UNKNOWN_TOOL)).toHaveLength(5);
  }),
  tool_named_verify: shows("the golden's ours: routes of the server are no tools, and are not called", (replay) => {
    goesOn(replay, ...Array(4).fill(UNKNOWN_TOOL));
    expect(callsOf(replay, "res_weather")).toEqual(["/seed_session", "/openapi.json", "/verify"]);
  }),
  tool_not_utf8: shows("the golden's ours: the output is decoded with replacement characters, the rollout goes on", (replay) => {
    goesOn(replay, expect.stringContaining("\ufffd"));
  }),
  turn_seed_422: shows(
    "decisions.md, environment servers and seed body: a typed seed is understood by every resources server, whose own row is the task's data",
    (replay) => {
      expect(statuses(replay, "/seed_session")).toEqual([200]);
      expect(jsonOf(replay.exchanges[0]?.response?.body)).toMatchObject({ result: { reward: 1 }, failure: null });
      expect(callsOf(replay, "t_counter")).toEqual(["/seed_session", "/verify", "/close_session"]);
    },
  ),
  upstream_401: keepsBody("who are you"),
  upstream_403: keepsBody("forbidden"),
  upstream_refused_client_leaves: shows("the golden's ours: a few tries, then 500", (replay) => {
    expect(replay.clientStatus).toEqual([500]);
  }),
};

for (const [name, files] of groups) {
  const mine = Object.entries(exceptions).filter(([id]) => files.includes(`${id}.json`));
  describeGolden(
    { name: `wire/${name}`, paths: files.map((file) => `wire/${file}`) },
    { check, pending, exceptions: Object.fromEntries(mine), concurrent: true },
  );
}

test("exceptions and retry rules name transcripts", () => {
  const ids = new Set([...groups.values()].flat().map((file) => file.replace(".json", "")));
  expect([...Object.keys(exceptions), ...Object.keys(RETRY_RULE)].filter((id) => !ids.has(id))).toEqual([]);
});
