/** Top-level settings that every finished configuration has, and the checks of those with a form. */
import { join, resolve } from "node:path";
import { type ConfigNode, get, isNull, isText, list, type MapNode, scalar, text, withEntry, withPath } from "./node.ts";
import type { Problems } from "./problems.ts";
import { pythonRepr } from "./python-text.ts";
import { PYTHON_VERSION } from "./resolvers.ts";
import { type Block, blockPath } from "./server-types.ts";
import { madeUp } from "./source.ts";
import { topLevelKeys } from "./top-level-table.ts";

export interface DefaultOptions {
  cwd: string;
  env: Record<string, string | undefined>;
  problems: Problems;
}

const at = madeUp("default", "default");
const int = (value: number): ConfigNode => scalar("int", value, at);

const WRITTEN_DEFAULTS: [key: string, value: ConfigNode][] = topLevelKeys()
  .filter(([, key]) => key.written === true)
  .map(([name, key]) => [name, typeof key.default === "boolean" ? scalar("bool", key.default, at) : int(Number(key.default))]);

export function addDefaults(root: MapNode, options: DefaultOptions): MapNode {
  checkSkew(root, options.problems);
  let result = root;
  for (const [key, value] of WRITTEN_DEFAULTS) result = withDefault(result, key, value);
  // Read by Python servers' launchers only; always overwritten, as the reference does.
  result = withEntry(result, "head_server_deps", list([], at));
  result = withEntry(result, "python_version", text(PYTHON_VERSION, at));
  result = withFolder(result, "results_dir", options);
  result = withFolder(result, "cache_dir", options);
  const cache = get(result, "cache_dir");
  result = withDefault(result, "uv_cache_dir", text(join(isText(cache) ? cache.value : "", "uv"), at));
  result = withDefault(result, "uv_lock_timeout_seconds", int(lockTimeout(options.env)));
  return withDefault(result, "uv_venv_dir", text(options.cwd, at));
}

/** Copies top-level `skip_verification` and `skip_verification_reward` into agents that do not set their own. */
export function addSkipVerification(root: MapNode, agents: readonly Block[]): MapNode {
  let result = root;
  for (const key of ["skip_verification", "skip_verification_reward"]) {
    const value = get(root, key);
    if (value === undefined || isNull(value)) continue;
    for (const agent of agents) if (get(agent.fields, key) === undefined) result = withPath(result, [...blockPath(agent), key], value);
  }
  return result;
}

function withDefault(root: MapNode, key: string, value: ConfigNode): MapNode {
  return get(root, key) === undefined ? withEntry(root, key, value) : root;
}

function checkSkew(root: MapNode, problems: Problems): void {
  const skew = get(root, "allow_openai_version_skew");
  if (skew === undefined || (skew.kind === "scalar" && skew.type === "bool")) return;
  problems.add({
    message: "'allow_openai_version_skew' must be a boolean (true or false, unquoted).",
    key: "allow_openai_version_skew",
    at: skew.at,
    got: pythonRepr(skew),
  });
}

function withFolder(root: MapNode, key: "results_dir" | "cache_dir", { cwd, env, problems }: DefaultOptions): MapNode {
  const written = get(root, key);
  if (written === undefined) return withEntry(root, key, text(join(cwd, key === "results_dir" ? "results" : "cache"), at));
  if (!isText(written) || written.value === "") {
    problems.add({ message: `'${key}' must be a non-empty path.`, key, at: written.at, expected: "a text", got: pythonRepr(written) });
    return root;
  }
  if (written.value.includes("${")) return root;
  const expanded = written.value === "~" || written.value.startsWith("~/") ? join(env.HOME ?? "~", written.value.slice(1)) : written.value;
  return withEntry(root, key, { ...written, value: resolve(cwd, expanded) });
}

function lockTimeout(env: Record<string, string | undefined>): number {
  const given = env.UV_LOCK_TIMEOUT?.trim() ?? "";
  return /^\d+$/.test(given) ? Number(given) : 1800;
}
