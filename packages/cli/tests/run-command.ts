/** Runs the real binaries in a folder of their own. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa, type Options, type ResultPromise } from "execa";

export const PACKAGE: string = fileURLToPath(new URL("..", import.meta.url));
export const ROOT: string = fileURLToPath(new URL("../../..", import.meta.url));

export interface Outcome {
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

/** The environment of the tests without what would change a command. */
const CLEAN_ENV: Record<string, string | undefined> = { PATH: process.env.PATH, HOME: process.env.HOME };

export function start(line: readonly string[], options: Options & { cwd: string }): ResultPromise {
  const [binary = "", ...argv] = line;
  return execa(process.execPath, [join(PACKAGE, "bin", `${fileOf(binary)}.js`), ...argv], {
    reject: false,
    extendEnv: false,
    stripFinalNewline: false,
    ...options,
    env: { ...CLEAN_ENV, ...options.env },
  });
}

export async function run(line: readonly string[], options: Options & { cwd: string }): Promise<Outcome> {
  const { exitCode, stdout, stderr } = await start(line, options);
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
}

/** Calls the launcher by a name that no binary has. */
export async function runByName(line: readonly string[], options: Options & { cwd: string }): Promise<Outcome> {
  const [binary = "", ...argv] = line;
  const code = `import(${JSON.stringify(join(PACKAGE, "bin", "launch.js"))}).then(({ launch }) => launch(${JSON.stringify(binary)}))`;
  const { exitCode, stdout, stderr } = await execa(process.execPath, ["-e", code, ...argv], {
    reject: false,
    extendEnv: false,
    stripFinalNewline: false,
    ...options,
    env: { ...CLEAN_ENV, ...options.env },
  });
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
}

/** `ng_run` and `ng-run` are one file. */
function fileOf(binary: string): string {
  return binary.replaceAll("_", "-");
}

export interface Folder extends Disposable {
  path: string;
}

export function temporaryFolder(): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "ng-cli-")));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
