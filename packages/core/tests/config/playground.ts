/** A temporary folder with files, and loads in it that see nothing else of this machine. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { type LoadedConfig, type LoadOptions, loadConfig } from "../../src/config/index.ts";
import { GymError } from "../../src/protocol/index.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder with these files; removed after the test. */
export function folderWith(files: Record<string, string>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ng-config-")));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Loads `c.yaml` of a folder with these files (a text is that file). */
export function load(files: Record<string, string> | string, options: Partial<LoadOptions> = {}): Promise<LoadedConfig> {
  const cwd = folderWith(typeof files === "string" ? { "c.yaml": files } : files);
  const { argv = [], ...rest } = options;
  return loadConfig({ argv: ["+config_paths=[c.yaml]", ...argv], cwd, env: {}, installRoot: join(cwd, "install"), ...rest });
}

/** The error that a load ends with. */
export async function refusal(files: Record<string, string> | string, options: Partial<LoadOptions> = {}): Promise<GymError> {
  try {
    await load(files, options);
  } catch (error) {
    if (error instanceof GymError) return error;
    throw error;
  }
  throw new Error("the configuration loads");
}
