import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describeGolden } from "@ng-gym/testing";
import { expect } from "vitest";
import { ARCHIVED_NAME, type CollectResult, collectRollouts, parseCollectParameters, type RunSummary } from "../../src/rollouts/index.ts";
import { expand, expectSame, type Foreign, linesText, scratch, writeFiles } from "./recipes.ts";
import { configOf, startScripted } from "./scripted.ts";

/** What the reference's runs of these cases had set: its own defaults where ours differ, and concurrency 1. */
const REFERENCE = { route_failures_to_sidecar: false, num_samples_in_parallel: 1 };
const CODES = new Set(["agent_ref_overridden", "legacy_agent_ref_routing", "unused_num_repeats_entry"]);

interface Ran {
  result: CollectResult | undefined;
  error: unknown;
  warnings: string[];
  requests: string[];
  bodies: Foreign[];
  aggregations: Foreign[];
}

async function run(input: Foreign, folder: string): Promise<Ran> {
  const script = input.script ?? {};
  await using scripted = await startScripted({
    aggregateStatus: script.aggregate_status,
    run: ({ id, body }) => {
      const answer = script[id] ?? script["*"];
      if (answer === undefined) return { json: { reward: 1.0, response: {} } };
      return answer.echo ? { ...answer, json: { ...body, ...answer.json } } : answer;
    },
  });
  writeFiles(folder, { "in.jsonl": linesText(input.lines), ...input.files });
  const warnings: string[] = [];
  let result: CollectResult | undefined;
  let error: unknown;
  try {
    const { parameters } = parseCollectParameters({
      input_jsonl_fpath: "in.jsonl",
      output_jsonl_fpath: "out/r.jsonl",
      ...REFERENCE,
      ...input.config,
    });
    result = await collectRollouts({
      client: scripted.client,
      servers: { config: { ...configOf(input.servers ?? { env: ["a"] }, input.server_type), ...input.global_config } },
      parameters,
      cwd: folder,
      env: {},
      onEvent: (event) => {
        if (event.type === "notice" && CODES.has(event.code)) warnings.push(event.code);
      },
    });
    error = result.problem;
  } catch (thrown) {
    error = thrown;
  }
  return { result, error, warnings, requests: scripted.requests, bodies: scripted.bodies, aggregations: scripted.aggregations };
}

function rowsIn(path: string): Foreign[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** Our additions off, free texts replaced: what is left must be the reference's row. */
function expectRows(ours: Foreign[], wanted: Foreign[]): void {
  const plain = (row: Foreign, other: Foreign): Foreign => {
    const out = { ...row };
    for (const key of ["failure_kind", "_ng_failure_boundary", "_ng_failure_attempts"]) if (!(key in (other ?? {}))) delete out[key];
    if ("_ng_failure_type" in out) Object.assign(out, { _ng_failure_type: "<free>", _ng_failure_message: "<free>" });
    // The scripted server spells JSON without blanks.
    if (typeof out._ng_failure_response_body === "string")
      out._ng_failure_response_body = out._ng_failure_response_body.replaceAll(": ", ":");
    return out;
  };
  expectSame(
    ours.map((row, at) => plain(row, wanted[at])),
    wanted.map((row) => plain(row, row)),
  );
}

function metricsIn(folder: string): Foreign {
  const path = join(folder, "out/r_aggregate_metrics.json");
  if (!existsSync(path)) return null;
  const text = readFileSync(path, "utf8");
  expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
  return JSON.parse(text).map(({ coverage, group_level_metrics, repeat_level_metrics, ...entry }: Foreign) => {
    expect(coverage.expected).toBeGreaterThan(0);
    return { ...entry, groups: group_level_metrics.length, repeats: repeat_level_metrics.length };
  });
}

/** The printed lines of the reference, as numbers, from our summary. */
function coverageOf(summary: RunSummary): Foreign {
  const covered = summary.scored + summary.masked + summary.unscored + summary.imputed;
  const out: Foreign = {};
  if (covered < summary.expected)
    Object.assign(out, { missing: [summary.expected - covered, summary.expected], cover: [covered, summary.expected] });
  if (summary.failures.length > 0 && summary.imputed === 0)
    out.routed = summary.failures.map(({ count, failureClass }) => `${count} ${failureClass}`).join(", ");
  if (summary.run.drained > 0) out.drained = summary.run.drained;
  out.dropped_lines = summary.failed;
  return out;
}

describeGolden("rollouts/collect.jsonl", {
  pending: ({ id }) => (id === "stripping" ? "trajectories from agent observations" : id === "health" ? "the health check" : undefined),
  exceptions: {
    unscored: "decisions.md, failure names: an answer of /run without a reward is <server>:bad_response, never a result",
  },
  check: async ({ input: raw, expected }) => {
    const input = expand(raw);
    const folder = scratch();
    try {
      const ran = await run(input, folder);
      if (expected.reference_bug === true && /refused with a diff/.test(expected.ours)) {
        expect(ran.error).toMatchObject({ code: "NG_ERR_RESUME_MISMATCH" });
        expect(ran.requests).toEqual([]);
        return;
      }
      if (expected.error !== undefined) expect(ran.error, "an error").toBeDefined();
      else expect(ran.error).toBeUndefined();
      if (expected.requests !== "<any>") expect(ran.requests).toEqual(expected.requests);
      if (expected.bodies !== undefined) expectSame(ran.bodies, expected.bodies);
      expectRows(rowsIn(join(folder, "out/r.jsonl")), expected.main);
      expectRows(rowsIn(join(folder, "out/r_failures.jsonl")), expected.failures);
      const aggregations = ran.aggregations.map(({ server, verify_responses }) => ({
        server,
        verify_responses: verify_responses.map(({ _ng_imputed, ...row }: Foreign) => row),
      }));
      expectSame(aggregations, expected.aggregations);
      expectSame(metricsIn(folder), expected.metrics);
      // zero_standard_error is a remark of the metrics, which the scripted server makes here.
      const warnings = (expected.warnings ?? []).filter((code: string) => code !== "zero_standard_error");
      expect(ran.warnings.sort()).toEqual(warnings.sort());
      if (ran.result === undefined) return;
      const files = readdirSync(join(folder, "out")).filter((name) => !name.endsWith("_manifest.json") && !ARCHIVED_NAME.test(name));
      expect(files.map((name) => `out/${name}`).sort()).toEqual(expected.files);
      if (expected.error === undefined) {
        const { counted_failures: _f, counted_missing: _m, imputed: _i, ...numbers } = expected.coverage;
        expect(coverageOf(ran.result.summary)).toEqual(numbers);
      }
      if (typeof expected.returned === "number" && input.config?.retain_results_in_memory !== false) {
        const { summary } = ran.result;
        expect(summary.run.cached + summary.run.dispatched).toBe(expected.returned);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});
