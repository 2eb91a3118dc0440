/**
 * Names that stand for configuration files: `--benchmark alpha` is `benchmarks/alpha/config.yaml` in the first search root that has it.
 * A name may go on with a flavor: `--resources-server mcqa/hard` is `resources_servers/mcqa/configs/hard.yaml`.
 */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SelectorKind } from "../contract/index.ts";
import { currentEnvironmentName } from "./compat-environment-names.ts";
import { didYouMean, UsageProblem } from "./usage-problem.ts";

type Named = Exclude<SelectorKind, "config">;

const FOLDERS: Record<Named, string> = {
  benchmark: "benchmarks",
  environment: "environments",
  "resources-server": "resources_servers",
  "model-type": "responses_api_models",
  "agent-type": "responses_api_agents",
};

export interface Selection {
  /** Absolute. */
  path: string;
  /** Remarks for standard error. */
  notices: string[];
}

/** @throws UsageProblem where no root has the file: names the file that was looked for, where, and what is near. */
export async function select(kind: Named, name: string, at: { roots: readonly string[]; usage: string }): Promise<Selection> {
  const notices: string[] = [];
  let wanted = name;
  if (kind === "environment") {
    const current = currentEnvironmentName(name);
    if (current !== undefined && !found(relativePaths(kind, name), at.roots) && found(relativePaths(kind, current), at.roots)) {
      notices.push(`the environment ${name} is now called ${current}`);
      wanted = current;
    }
  }
  for (const relative of wanted.split("/").some((part) => part === "" || part.startsWith(".")) ? [] : relativePaths(kind, wanted)) {
    const files = existing(relative, at.roots);
    if (files[0] === undefined) continue;
    if (files.length > 1) notices.push(`--${kind} ${name}: using ${files[0]}; it hides ${files.slice(1).join(", ")}`);
    return { path: files[0], notices };
  }
  const implied = relativePaths(kind, name).at(-1) as string;
  throw new UsageProblem(`--${kind} ${name}: there is no ${implied} in ${at.roots.join(", ")}`, {
    usage: at.usage,
    hint: await hintFor(kind, name, at.roots),
  });
}

/** Where a name may lead, the first that exists wins. */
function relativePaths(kind: Named, name: string): string[] {
  const slash = name.lastIndexOf("/");
  const first = slash < 0 ? name : name.slice(0, slash);
  const flavor = slash < 0 ? undefined : name.slice(slash + 1);
  if (kind !== "benchmark" && kind !== "environment") return [join(FOLDERS[kind], first, "configs", `${flavor ?? basename(first)}.yaml`)];
  if (flavor === undefined) return [join(FOLDERS[kind], name, "config.yaml")];
  return [join(FOLDERS[kind], name, "config.yaml"), join(FOLDERS[kind], first, `${flavor}.yaml`)];
}

function found(relatives: readonly string[], roots: readonly string[]): boolean {
  return relatives.some((relative) => existing(relative, roots).length > 0);
}

/** The file in every root that has it, each file once. */
function existing(relative: string, roots: readonly string[]): string[] {
  const byPlace = new Map<string, string>();
  for (const root of roots) {
    const path = join(root, relative);
    if (existsSync(path)) byPlace.set(realpathSync(path), byPlace.get(realpathSync(path)) ?? path);
  }
  return [...byPlace.values()];
}

async function hintFor(kind: Named, name: string, roots: readonly string[]): Promise<string | undefined> {
  const folders = roots.map((root) => join(root, FOLDERS[kind]));
  const nested =
    kind === "benchmark" ? folders.flatMap((folder) => configNames(folder, name)).sort((a, b) => a.length - b.length)[0] : undefined;
  if (nested !== undefined) return `Did you mean ${nested}?`;
  const slash = name.lastIndexOf("/");
  if (slash > 0) {
    const flavorFolder = kind === "benchmark" || kind === "environment" ? "" : "configs";
    const flavors = folders.flatMap((folder) => yamlStems(join(folder, name.slice(0, slash), flavorFolder)));
    const hint = await didYouMean(name.slice(slash + 1), flavors);
    if (hint !== undefined) return hint;
  }
  const names = folders.flatMap((folder) => (kind === "benchmark" ? configNames(folder, "") : subfolders(folder)));
  return didYouMean(
    name,
    names.filter((other) => other !== name),
  );
}

/** Names of the YAML files below `<folder>/<group>`: the path without ending, a `config` at the second level left out. */
function configNames(folder: string, group: string): string[] {
  const start = join(folder, group);
  if (group.split("/").includes("..") || !existsSync(start)) return [];
  return readdirSync(start, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".yaml"))
    .map((path) => join(group, path.slice(0, -".yaml".length)))
    .map((path) => (basename(path) === "config" && path.split("/").length === 2 ? dirname(path) : path));
}

function yamlStems(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith(".yaml"))
        .map((file) => file.slice(0, -".yaml".length))
    : [];
}

function subfolders(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name)
    : [];
}
