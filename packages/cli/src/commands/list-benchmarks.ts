/** `ng-list-benchmarks`: the benchmarks in the search roots. */
import { searchRoots, suggest } from "@ng-gym/core/config";
import { GymError } from "@ng-gym/core/errors";
import type { CommandModule } from "../contract/index.ts";
import { benchmarksText, benchmarkText } from "../reporters/index.ts";
import { type Benchmark, type BenchmarkFile, findBenchmarks } from "./find-benchmarks.ts";
import { loadSettings } from "./settings.ts";

interface BenchmarkReport {
  /** Set where one was asked for. */
  one?: BenchmarkFile;
  all: BenchmarkFile[];
  notices: string[];
}

export const listBenchmarksCommand: CommandModule<BenchmarkReport> = {
  async execute(input) {
    const config = await loadSettings(input, { noModel: true });
    const notices: string[] = [];
    const all = findBenchmarks(searchRoots(input), notices);
    const name = config.get<unknown>("component_name");
    if (name === undefined || name === null) return { all, notices };
    const one = all.find((benchmark) => benchmark.name === String(name));
    if (one !== undefined) return { one, all, notices };
    const [near] = suggest(
      String(name),
      all.map((benchmark) => benchmark.name),
      1,
    );
    throw new GymError("NG_ERR_CONFIG_NOT_FOUND", `there is no benchmark ${JSON.stringify(name)}`, {
      hint: near === undefined ? "`ng-list-benchmarks` lists all." : `Did you mean ${near}?`,
    });
  },
  notices: (result) => result.notices,
  text: ({ one, all }) => (one === undefined ? benchmarksText(all) : benchmarkText(one)),
  json: ({ one, all }) =>
    one === undefined
      ? all.map(withoutPath)
      : {
          name: one.name,
          type: "benchmark",
          domain: one.domain,
          description: one.description,
          details: { path: one.path },
          usage_example: `ng-run --benchmark ${one.name}`,
        },
};

function withoutPath({ path: _path, ...benchmark }: BenchmarkFile): Benchmark {
  return benchmark;
}
