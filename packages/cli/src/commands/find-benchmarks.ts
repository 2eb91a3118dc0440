/** Which files below `benchmarks/` of the search roots are benchmarks, and what they say about themselves. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseConfigYaml } from "@ng-gym/core/config";
import { messageOf } from "@ng-gym/core/errors";

/** A benchmark as the reference's JSON has it; what only a manifest knows is null. */
export interface Benchmark {
  name: string;
  kind: "benchmark";
  domain: string | null;
  description: string;
  version: string | null;
  integration_profile: string | null;
  modality: string | null;
  licensing: string | null;
  lifecycle: string | null;
}

export interface BenchmarkFile extends Benchmark {
  path: string;
}

type Tree = Record<string, unknown>;

/** One of each name, the first root wins. A file that cannot be read is skipped with a notice. */
export function findBenchmarks(roots: readonly string[], notices: string[]): BenchmarkFile[] {
  const found = new Map<string, BenchmarkFile>();
  for (const folder of roots.map((root) => join(root, "benchmarks")).filter((path) => existsSync(path))) {
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".yaml"))
      .sort()) {
      const name = nameOf(file);
      if (found.has(name)) continue;
      try {
        const benchmark = readBenchmark(name, join(folder, file));
        if (benchmark !== undefined) found.set(name, benchmark);
      } catch (error) {
        notices.push(`skipped ${join(folder, file)}: ${messageOf(error)}`);
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The path below `benchmarks/` without its ending; `x/config` is called `x`. */
function nameOf(file: string): string {
  const name = file.slice(0, -".yaml".length);
  return basename(name) === "config" && name.split("/").length === 2 ? dirname(name) : name;
}

/** A file is a benchmark when it declares exactly one data set of that type. */
function readBenchmark(name: string, path: string): BenchmarkFile | undefined {
  const tree = parseConfigYaml(readFileSync(path, "utf8"), path);
  const blocks = isTree(tree)
    ? Object.values(tree)
        .filter(isTree)
        .flatMap((type) => Object.values(type).filter(isTree))
        .flatMap((implementation) => Object.values(implementation).filter(isTree))
    : [];
  const datasets = blocks
    .flatMap((block) => (Array.isArray(block.datasets) ? block.datasets : []))
    .filter((dataset) => isTree(dataset) && dataset.type === "benchmark");
  if (datasets.length !== 1) return undefined;
  const text = (key: string): string | null =>
    (blocks.map((block) => block[key]).find((value) => typeof value === "string") as string | undefined) ?? null;
  const unknown = { version: null, integration_profile: null, modality: null, licensing: null, lifecycle: null };
  return { name, kind: "benchmark", domain: text("domain"), description: text("description") ?? "", ...unknown, path };
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
