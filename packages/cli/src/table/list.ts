/** Commands about what can be run. */
import { commands } from "../commands/index.ts";
import type { CommandSpec } from "../contract/index.ts";
import { json, searchDir } from "./options.ts";

export const listBenchmarks: CommandSpec = {
  name: "list-benchmarks",
  path: ["list", "benchmarks"],
  preset: ["+catalog_kind=benchmark"],
  summary: "list the benchmarks, or show one",
  example: "ng-list-benchmarks",
  options: [json, searchDir],
  positional: { name: "name", help: "name of a benchmark", key: "component_name" },
  load: commands.listBenchmarks,
};
