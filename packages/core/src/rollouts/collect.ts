/** The front door: one collection from parameters to summary. See README.md. */
import { resolve } from "node:path";
import { ERROR_CODES, type ErrorCode, GymError, isGymError } from "../errors/index.ts";
import type { ServerClient } from "../http/index.ts";
import { aggregateRun } from "./aggregate.ts";
import { type Budget, createLatencies, type Latencies } from "./budget.ts";
import { dispatch } from "./dispatch.ts";
import type { CollectEvent, Emit } from "./events.ts";
import { createFailureRatio } from "./failure-ratio.ts";
import type { FailureCause } from "./failure-row.ts";
import { openJournal } from "./journal.ts";
import { RESIDENT_ROLLOUTS_LIMIT } from "./limits.ts";
import { type RunRecord, writeManifest } from "./manifest.ts";
import { type CountedZeros, countedZeros } from "./metric-rows.ts";
import { lockOutput } from "./output-lock.ts";
import { requireFiles } from "./output-place.ts";
import type { CollectParameters } from "./parameters.ts";
import { absolutePath, type RunPaths, runPaths } from "./paths.ts";
import { type Prepared, prepareRun } from "./prepare.ts";
import { createProgress, type Progress } from "./progress.ts";
import { type CollectResult, resultOf } from "./result.ts";
import { buildRouting, type EnvironmentServer, frontsOf, type Routing } from "./routing.ts";
import type { Row } from "./row.ts";
import { type AskRun, createRunWatch } from "./run-watch.ts";
import { type RunSummary, summaryOf } from "./summary.ts";
import { type RunTally, tallyRun } from "./tally.ts";

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
  /** Asked when calls break as if the servers were gone: why the run is over, or undefined. Absent: every such row is a failed one. */
  askRun?: AskRun;
  /** Where relative paths start; default the working directory. */
  cwd?: string;
  /** NEMO_GYM_EXTRA_ROOTS and NEMO_GYM_MAX_ROLLOUT_ATTEMPTS are read; default the process environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds, monotonic. */
  now?: () => number;
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

/** @throws GymError for what is wrong before the first request: parameters, input, names, files, a resume that does not fit, a locked output */
export async function collectRollouts(options: CollectOptions): Promise<CollectResult> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const paths = runPaths(absolutePath(options.parameters.output_jsonl_fpath, cwd));
  await requireFiles(paths.rollouts);
  const lock = await lockOutput(paths.rollouts);
  try {
    return await collectLocked(options, { cwd, paths });
  } finally {
    lock.release();
  }
}

async function collectLocked(options: CollectOptions, { cwd, paths }: { cwd: string; paths: RunPaths }): Promise<CollectResult> {
  const { parameters } = options;
  const env = options.env ?? process.env;
  const emit: Emit = options.onEvent ?? (() => undefined);
  const now = options.now ?? (() => performance.now());
  const signal = options.signal ?? new AbortController().signal;
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
  // One reading of the files serves metrics and summary: nothing is written to them any more.
  const tally = await tallyRun({ paths, fronts: frontsOf(routing) });
  let zeros: CountedZeros = { rows: [], failures: 0, missing: 0 };
  const metricsProblem = await attempt(async () => {
    zeros = await countedZeros({
      paths,
      classes: parameters.count_failure_classes_as_zero,
      missing: parameters.count_missing_rollouts_as_zero,
      emit,
    });
    if (!parameters.disable_aggregation && !signal.aborted && problem === undefined) await aggregate(run, { zeros, tally });
  });
  problem ??= metricsProblem;
  Object.assign(record, finalRecord(run));
  problem ??= await attempt(() => writeManifest(paths.manifest, prepared.manifest));
  const imputed = parameters.disable_aggregation ? 0 : zeros.rows.length;
  const summary = summarize(run, { tally, elapsedS, imputed });
  const result = resultOf(summary, {
    problem,
    parameters,
    strict: options.strict === true,
    interrupted: signal.aborted,
    dispatched: toRun,
    counted: zeros.rows.length,
  });
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
  const { askRun } = run.options;
  const tooManyFailures = createFailureRatio(parameters.max_failure_ratio);
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
      runWatch: askRun && createRunWatch(askRun, { signal: run.signal, now }),
      settle: async (outcome, row) => {
        if (outcome.kind === "failed" && outcome.cause !== undefined && !parameters.route_failures_to_sidecar)
          throw endingError(outcome.cause, row);
        await journal.write(outcome);
        run.progress.take(outcome, row);
        const over = tooManyFailures(outcome);
        if (over !== undefined) throw over;
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

function endingError(cause: FailureCause, row: Row): GymError {
  return new GymError(
    Object.hasOwn(ERROR_CODES, cause.type) ? (cause.type as ErrorCode) : "NG_ERR_UPSTREAM_STATUS",
    `rollout ${String(row._ng_task_index)}-${String(row._ng_rollout_index)} failed and route_failures_to_sidecar is off: ${cause.message}`,
    {
      hint: "With route_failures_to_sidecar=true failed rows go to the sidecar and the run goes on.",
      details: { failure_kind: cause.kind, boundary: cause.boundary, attempts: cause.attempts, status: cause.status },
    },
  );
}

async function aggregate(run: Run, of: { zeros: CountedZeros; tally: RunTally }): Promise<void> {
  const marks = new Map(run.options.servers.instances?.map((instance) => [instance.name, instance.aggregation]));
  try {
    await aggregateRun({
      ...of,
      paths: run.paths,
      routing: run.routing,
      isBaseline: (server) => marks.get(server) === "baseline",
      client: run.options.client,
      emit: run.emit,
      signal: run.signal,
    });
  } catch (error) {
    if (!isGymError(error) || error.code === "NG_ERR_DATA") throw error;
    throw new GymError(error.code, `the results are written, but their metrics could not be computed: ${error.message}`, {
      hint: "Once the servers answer, run the same command with resume_from_cache=true.",
      cause: error,
      details: error.details,
    });
  }
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

function summarize(run: Run, of: { tally: RunTally; elapsedS: number; imputed: number }): RunSummary {
  const { paths, prepared } = run;
  const { done, drained, unresolved } = run.progress.counts;
  const { cached, archived, droppedTail, manifest } = prepared;
  const record = { dispatched: done + unresolved, cached, drained, unresolved, elapsedS: of.elapsedS, interrupted: run.signal.aborted };
  return summaryOf(of.tally, { paths, manifest, facts: { run: record, archived, droppedTail, imputed: of.imputed } });
}
