/** A folder of skills, recorded on every row: which skills there are and a digest of everything in the folder. */
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { GymError, messageOf } from "../errors/index.ts";
import { isRecord } from "./row.ts";

export interface Skill {
  name: string;
  description: string | null;
  version: string | null;
}

export interface SkillsRef {
  /** As given. */
  path: string;
  /** First 12 hex digits of SHA-256 over relative path, NUL, bytes, NUL of every file in sorted order. */
  hash: string;
  skills: Skill[];
}

const HASH_CHARS = 12;

/** @throws GymError NG_ERR_CONFIG */
export async function loadSkills(given: string, folder: string): Promise<SkillsRef> {
  const kind = await stat(folder).catch(() => undefined);
  if (kind === undefined) throw new GymError("NG_ERR_CONFIG", `skills.path does not exist: ${folder}`);
  if (!kind.isDirectory()) throw new GymError("NG_ERR_CONFIG", `skills.path must be a folder of skill folders, but ${folder} is a file`);
  const skills: Skill[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  for (const name of sorted(entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name))) {
    skills.push(await loadSkill(join(folder, name)));
  }
  if (skills.length === 0) throw new GymError("NG_ERR_CONFIG", `skills.path holds no skill: ${folder} has no folder with a SKILL.md`);
  return { path: given, hash: await hashFolder(folder), skills };
}

async function loadSkill(folder: string): Promise<Skill> {
  const path = join(folder, "SKILL.md");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new GymError("NG_ERR_CONFIG", `the skill folder ${folder} has no SKILL.md`, { cause });
  }
  return parseSkill(text, path);
}

/**
 * The front matter of a SKILL.md: `name` is required, the version is `metadata.version`; a byte order mark is tolerated.
 * @throws GymError NG_ERR_CONFIG
 */
export function parseSkill(text: string, path: string): Skill {
  const fail = (problem: string, cause?: unknown): GymError =>
    new GymError("NG_ERR_CONFIG", `${basename(path)}: ${problem} (${path})`, { cause });
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (lines[0]?.trim() !== "---") throw fail("front matter is missing; the first line must be '---'");
  const end = lines.findIndex((line, at) => at > 0 && line.trim() === "---");
  if (end < 0) throw fail("the front matter has no closing '---'");
  let front: unknown;
  try {
    front = parse(lines.slice(1, end).join("\n"), { version: "1.1" });
  } catch (error) {
    throw fail(`the front matter is not YAML: ${messageOf(error)}`, error);
  }
  if (!isRecord(front)) throw fail("the front matter must be a map");
  const version = isRecord(front.metadata) ? front.metadata.version : undefined;
  if (front.name === undefined || front.name === null || front.name === "") throw fail("the front matter has no 'name'");
  if (front.description !== undefined && front.description !== null && typeof front.description !== "string")
    throw fail("'description' must be a text");
  return {
    name: String(front.name),
    description: front.description ?? null,
    version: version === undefined || version === null ? null : String(version),
  };
}

async function hashFolder(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  for (const file of sortedPaths(files)) {
    hash.update(file);
    hash.update("\0");
    hash.update(await readFile(join(folder, file)));
    hash.update("\0");
  }
  return hash.digest("hex").slice(0, HASH_CHARS);
}

function sorted(names: string[]): string[] {
  return names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** By path parts: `a/x` comes before `a.txt`. */
function sortedPaths(paths: string[]): string[] {
  return paths.sort((a, b) => {
    const [x, y] = [a.split("/"), b.split("/")];
    for (let at = 0; at < Math.min(x.length, y.length); at++) {
      const order = Buffer.compare(Buffer.from(x[at] as string), Buffer.from(y[at] as string));
      if (order !== 0) return order;
    }
    return x.length - y.length;
  });
}
