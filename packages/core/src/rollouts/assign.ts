/** Who runs a row: the mapping from what a row names to agents, and how often. Pure functions of parameters and row. */
import type { CollectParameters } from "./parameters.ts";
import { agentOf, isRecord, type Row, taskSourceOf } from "./row.ts";

/** A row that a data preparation has already turned into a task: routed by its taskset, sent as an episode. */
export function isTaskRow(row: Row): boolean {
  return isRecord(row.task_id) && Object.hasOwn(row, "task_input");
}

export interface Assignment {
  /** Set on the row where it differs from the row's own agent. Undefined: the row's task source decides. */
  agent: string | undefined;
  /** Keys of a `num_repeats` map that fit, the first that is there wins. */
  repeatKeys: string[];
}

/** What a row resolves to; an empty list where it names nothing and no default helps. */
export function assignAgents(row: Row, parameters: CollectParameters): Assignment[] {
  const own = agentOf(row);
  const source = taskSourceOf(row);
  const map = parameters.agent_map ?? {};
  const entry = (key: string | undefined) => (key !== undefined && key !== "_default" && Object.hasOwn(map, key) ? map[key] : undefined);
  const agent = entry(own) ?? entry(source) ?? map._default ?? parameters.agent_name ?? own;
  const key = agent ?? source;
  if (key === undefined) return [];
  const original = own ?? source;
  const targets = parameters.fan_out !== null && Object.hasOwn(parameters.fan_out, key) ? (parameters.fan_out[key] as string[]) : [agent];
  return targets.map((target) => ({ agent: target, repeatKeys: [target, original].filter((name) => name !== undefined) }));
}

/** Repeats for the first fitting key; undefined where a map has neither a key nor `_default`. Marks all fitting keys as used. */
export function repeatsFor(keys: readonly string[], parameters: CollectParameters, used: Set<string>): number | undefined {
  const repeats = parameters.num_repeats;
  if (typeof repeats === "number") return repeats;
  const fitting = keys.filter((key) => key !== "_default" && Object.hasOwn(repeats, key));
  for (const key of fitting) used.add(key);
  const [first] = fitting;
  return first === undefined ? repeats._default : repeats[first];
}
