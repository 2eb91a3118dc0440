/** Benchmarks as a table, and one of them in full. */
import { columns } from "./format.ts";

interface Shown {
  name: string;
  domain: string | null;
  description: string;
  path: string;
}

export function benchmarksText(benchmarks: readonly Shown[]): string {
  if (benchmarks.length === 0) return "There are no benchmarks in the search roots (benchmarks/<name>/config.yaml).\n";
  return columns([["name", "domain", "description"], ...benchmarks.map((one) => [one.name, one.domain ?? "-", one.description])]);
}

export function benchmarkText(one: Shown): string {
  return `${one.name}\n  domain       ${one.domain ?? "-"}\n  description  ${one.description || "-"}\n  file         ${one.path}\n\nRun it:\n  ng-run --benchmark ${one.name}\n`;
}
