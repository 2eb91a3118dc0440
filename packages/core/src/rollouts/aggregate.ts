/**
 * `S_aggregate_metrics.json`: one entry an environment server. Where the server adds nothing to the baseline, rows stream from the main file into
 * `metrics`; otherwise they are posted to its `/aggregate_metrics`, stripped of their conversation, ordered by (task, rollout).
 */

import { GymError } from "../errors/index.ts";
import { type Reply, raiseForStatus, reasonOf, type ServerClient } from "../http/index.ts";
import { lineError, readRows } from "../jsonl/index.ts";
import { type AggregateMetrics, coverageOf, createAggregator, stripForMetrics } from "../metrics/index.ts";
import { type Emit, notice } from "./events.ts";
import { createGroups, type Group, type Groups } from "./groups.ts";
import { compareKeys, type RolloutSet, rolloutSet } from "./keys.ts";
import { AGGREGATE_TIMEOUT_MS } from "./limits.ts";
import type { CountedZeros } from "./metric-rows.ts";
import { writePrettyJson } from "./metrics-file.ts";
import type { RunPaths } from "./paths.ts";
import { frontsOf, type Routing } from "./routing.ts";
import { isRecord, keyOf, type RolloutKey, type Row } from "./row.ts";
import type { GroupTally, RunTally } from "./tally.ts";

export interface AggregateOptions {
  paths: Pick<RunPaths, "rollouts" | "metrics">;
  routing: Routing;
  /** Environment servers whose metrics are the baseline. */
  isBaseline: (server: string) => boolean;
  client: ServerClient;
  zeros: CountedZeros;
  tally: RunTally;
  emit: Emit;
  signal: AbortSignal;
}

/** One entry of the file, in the order of its keys. */
interface Entry extends Partial<AggregateMetrics> {
  agent_ref: { name: string };
  _ng_environment_server: string;
  coverage: ReturnType<typeof coverageOf>;
}

interface Collector {
  group: Group;
  server: string;
  add(row: Row): void;
  finish(): Promise<AggregateMetrics>;
}

/**
 * The path of the file, undefined where there is no row to aggregate.
 * @throws GymError NG_ERR_SERVER_NOT_FOUND for a stamp that the configuration does not have; NG_ERR_DATA for a rollout that is there twice; what the call throws
 */
export async function aggregateRun(options: AggregateOptions): Promise<string | undefined> {
  const { routing } = options;
  const groups = createGroups(frontsOf(routing));
  const collectors = await collect(groups, options);
  if (collectors.length === 0) return undefined;
  options.emit({ type: "aggregating", servers: collectors.map((collector) => collector.server) });
  const labels = new Map(groups.labels().map(({ group, label }) => [group, label]));
  const entries: Entry[] = [];
  for (const collector of collectors) {
    const { perf_summary, ...metrics } = await collector.finish();
    entries.push({
      agent_ref: { name: labels.get(collector.group) ?? collector.server },
      _ng_environment_server: collector.server,
      agent_metrics: metrics.agent_metrics,
      key_metrics: metrics.key_metrics,
      group_level_metrics: metrics.group_level_metrics,
      repeat_level_metrics: metrics.repeat_level_metrics,
      ...(perf_summary === null || perf_summary === undefined ? {} : { perf_summary }),
      coverage: coverageFor(collector.server, options),
    });
  }
  await writePrettyJson(options.paths.metrics, entries);
  return options.paths.metrics;
}

/** One pass over the main file feeds every group. */
async function collect(groups: Groups, options: AggregateOptions): Promise<Collector[]> {
  const collectors = new Map<Group, Collector>();
  let unrouted = 0;
  const seen = new Map<Group, RolloutSet>();
  const take = (row: Row, line?: number): void => {
    const group = groups.of(row);
    if (group?.environmentServer === undefined) {
      unrouted++;
      return;
    }
    let collector = collectors.get(group);
    if (collector === undefined) {
      collector = createCollector(group, group.environmentServer, options);
      collectors.set(group, collector);
    }
    if (line !== undefined) refuseTwice(row, { path: options.paths.rollouts, line, seen: setOf(seen, group) });
    collector.add(row);
  };
  for await (const { row, line } of readRows(options.paths.rollouts, { skipBlank: true })) {
    if (row._ng_failure_class === undefined || row._ng_failure_class === null) take(row, line);
  }
  for (const zero of options.zeros.rows) take({ ...zero, _ng_imputed: true });
  if (unrouted > 0)
    notice(
      options.emit,
      "unrouted_rows",
      `${unrouted} results name no environment server and no agent with exactly one; they are in no metric`,
    );
  return [...collectors.values()].sort((a, b) => (a.server < b.server ? -1 : 1));
}

function setOf(sets: Map<Group, RolloutSet>, group: Group): RolloutSet {
  const set = sets.get(group) ?? rolloutSet();
  sets.set(group, set);
  return set;
}

function refuseTwice(row: Row, at: { path: string; line: number; seen: RolloutSet }): void {
  const key = keyOf(row);
  if (key === undefined || at.seen.add(key)) return;
  throw lineError(at.path, at.line, `a second result for task ${JSON.stringify(key.task)}, rollout ${JSON.stringify(key.rollout)}`, {
    hint: "Remove one of the two lines and run again with resume_from_cache=true.",
  });
}

function createCollector(group: Group, server: string, options: AggregateOptions): Collector {
  const known = options.routing.serverNamed(server);
  if (!known.ok)
    throw new GymError("NG_ERR_SERVER_NOT_FOUND", `results are stamped with an unknown server: ${known.problem}`, { details: { server } });
  return options.isBaseline(server) ? baselineCollector(group, server, options) : postCollector(group, server, options);
}

function baselineCollector(group: Group, server: string, { emit }: AggregateOptions): Collector {
  const aggregator = createAggregator();
  return {
    group,
    server,
    add: (row) => aggregator.add(withKey(row)),
    finish: async () => {
      const metrics = aggregator.finish();
      const { leftOut } = aggregator.notes();
      for (const { field, reason, count } of leftOut)
        notice(emit, "metrics_note", `${server}: ${count} values of '${field}' are in no metric (${reason})`);
      return metrics;
    },
  };
}

function postCollector(group: Group, server: string, { client, signal }: AggregateOptions): Collector {
  const rows: Row[] = [];
  return {
    group,
    server,
    add: (row) => {
      rows.push(stripForMetrics(row));
    },
    finish: async () => {
      rows.sort((a, b) => compareKeys(keyOf(withKey(a)) as RolloutKey, keyOf(withKey(b)) as RolloutKey));
      const path = "/aggregate_metrics";
      const reply = await client.call(server, {
        kind: "control",
        path,
        body: { verify_responses: rows },
        signal,
        timeoutMs: AGGREGATE_TIMEOUT_MS,
      });
      const value = accepted(reply, { server, path }).json();
      if (!isRecord(value))
        throw new GymError("NG_ERR_BAD_RESPONSE", `${server} answered ${path} with something else than an object`, { details: { server } });
      return {
        agent_metrics: isRecord(value.agent_metrics) ? value.agent_metrics : {},
        key_metrics: isRecord(value.key_metrics) ? value.key_metrics : {},
        group_level_metrics: listOf(value.group_level_metrics),
        repeat_level_metrics: listOf(value.repeat_level_metrics),
        perf_summary: isRecord(value.perf_summary) ? (value.perf_summary as Record<string, number>) : null,
      };
    },
  };
}

/** A refusal is told by the server that spoke it, which may be one behind `server`: an agent hands rows on. @throws GymError */
function accepted(reply: Reply, { server, path }: { server: string; path: string }): Reply {
  try {
    return raiseForStatus(reply, server, path);
  } catch (error) {
    if (!(error instanceof GymError)) throw error;
    throw new GymError(error.code, reasonOf(error), { details: error.details, cause: error });
  }
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Rows without an index count as 0, as the reference counts them. */
function withKey(row: Row): Row {
  return keyOf(row) === undefined
    ? { ...row, _ng_task_index: row._ng_task_index ?? 0, _ng_rollout_index: row._ng_rollout_index ?? 0 }
    : row;
}

function coverageFor(server: string, options: AggregateOptions): ReturnType<typeof coverageOf> {
  const tally: GroupTally | undefined = options.tally.groups.find(({ group }) => group.environmentServer === server);
  const failed: Record<string, number> = {};
  for (const { failureClass, count } of tally?.failed.values() ?? []) failed[failureClass] = (failed[failureClass] ?? 0) + count;
  const imputed = options.zeros.rows.filter((row) => {
    const resolved = options.routing.serverOfRow(row);
    return resolved.ok && resolved.name === server;
  }).length;
  return coverageOf({ expected: tally?.expected ?? 0, scored: tally?.scored ?? 0, failed, masked: tally?.masked ?? 0, imputed });
}
