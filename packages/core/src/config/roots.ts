/** Where relative paths are looked for: NEMO_GYM_EXTRA_ROOTS, the working folder, the folder that ng-gym is installed in. Reading only. */
import { existsSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SERVER_TYPES, type ServerType } from "./server-types.ts";

export interface RootOptions {
  cwd: string;
  env: Record<string, string | undefined>;
  /** Folder that holds `resources_servers/` and its siblings. */
  installRoot?: string | undefined;
}

/** Files of which a server folder has at least one. */
const SERVER_FILES = ["app.ts", "app.js", "app.py", "requirements.txt", "pyproject.toml"];

let foundInstallRoot: string | undefined;

/** The nearest folder above this module that holds a folder of servers; else the one above the package. */
export function defaultInstallRoot(): string {
  foundInstallRoot ??= findInstallRoot(dirname(fileURLToPath(import.meta.url)));
  return foundInstallRoot;
}

function findInstallRoot(start: string): string {
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder)) {
    if (SERVER_TYPES.some((type) => existsSync(join(folder, type)))) return folder;
  }
  return resolve(start, "../..");
}

/** All roots, the first spelling of each. */
export function searchRoots({ cwd, env, installRoot }: RootOptions): string[] {
  const extra = (env.NEMO_GYM_EXTRA_ROOTS ?? "").split(delimiter).filter((root) => root !== "");
  const roots = [...extra.map((root) => resolve(cwd, root)), cwd, installRoot ?? defaultInstallRoot()];
  const seen = new Set<string>();
  return roots.filter((root) => !seen.has(resolve(root)) && seen.add(resolve(root)));
}

/** Every place that a path is looked for, in order. */
export function candidatePaths(path: string, options: RootOptions): string[] {
  return isAbsolute(path) ? [path] : searchRoots(options).map((root) => join(root, path));
}

/** The first existing place of a path; where there is none, its place below the first root. */
export function resolveReadPath(path: string, options: RootOptions): string {
  const places = candidatePaths(path, options);
  return places.find((place) => existsSync(place)) ?? places[0] ?? path;
}

export interface ServerDir {
  /** Absolute path. */
  dir: string;
  /** False where no root has such a folder; `dir` is then the place below the first root. */
  exists: boolean;
  searched: string[];
}

/** The folder of `<type>/<implementation>`; the first root wins. */
export function findServerDir(type: ServerType, implementation: string, options: RootOptions): ServerDir {
  const searched = candidatePaths(join(type, implementation), options);
  const dir = searched.find((place) => SERVER_FILES.some((file) => isFile(join(place, file))));
  return { dir: dir ?? searched[0] ?? join(options.cwd, type, implementation), exists: dir !== undefined, searched };
}

export interface Entrypoint {
  /** Absolute path. */
  file: string;
  language: "python" | "typescript";
}

/** The file that starts a server: as written if it exists, else the `.ts` or `.js` beside it. Undefined where there is none. */
export function resolveEntrypoint(dir: string, entrypoint: string): Entrypoint | undefined {
  const written = join(dir, entrypoint);
  const stem = written.replace(/\.[^./\\]+$/, "");
  const file = [written, `${stem}.ts`, `${stem}.js`].find(isFile);
  return file === undefined ? undefined : { file, language: file.endsWith(".py") ? "python" : "typescript" };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
