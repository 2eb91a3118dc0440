/** Names of the files beside a run's output, and which names belong to this toolkit (so that no glob over shards takes them for shards). */
import { basename, dirname, extname, join, resolve } from "node:path";

export interface RunPaths {
  rollouts: string;
  failures: string;
  materialized: string;
  manifest: string;
  /** The file to write; in a summary undefined where it does not exist. */
  metrics: string;
}

/** Endings, after the stem, of every file that is written beside a run. */
const COMPANIONS = [
  "_materialized_inputs.jsonl",
  "_failures.jsonl",
  "_manifest.json",
  "_aggregate_metrics.json",
  "_reward_profiling.jsonl",
  "_agent_metrics.json",
  "_repeat_level_metrics.json",
] as const;

/** `D/S.X` -> `D/S` + ending: the last suffix is replaced. */
export function companionPath(output: string, ending: (typeof COMPANIONS)[number]): string {
  const name = basename(output);
  return join(dirname(output), basename(name, extname(name)) + ending);
}

export function runPaths(output: string): RunPaths {
  return {
    rollouts: output,
    failures: companionPath(output, "_failures.jsonl"),
    materialized: companionPath(output, "_materialized_inputs.jsonl"),
    manifest: companionPath(output, "_manifest.json"),
    metrics: companionPath(output, "_aggregate_metrics.json"),
  };
}

/** One lock for all files of a run, so named after the stem that they share. */
export function lockPath(output: string): string {
  const name = basename(output);
  return join(dirname(output), `${basename(name, extname(name))}.lock`);
}

/** Everything a fresh run would overwrite or mix with, the output first. */
export function archivablePaths(output: string): string[] {
  const folder = dirname(output);
  return [
    output,
    ...COMPANIONS.map((ending) => companionPath(output, ending)),
    join(folder, "quality_summary.json"),
    join(folder, "rollout_verdicts.jsonl"),
  ];
}

/** Absolute, from the folder the command runs in. */
export function absolutePath(path: string, cwd: string): string {
  return resolve(cwd, path);
}
