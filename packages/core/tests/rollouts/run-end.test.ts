/** A collection that ends before its rows do: the servers are gone, or too many rollouts fail. */
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failureHeaders } from "../../src/http/index.ts";
import { type CollectOptions, type CollectResult, collectRollouts, parseCollectParameters } from "../../src/rollouts/index.ts";
import { type Foreign, linesText, scratch, writeFiles } from "./recipes.ts";
import { type Answer, configOf, type Scripted, startScripted } from "./scripted.ts";

let folder = "";
beforeEach(() => {
  folder = scratch();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function collect(
  scripted: Scripted,
  rows: number,
  given: Partial<CollectOptions> & { config?: Foreign } = {},
): Promise<CollectResult> {
  const { config, ...options } = given;
  const row = (n: number): Foreign => ({ responses_create_params: { input: `q${n}` }, agent_ref: { name: "a" } });
  writeFiles(folder, { "in.jsonl": linesText(Array.from({ length: rows }, (_, n) => row(n))) });
  const { parameters } = parseCollectParameters({
    input_jsonl_fpath: "in.jsonl",
    output_jsonl_fpath: "out/r.jsonl",
    num_samples_in_parallel: 4,
    ...config,
  });
  return collectRollouts({
    client: scripted.client,
    servers: { config: configOf({ env: ["a"] }) },
    parameters,
    cwd: folder,
    env: {},
    ...options,
  });
}

function linesIn(name: string): number {
  const path = join(folder, "out", name);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

const scored: Answer = { json: { reward: 1, response: {} } };
const broken = (kind: string, boundary: string): Answer => ({
  status: 500,
  text: '"no"',
  headers: failureHeaders({ failure_kind: kind, boundary }),
});

describe("the servers are gone", () => {
  test("what is under way is unresolved, nothing more is sent, and the reason is told", async () => {
    await using scripted = await startScripted({ run: () => scored });
    let asked = 0;
    let left: PromiseLike<void> | undefined;
    await using leaving = await startScripted({
      run: ({ id }) => {
        if (id === "5-0") left = leaving[Symbol.asyncDispose]();
        return left === undefined ? scored : new Promise<Answer>(() => undefined);
      },
    });
    const result = await collect(leaving, 40, {
      askRun: async () => {
        asked++;
        return "no head server answers";
      },
    });
    expect(result).toMatchObject({
      exitCode: 1,
      problem: { code: "NG_ERR_SERVER_DIED", message: "the servers are gone: no head server answers" },
    });
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(10);
    expect(linesIn("r_failures.jsonl")).toBe(0);
    const { summary } = result;
    expect(summary).toMatchObject({ expected: 40, failed: 0, missing: 40 - summary.scored });
    expect(summary.scored).toBe(linesIn("r.jsonl"));
    const resumed = await collect(scripted, 40, { config: { resume_from_cache: true } });
    expect(resumed).toMatchObject({ exitCode: 0, summary: { scored: 40, run: { cached: summary.scored } } });
  });

  test.each([
    ["transport_peer_drop", "policy_model"],
    ["cancelled", "a"],
    ["transport_unreachable", "env"],
  ])("%s at %s while the run is being stopped", async (kind, boundary) => {
    await using scripted = await startScripted({ run: ({ id }) => (id === "3-0" ? broken(kind, boundary) : scored) });
    const result = await collect(scripted, 8, { askRun: async () => "the run is being stopped", config: { num_samples_in_parallel: 1 } });
    expect(result).toMatchObject({ exitCode: 1, problem: { code: "NG_ERR_SERVER_DIED" }, summary: { scored: 3, failed: 0, missing: 5 } });
  });

  test.each([
    ["transport_peer_drop", "env"],
    ["transport_unreachable", "policy_model"],
  ])("%s at %s while the run goes on is a failed row", async (kind, boundary) => {
    await using scripted = await startScripted({ run: ({ id }) => (id === "3-0" ? broken(kind, boundary) : scored) });
    const result = await collect(scripted, 8, { askRun: async () => undefined });
    expect(result).toMatchObject({ exitCode: 0, summary: { scored: 7, failed: 1, missing: 0 } });
  });

  test("a failure of another kind does not ask", async () => {
    await using scripted = await startScripted({
      run: ({ id }) => (id === "3-0" ? broken("policy_model:upstream_status", "policy_model") : scored),
    });
    const result = await collect(scripted, 8, {
      askRun: () => {
        throw new Error("asked");
      },
    });
    expect(result).toMatchObject({ exitCode: 0, summary: { scored: 7, failed: 1 } });
  });
});

describe("max_failure_ratio", () => {
  const mostlyFailing = (share: number) =>
    startScripted({ run: ({ id }) => (Number(id.split("-")[0]) % 10 < share * 10 ? broken("env:seed_failed", "mcqa") : scored) });

  test("stops a run in which that share has failed, says what happened, and leaves the rest for a resume", async () => {
    await using scripted = await mostlyFailing(0.9);
    const result = await collect(scripted, 1_000, { config: { max_failure_ratio: 0.8 } });
    expect(result.exitCode).toBe(1);
    expect(result.problem).toMatchObject({ code: "NG_ERR_TOO_MANY_FAILURES" });
    expect(result.problem?.message).toMatch(
      /^stopped: \d+ of the 10\d rollouts that finished have failed, .* 0\.8: \d+ agent_run_error \(env:seed_failed\)$/,
    );
    const { scored: good, failed, missing } = result.summary;
    expect(scripted.requests.length).toBeLessThan(150);
    expect(good + failed + missing).toBe(1_000);
    expect(failed).toBe(linesIn("r_failures.jsonl"));
  });

  test.each([
    ["a share below it", 0.9, {}],
    ["null", 1, { max_failure_ratio: null }],
  ])("goes on with %s", async (_what, share, config) => {
    await using scripted = await mostlyFailing(share);
    const result = await collect(scripted, 200, { config });
    expect(result.summary).toMatchObject({ failed: 200 * share, missing: 0 });
  });

  test("by default it stops where nothing works", async () => {
    await using scripted = await mostlyFailing(1);
    const result = await collect(scripted, 200);
    expect(result.problem?.code).toBe("NG_ERR_TOO_MANY_FAILURES");
    expect(result.summary.missing).toBeGreaterThan(90);
  });

  test.each([0, -1, 1.5, "x"])("is no %s", (max_failure_ratio) => {
    expect(() => parseCollectParameters({ input_jsonl_fpath: "a", output_jsonl_fpath: "b", max_failure_ratio })).toThrow(
      /max_failure_ratio/,
    );
  });
});

test("a rollout whose model was never called is scored as its server says, and counted", async () => {
  const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "" }] };
  const responses: Foreign = { "0-0": { output: [message] }, "1-0": { output: [] }, "2-0": null, "3-0": { output: [message] } };
  await using scripted = await startScripted({ run: ({ id }) => ({ json: { reward: 0, response: responses[id] } }) });
  expect((await collect(scripted, 4)).summary).toMatchObject({ scored: 4, withoutOutput: 2 });
});
