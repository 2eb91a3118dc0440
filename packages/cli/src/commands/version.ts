/** `ng-version`: what runs here. The keys of the reference, and ours beside them. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, cpus, platform, release, totalmem, type } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandModule } from "../contract/index.ts";

/** Version of NeMo Gym whose wire, files and flags these are. */
const COMPATIBLE_WITH = "0.7.0";
/** Libraries that a report of a fault should name. */
const LIBRARIES = ["commander", "fastify", "openai", "piscina", "undici", "yaml", "zod"];
/** Libraries of the reference that have no counterpart here; kept as keys for readers of its JSON. */
const ABSENT_LIBRARIES = ["ray"];
const BYTES_A_GB = 1024 ** 3;

export interface VersionReport {
  ng_gym: string;
  nemo_gym: string;
  node: string;
  node_path: string;
  /** Empty: no Python runs here. */
  python: string;
  python_path: string;
  installation_path: string;
  dependencies: Record<string, string | null>;
  system: { os: string; platform: string; architecture: string; processor: string; cpus: number; memory_gb: number };
}

export const versionCommand: CommandModule<VersionReport> = {
  execute: async () => report(),
  text: (result) =>
    [
      `ng-gym ${result.ng_gym} (files, wire and flags of NeMo Gym ${result.nemo_gym})`,
      `  node          ${result.node} (${result.node_path})`,
      `  installed in  ${result.installation_path}`,
      `  libraries     ${Object.entries(result.dependencies)
        .flatMap(([name, version]) => (version === null ? [] : [`${name} ${version}`]))
        .join(", ")}`,
      `  system        ${result.system.platform}, ${result.system.architecture}, ${result.system.cpus} CPUs, ${result.system.memory_gb} GB`,
      "",
    ].join("\n"),
  json: (result) => result,
};

function report(): VersionReport {
  const packageFolder = fileURLToPath(new URL("../..", import.meta.url));
  const processors = cpus();
  return {
    ng_gym: versionIn(packageFolder) ?? "unknown",
    nemo_gym: COMPATIBLE_WITH,
    node: process.versions.node,
    node_path: process.execPath,
    python: "",
    python_path: "",
    installation_path: installationOf(packageFolder),
    dependencies: Object.fromEntries([...LIBRARIES, ...ABSENT_LIBRARIES].sort().map((name) => [name, libraryVersion(name)])),
    system: {
      os: type(),
      platform: `${type()}-${release()}-${platform()}`,
      architecture: arch(),
      processor: processors[0]?.model ?? "unknown",
      cpus: processors.length,
      memory_gb: Math.round((totalmem() / BYTES_A_GB) * 100) / 100,
    },
  };
}

/** The workspace that holds this package, or the folder whose `node_modules` does. */
function installationOf(packageFolder: string): string {
  for (let folder = dirname(packageFolder); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "pnpm-workspace.yaml")) || existsSync(join(folder, "node_modules"))) return folder;
  }
  return packageFolder;
}

/** Looked up where the library is used: here, else in core. */
function libraryVersion(name: string): string | null {
  const here = createRequire(import.meta.url);
  const core = createRequire(here.resolve("@ng-gym/core/package.json"));
  for (const require of [here, core]) {
    for (const folder of require.resolve.paths(name) ?? []) {
      const version = versionIn(join(folder, name));
      if (version !== undefined) return version;
    }
  }
  return null;
}

function versionIn(folder: string): string | undefined {
  const file = join(folder, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { version?: string }).version : undefined;
}
