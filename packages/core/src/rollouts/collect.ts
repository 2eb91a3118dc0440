/** The front door: one collection from parameters to summary. See README.md. */
import { resolve } from "node:path";
import type { ServerClient } from "../http/index.ts";
import { GymError, isGymError } from "../protocol/index.ts";
import { aggregateRun } from "./aggregate.ts";
import { type Budget, createLatencies, type Latencies } from "./budget.ts";
import { dispatch } from "./dispatch.ts";
import type { CollectEvent, Emit } from "./events.ts";
import { openJournal } from "./journal.ts";
import { RESIDENT_ROLLOUTS_LIMIT } from "./limits.ts";
import { type Manifest, type RunRecord, writeManifest } from "./manifest.ts";
import { type CountedZeros, countedZeros } from "./metric-rows.ts";
import type { CollectParameters } from "./parameters.ts";
import { absolutePath, type RunPaths, runPaths } from "./paths.ts";
import { type Prepared, prepareRun } from "./prepare.ts";
import { createProgress, type Progress } from "./progress.ts";
import { buildRouting, type EnvironmentServer, frontsOf, type Routing } from "./routing.ts";
import type { Row } from "./row.ts";
import { type RunSummary, summaryOf } from "./summary.ts";
import { tallyRun } from "./tally.ts";

export interface RunServers {
  /** The head's configuration: instance name -> `{ <type>: { <implementation>: block } }`, relays included. */
  config: Readonly<Record<string, unknown>>;
  /** Facts of the head about instances. An environment server marked "baseline" has no metric hooks behind it; unmarked ones are asked. */
  instances?: readonly { name: string; aggregation?: "baseline" | "post" }[];
}

export interface CollectOptions {
  client: ServerClient;
  servers: RunServers;
  parameters: CollectParameters;
  /** Resume although fingerprints differ. */
  force?: boolean;
  /** Incomplete coverage is exit code 1. */
  strict?: boolean;
  /** Stops the run: nothing new starts, what is in flight is cancelled, files and summary are completed. */
  signal?: AbortSignal;
  onEvent?: (event: CollectEvent) => void;
  /** Where relative paths start; default the working directory. */
  cwd?: string;
  /** NEMO_GYM_EXTRA_ROOTS and NEMO_GYM_MAX_ROLLOUT_ATTEMPTS are read; default the process environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds, monotonic. */
  now?: () => number;
}

export interface CollectResult {
  exitCode: 0 | 1 | 130;
  /** Why the exit code is not 0. */
  problem?: GymError;
  summary: RunSummary;
}

interface Run {
  options: CollectOptions;
  paths: RunPaths;
  routing: Routing;
  prepared: Prepared;
  progress: Progress;
  latencies: Latencies;
  emit: Emit;
  signal: AbortSignal;
}

/** @throws GymError for what is wrong before the first request: parameters, input, names, files, a resume that does not fit */
export async function collectRollouts(options: CollectOptions): Promise<CollectResult> {
  const { parameters } = options;
  const cwd = resolve(options.cwd ?? process.cwd());
  const env = options.env ?? process.env;
  const emit: Emit = options.onEvent ?? (() => undefined);
  const now = options.now ?? (() => performance.now());
  const signal = options.signal ?? new AbortController().signal;
  const paths = runPaths(absolutePath(parameters.output_jsonl_fpath, cwd));
  const routing = buildRouting(options.servers.config);
  const prepared = await prepareRun({
    parameters,
    paths,
    routing,
    config: options.servers.config,
    around: { cwd, env },
    force: options.force === true,
    emit,
  });
  const { expected, toRun, cached, resumed } = prepared;
  emit({ type: "planned", expected, toRun, cached, resumed, paths });
  const progress = createProgress({ total: toRun, emit, now });
  const run: Run = { options, paths, routing, prepared, progress, latencies: createLatencies(), emit, signal };

  const record: RunRecord = { started: new Date().toISOString(), finished: null, dispatched: toRun, cached };
  if (prepared.forced !== undefined) record.forced = prepared.forced;
  prepared.manifest.runs.push(record);
  await writeManifest(paths.manifest, prepared.manifest);

  const began = now();
  let problem = await attempt(() => dispatchAll(run, now));
  progress.finish();
  const elapsedS = (now() - began) / 1000;
  let zeros: CountedZeros = { rows: [], failures: 0, missing: 0 };
  const metricsProblem = await attempt(async () => {
    zeros = await countedZeros({
      paths,
      classes: parameters.count_failure_classes_as_zero,
      missing: parameters.count_missing_rollouts_as_zero,
      emit,
    });
    if (!parameters.disable_aggregation && !signal.aborted && problem === undefined) await aggregate(run, zeros);
  });
  problem ??= metricsProblem;
  Object.assign(record, finalRecord(run));
  problem ??= await attempt(() => writeManifest(paths.manifest, prepared.manifest));
  const summary = await summarize(run, {
    elapsedS,
    imputed: parameters.disable_aggregation ? 0 : zeros.rows.length,
    manifest: prepared.manifest,
  });
  const result = resultOf(run, { problem, summary, counted: zeros.rows.length });
  emit({ type: "finished", result });
  return result;
}

/** Runs a step after which files exist: what it throws becomes part of the result. Mistakes of ours stay exceptions. */
async function attempt(step: () => Promise<void>): Promise<GymError | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    if (isGymError(error)) return error;
    throw error;
  }
}

async function dispatchAll(run: Run, now: () => number): Promise<void> {
  const { parameters } = run.options;
  const journal = await openJournal(run.paths);
  try {
    await dispatch({
      rows: run.prepared.rows,
      client: run.options.client,
      serverOf: (row) => serverOf(run.routing, row),
      slots: Math.min(
        parameters.num_samples_in_parallel ?? RESIDENT_ROLLOUTS_LIMIT,
        parameters.max_resident_rollout_tasks ?? RESIDENT_ROLLOUTS_LIMIT,
      ),
      signal: run.signal,
      now,
      budget: budgetOf(parameters),
      latencies: run.latencies,
      onFlights: run.progress.watch,
      settle: async (outcome, row) => {
        if (outcome.kind === "failed" && outcome.cause !== undefined && !parameters.route_failures_to_sidecar)
          throw endingError(outcome.cause.message, row);
        await journal.write(outcome);
        run.progress.take(outcome, row);
      },
    });
  } finally {
    await journal.close();
  }
}

function budgetOf(parameters: CollectParameters): Budget | undefined {
  return parameters.dispatch_budget_s === null ? undefined : { budgetS: parameters.dispatch_budget_s, marginS: parameters.drain_margin_s };
}

function serverOf(routing: Routing, row: Row): EnvironmentServer {
  const resolved = routing.serverOfRow(row);
  const server = resolved.ok ? routing.environmentServers.get(resolved.name) : undefined;
  if (server === undefined) throw new Error("a row without a server was dispatched");
  return server;
}

function endingError(message: string, row: Row): GymError {
  return new GymError(
    "NG_ERR_UPSTREAM_STATUS",
    `rollout ${String(row._ng_task_index)}-${String(row._ng_rollout_index)} failed and route_failures_to_sidecar is off: ${message}`,
    {
      hint: "With route_failures_to_sidecar=true failed rows go to the sidecar and the run goes on.",
    },
  );
}

async function aggregate(run: Run, zeros: CountedZeros): Promise<void> {
  const { paths, routing, options } = run;
  const marks = new Map(options.servers.instances?.map((instance) => [instance.name, instance.aggregation]));
  await aggregateRun({
    paths,
    routing,
    isBaseline: (server) => marks.get(server) === "baseline",
    client: options.client,
    zeros,
    tally: await tallyRun({ paths, fronts: frontsOf(routing) }),
    emit: run.emit,
    signal: run.signal,
  });
}

function finalRecord(run: Run): Partial<RunRecord> {
  const { latencies } = run;
  const at = (q: number) => latencies.quantile(q) ?? 0;
  return {
    finished: new Date().toISOString(),
    interrupted: run.signal.aborted || undefined,
    latency: latencies.count === 0 ? undefined : { count: latencies.count, median: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) },
  };
}

async function summarize(run: Run, context: { elapsedS: number; imputed: number; manifest: Manifest }): Promise<RunSummary> {
  const { paths, prepared, progress } = run;
  const { counts } = progress;
  const tally = await tallyRun({ paths, fronts: frontsOf(run.routing) });
  return summaryOf(tally, {
    paths,
    manifest: context.manifest,
    facts: {
      run: {
        dispatched: prepared.toRun,
        cached: prepared.cached,
        drained: counts.drained,
        unresolved: counts.unresolved,
        elapsedS: context.elapsedS,
        interrupted: run.signal.aborted,
      },
      archived: prepared.archived,
      droppedTail: prepared.droppedTail,
      imputed: context.imputed,
    },
  });
}

function resultOf(run: Run, found: { problem: GymError | undefined; summary: RunSummary; counted: number }): CollectResult {
  const { summary } = found;
  const { parameters } = run.options;
  if (run.signal.aborted) {
    const problem = new GymError("NG_ERR_CANCELLED", `interrupted: ${summary.scored} of ${summary.expected} rollouts are scored`, {
      hint: "Run the same command with resume_from_cache=true to go on.",
    });
    return { exitCode: 130, problem, summary };
  }
  const persisted = summary.scored + summary.masked + summary.unscored;
  const problem =
    found.problem ??
    (run.prepared.toRun > 0 && persisted === 0 && found.counted === 0 ? nothingScored(run, summary) : undefined) ??
    (parameters.require_complete && persisted < summary.expected ? incomplete(persisted, summary, "require_complete is set") : undefined) ??
    (run.options.strict === true && summary.coverage < 1 ? incomplete(summary.scored, summary, "--strict is set") : undefined);
  return problem === undefined ? { exitCode: 0, summary } : { exitCode: 1, problem, summary };
}

function nothingScored(run: Run, summary: RunSummary): GymError {
  const classes = summary.failures
    .map(({ failureClass, failureKind, count }) => `${count} ${failureClass}${failureKind === undefined ? "" : ` (${failureKind})`}`)
    .join(", ");
  const drained = summary.run.drained > 0 ? `; ${summary.run.drained} were never started because the dispatch budget was spent` : "";
  return new GymError(
    "NG_ERR_NOTHING_SCORED",
    `none of ${run.prepared.toRun} dispatched rollouts has a result${classes === "" ? "" : `: ${classes}`}${drained}`,
    {
      hint: `Look at ${run.paths.failures}.`,
      details: { failures: summary.failures },
    },
  );
}

function incomplete(have: number, summary: RunSummary, why: string): GymError {
  return new GymError("NG_ERR_INCOMPLETE", `${have} of ${summary.expected} rollouts have a result and ${why}`, {
    hint: "Run the same command with resume_from_cache=true: failed and missing rollouts run again.",
  });
}
