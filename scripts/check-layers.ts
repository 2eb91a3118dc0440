/**
 * Checks that imports point one way: between packages, between the inner folders of `core`, and through doors only (a folder's `index.ts`, a
 * package's exports). No list of exceptions.
 *
 *   node scripts/check-layers.ts [ROOT]      prints each forbidden import with its place; exits 1 where there is one
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Inner folder of `core/src` -> the folders it may import. */
const CORE: Record<string, readonly string[]> = {
  errors: [],
  json: ["errors"],
  protocol: ["errors", "json"],
  conversions: ["errors", "json", "protocol"],
  config: ["errors"],
  metrics: ["errors"],
  work: ["errors"],
  telemetry: ["errors", "work"],
  http: ["errors", "json", "config", "work"],
  head: ["errors", "http"],
  servers: ["errors", "json", "protocol", "conversions", "config", "metrics", "work", "http", "head", "telemetry", "jsonl"],
  jsonl: ["errors"],
  rollouts: ["errors", "json", "protocol", "config", "http", "metrics", "jsonl", "telemetry"],
};

/** Folder name of a package -> the packages of ours it may import. */
const PACKAGES: Record<string, readonly string[]> = {
  core: [],
  verifiers: [],
  sandbox: ["core"],
  datasets: ["core"],
  exporters: ["core"],
  testing: ["core"],
  launch: ["core"],
  viewer: ["core"],
  cli: ["core", "sandbox", "datasets", "exporters", "launch", "viewer"],
};

const SERVER_KINDS = ["resources_servers", "responses_api_agents", "responses_api_models"];
const SERVER_IMPORTS = ["core", "sandbox", "verifiers"];
/** These touch no file, socket or process. */
const PURE = [
  ...["errors", "json", "protocol", "metrics", "conversions"].map((folder) => `packages/core/src/${folder}/`),
  "packages/verifiers/src/",
];

const IMPORT =
  /(?:^|[^\w.])(?:import|export)\s*(?:type\s+)?(?:[\w*{}\s,$]*?\sfrom\s*)?["']([^"'\n]+)["']|(?:^|[^\w.])import\(\s*["']([^"'\n]+)["']\s*\)/gm;

export interface Violation {
  file: string;
  line: number;
  specifier: string;
  reason: string;
}

/** All forbidden imports below `root`. */
export function checkLayers(root: string): Violation[] {
  const files = globSync(["packages/*/src/**/*.ts", "packages/*/tests/**/*.ts", ...SERVER_KINDS.map((kind) => `${kind}/*/**/*.ts`)], {
    cwd: root,
    exclude: (path) => /node_modules|fixtures|dist/.test(path),
  });
  return files.flatMap((file) => checkFile(root, file));
}

function checkFile(root: string, file: string): Violation[] {
  const text = readFileSync(join(root, file), "utf8");
  const violations: Violation[] = [];
  for (const match of text.matchAll(IMPORT)) {
    const specifier = (match[1] ?? match[2]) as string;
    const reason = forbidden(root, file, specifier);
    if (reason) violations.push({ file, line: text.slice(0, match.index + match[0].length).split("\n").length, specifier, reason });
  }
  return violations;
}

function forbidden(root: string, file: string, specifier: string): string | undefined {
  const inTest = /(^|\/)tests\//.test(file);
  if (specifier.startsWith("node:"))
    return !inTest && PURE.some((folder) => file.startsWith(folder)) ? "a pure folder imports no node: module" : undefined;
  if (specifier.startsWith("@ng-gym/")) return forbiddenPackage(file, specifier, inTest);
  return specifier.startsWith(".") ? forbiddenPath(file, relative(root, resolve(root, dirname(file), specifier)), inTest) : undefined;
}

function forbiddenPackage(file: string, specifier: string, inTest: boolean): string | undefined {
  const target = specifier.split("/")[1] as string;
  if (inTest) return undefined;
  const [kind, name] = file.split("/") as [string, string];
  const allowed = kind === "packages" ? (PACKAGES[name] ?? []) : SERVER_IMPORTS;
  if (kind === "packages" && name === target) return "a package imports its own files by path";
  return allowed.includes(target)
    ? undefined
    : `${kind}/${name} may import ${allowed.map((one) => `@ng-gym/${one}`).join(", ") || "no package of ours"}`;
}

function forbiddenPath(file: string, target: string, inTest: boolean): string | undefined {
  const home = file.split("/").slice(0, 2).join("/");
  if (!target.startsWith(`${home}/`)) return `relative imports stay inside ${home}; other packages are imported by name`;
  if (inTest || !file.startsWith("packages/core/src/")) return undefined;
  const [from, to] = [file.split("/")[3] as string, target.split("/")[3] as string];
  if (from === to) return undefined;
  if (!(CORE[from] ?? []).includes(to)) return `core/${from} may import ${(CORE[from] ?? []).join(", ") || "nothing"}`;
  return target === `packages/core/src/${to}/index.ts` ? undefined : `the door of core/${to} is its index.ts`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
  const violations = checkLayers(root);
  for (const { file, line, specifier, reason } of violations)
    process.stdout.write(`${file}:${line}: import of "${specifier}" is forbidden: ${reason}\n`);
  process.stdout.write(
    violations.length === 0 ? "check-layers: all imports point the right way\n" : `check-layers: ${violations.length} forbidden imports\n`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
