/** `perf_summary`: tokens, turns and latency over the rows that carry a map `ng_perf` (masked rows included). */
import { mean, populationStd, quantileOfSorted, sortedNumbers, sum } from "./describe.ts";
import type { PerfSummary, Row } from "./types.ts";

const TOKEN_FIELDS = ["prompt_tokens", "cached_prompt_tokens", "completion_tokens", "reasoning_tokens"] as const;
const TURNS = "num_turns";
const LATENCY = "total_latency_ms";
const COVERAGE = "token_observability_coverage";

export interface PerfAccumulator {
  /** Takes one `ng_perf`; booleans, text, null and numbers that are not finite count as absent. */
  add: (record: Row) => void;
  /** Null without a record or without rollouts. `totalRollouts`: all rows, with and without `ng_perf`. */
  summary: (totalRollouts: number) => PerfSummary | null;
}

export function createPerfAccumulator(): PerfAccumulator {
  const fields = new Map<string, number[]>([...TOKEN_FIELDS, TURNS, LATENCY].map((name) => [name, []]));
  const tokensPerTurn: number[] = [];
  let records = 0;
  let covered = 0;
  return {
    add: (record) => {
      records++;
      for (const [name, values] of fields) {
        const value = number(record[name]);
        if (value !== undefined) values.push(value);
      }
      if ((number(record[COVERAGE]) ?? 0) > 0) covered++;
      const turns = number(record[TURNS]) ?? 0;
      const tokens = number(record.completion_tokens);
      if (turns > 0 && tokens !== undefined) tokensPerTurn.push(tokens / turns);
    },
    summary: (totalRollouts) => {
      if (records === 0 || totalRollouts === 0) return null;
      return finiteOnly({
        overall_observability_coverage: records / totalRollouts,
        token_observability_coverage: covered / totalRollouts,
        ...Object.assign({}, ...TOKEN_FIELDS.map((name) => tokenSummary(name, fields.get(name) ?? []))),
        ...turnSummary(fields.get(TURNS) ?? []),
        ...centre("tokens_per_turn", tokensPerTurn),
        ...latencySummary(fields.get(LATENCY) ?? []),
      });
    },
  };
}

export function computePerfSummary(records: Iterable<Row>, totalRollouts: number): PerfSummary | null {
  const accumulator = createPerfAccumulator();
  for (const record of records) accumulator.add(record);
  return accumulator.summary(totalRollouts);
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function centre(name: string, values: number[]): PerfSummary {
  if (values.length === 0) return {};
  return { [`mean_${name}`]: mean(values), [`median_${name}`]: quantileOfSorted(sortedNumbers(values), 0.5) };
}

function tokenSummary(name: string, values: number[]): PerfSummary {
  return values.length === 0 ? {} : { ...centre(name, values), [`total_${name}`]: sum(values) };
}

function turnSummary(values: number[]): PerfSummary {
  if (values.length === 0) return {};
  const sorted = sortedNumbers(values);
  return {
    ...centre(TURNS, values),
    std_num_turns: populationStd(values),
    min_num_turns: sorted[0] as number,
    p90_num_turns: quantileOfSorted(sorted, 0.9),
    max_num_turns: sorted[sorted.length - 1] as number,
  };
}

function latencySummary(values: number[]): PerfSummary {
  if (values.length === 0) return {};
  const sorted = sortedNumbers(values);
  return {
    total_latency_p50_ms: quantileOfSorted(sorted, 0.5),
    total_latency_p90_ms: quantileOfSorted(sorted, 0.9),
    total_latency_p99_ms: quantileOfSorted(sorted, 0.99),
    total_latency_mean_ms: mean(values),
  };
}

function finiteOnly(summary: PerfSummary): PerfSummary {
  return Object.fromEntries(Object.entries(summary).filter(([, value]) => Number.isFinite(value)));
}
