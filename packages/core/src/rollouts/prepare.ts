/** Everything before the first request: a fresh plan, or the rest of an earlier run. What is wrong here throws and leaves earlier files as they were. */
import { readRows, repairTail } from "../jsonl/index.ts";
import { archiveRun } from "./archive.ts";
import { attemptCap } from "./attempt-cap.ts";
import { type Emit, notice } from "./events.ts";
import { type Fingerprint, fingerprintOf } from "./fingerprint.ts";
import { findInRoots, type Surroundings } from "./input-file.ts";
import { moveInvalidJudgeRows } from "./invalid-judge.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { requireOtherThanInput } from "./output-place.ts";
import type { CollectParameters } from "./parameters.ts";
import type { RunPaths } from "./paths.ts";
import { legacyRoutingText, planRun } from "./plan.ts";
import { collectProblems } from "./plan-problems.ts";
import { canResume, readResume } from "./resume.ts";
import { compareWithEarlierRun, currentFingerprint, mismatchError } from "./resume-guard.ts";
import type { Routing } from "./routing.ts";
import { agentOf, type Row, taskSourceOf } from "./row.ts";

export interface Prepared {
  rows: AsyncIterable<Row>;
  toRun: number;
  expected: number;
  /** Results that were there before. */
  cached: number;
  resumed: boolean;
  manifest: Manifest;
  /** Differences that a forced resume passed over. */
  forced: string[] | undefined;
  archived: string[];
  droppedTail: { path: string; bytes: number }[];
}

export interface PrepareOptions {
  parameters: CollectParameters;
  paths: RunPaths;
  routing: Routing;
  config: Readonly<Record<string, unknown>>;
  around: Surroundings;
  force: boolean;
  emit: Emit;
}

/** @throws GymError, see planRun, readResume and mismatchError */
export async function prepareRun(options: PrepareOptions): Promise<Prepared> {
  const { parameters, paths, emit } = options;
  if (parameters.resume_from_cache && canResume(paths)) return prepareResume(options);
  if (parameters.resume_from_cache) notice(emit, "not_resumed", `nothing to resume beside ${paths.rollouts}: a fresh run`);
  return prepareFresh(options);
}

async function prepareFresh(options: PrepareOptions): Promise<Prepared> {
  const { parameters, paths, routing, config, emit } = options;
  const input = findInRoots(parameters.input_jsonl_fpath, options.around);
  if (input !== undefined) await requireOtherThanInput(input, paths.rollouts);
  const plan = await planRun({ parameters, routing, target: paths.materialized, around: options.around, emit });
  if (plan.rows === 0) notice(emit, "empty_input", `${parameters.input_jsonl_fpath} gives no rows: there is nothing to run`);
  const archived = await archiveRun(paths.rollouts).catch(async (error) => {
    await plan.discard();
    throw error;
  });
  if (archived.length > 0) notice(emit, "archived", `files of an earlier run were renamed: ${archived.join(", ")}`);
  await plan.commit();
  const manifest: Manifest = {
    version: 1,
    fingerprint: fingerprintOf({ parameters, plan, config, servers: plan.servers }),
    rows: plan.rows,
    rows_digest: plan.rowsDigest,
    runs: [],
  };
  return {
    rows: rowsOf(paths.materialized),
    toRun: plan.rows,
    expected: plan.rows,
    cached: 0,
    resumed: false,
    manifest,
    forced: undefined,
    archived,
    droppedTail: [],
  };
}

async function* rowsOf(path: string): AsyncGenerator<Row> {
  for await (const { row } of readRows(path)) yield row;
}

async function prepareResume(options: PrepareOptions): Promise<Prepared> {
  const { parameters, paths, routing, config, emit, around } = options;
  const droppedTail = await repairTails(paths, emit);
  const earlier = await readManifest(paths.manifest);
  const found = await compareWithEarlierRun({ parameters, routing, around, manifest: earlier, config, materialized: paths.materialized });
  if (found.inputNotCompared)
    notice(emit, "input_not_compared", `the input could not be compared with ${paths.materialized}; its rows are what runs`);
  if (found.differences.length > 0) {
    if (!options.force) throw mismatchError(paths.rollouts, found.differences);
    notice(emit, "forced_resume", `resumed by force although settings differ: ${found.differences.join("; ")}`);
  }
  if (parameters.retry_invalid_judge_responses) {
    const moved = await moveInvalidJudgeRows(paths, around.cwd);
    if (moved > 0)
      notice(emit, "judge_rows_moved", `${moved} results with an invalid judge answer were moved to ${paths.failures} and run again`);
  }
  const { cap, ignored } = attemptCap(around.env.NEMO_GYM_MAX_ROLLOUT_ATTEMPTS);
  if (ignored) notice(emit, "attempt_cap_ignored", `NEMO_GYM_MAX_ROLLOUT_ATTEMPTS is no number of 1 or more; ${cap} is used`);
  const state = await readResume({
    paths,
    cap,
    retryTerminalTimeouts: parameters.retry_terminal_timeouts,
    longestFirst: parameters.dispatch_longest_first,
  });
  const { counts } = state;
  notice(
    emit,
    "resume_counts",
    `resuming: ${counts.original} rollouts, ${counts.done} done, ${counts.priorAttempts} failed attempts at ${counts.failedRollouts} rollouts, ` +
      `${counts.terminal} failed for good, ${counts.maxed} out of attempts (${cap}), ${counts.toRun} to run`,
  );
  const servers = await checkRows(state.rows(), options);
  const manifest: Manifest = earlier ?? {
    version: 1,
    // The reference left no fingerprint: from here on this run has one.
    fingerprint: await takenOver(found.inputNotCompared, currentFingerprint({ parameters, around, config, servers })),
    rows: counts.original,
    rows_digest: "",
    runs: [],
  };
  const forced = found.differences.length > 0 ? found.differences : undefined;
  return {
    rows: state.rows(),
    toRun: counts.toRun,
    expected: counts.original,
    cached: counts.done,
    resumed: true,
    manifest,
    forced,
    archived: [],
    droppedTail,
  };
}

/** An input that was not compared must not be what later resumes are held against. */
async function takenOver(inputNotCompared: boolean, fingerprint: Promise<Fingerprint>): Promise<Fingerprint> {
  return inputNotCompared ? { ...(await fingerprint), input: null } : fingerprint;
}

async function repairTails(paths: RunPaths, emit: Emit): Promise<Prepared["droppedTail"]> {
  const dropped: Prepared["droppedTail"] = [];
  for (const path of [paths.rollouts, paths.failures, paths.materialized]) {
    const bytes = await repairTail(path);
    if (bytes === undefined || bytes === 0) continue;
    dropped.push({ path, bytes });
    notice(emit, "torn_line_dropped", `${path} ended in a torn line; ${bytes} bytes were dropped`);
  }
  return dropped;
}

/** Names are checked before anything is sent, as in a fresh run. Gives the environment servers. */
async function checkRows(rows: AsyncIterable<Row>, { routing, paths, parameters, emit }: PrepareOptions): Promise<Set<string>> {
  const problems = collectProblems();
  const servers = new Set<string>();
  let number = 0;
  let legacyRows = 0;
  for await (const row of rows) {
    number++;
    const server = routing.serverOfRow(row);
    if (server.ok) servers.add(server.name);
    else problems.add(number, server.problem);
    if (parameters.environment_routing_mode === "agent" && agentOf(row) !== undefined && taskSourceOf(row) === undefined) legacyRows++;
  }
  problems.throwIfAny(paths.materialized);
  if (legacyRows > 0) notice(emit, "legacy_agent_ref_routing", legacyRoutingText(legacyRows));
  return servers;
}
