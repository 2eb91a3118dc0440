import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

export interface TempProject extends AsyncDisposable {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** Absolute path of a file in it. */
  file(name: string): string;
  /** Text as it is; a list as JSON Lines where the name ends in `.jsonl`; any other value as JSON. */
  write(name: string, content: string | object): Promise<void>;
  read(name: string): Promise<string>;
  /** Relative paths of all files, sorted. */
  list(): Promise<string[]>;
}

/** A folder with these files (relative path -> content), removed with all that was added when the block is left. */
export async function tempProject(files: Record<string, string | object> = {}): Promise<TempProject> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "ng-test-")));
  const project: TempProject = {
    path,
    file: (name) => join(path, name),
    write: async (name, content) => {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), textOf(name, content));
    },
    read: (name) => readFile(join(path, name), "utf8"),
    list: async () => {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(path, join(entry.parentPath, entry.name)))
        .sort();
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
  try {
    for (const [name, content] of Object.entries(files)) await project.write(name, content);
  } catch (error) {
    await project[Symbol.asyncDispose]();
    throw error;
  }
  return project;
}

function textOf(name: string, content: string | object): string {
  if (typeof content === "string") return content;
  if (name.endsWith(".jsonl") && Array.isArray(content)) return content.map((row) => `${JSON.stringify(row)}\n`).join("");
  return `${JSON.stringify(content, null, 2)}\n`;
}
