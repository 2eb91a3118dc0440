/** A problem that somebody finds after the load, shown like those of the load: at the place where the value was written. */
import { type ConfigNode, getPath, pathText } from "./node.ts";
import { type Problem, type ProblemInput, Problems } from "./problems.ts";
import type { LoadedConfig } from "./types.ts";

/** `path`: keys and indexes. Where nothing was written there, the place is that of the nearest mapping above. */
export function problemAt(
  config: LoadedConfig,
  path: readonly (string | number)[],
  problem: Omit<ProblemInput, "at" | "key" | "message"> & { message: (key: string) => string },
): Problem {
  let node: ConfigNode | undefined;
  for (let length = path.length; node === undefined && length > 0; length--) node = getPath(config.tree, path.slice(0, length));
  const key = pathText(path);
  const problems = new Problems();
  problems.add({ ...problem, message: problem.message(key), key, at: node?.at });
  return problems.list[0] as Problem;
}
