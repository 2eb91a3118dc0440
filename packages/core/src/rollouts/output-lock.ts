/**
 * One collection at a time writes an output. The lock file beside it holds who does; it is made before the files are looked at and goes when the run
 * ends, also by `process.exit`. A lock whose process is gone (kill -9, power cut) is taken over.
 */
import { readFileSync, rmdirSync, rmSync } from "node:fs";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { GymError } from "../errors/index.ts";
import { fileError, makeFolder } from "../jsonl/index.ts";
import { isRunning, type LockOwner, ownerHere, ownerIn } from "./lock-owner.ts";
import { lockPath } from "./paths.ts";

export interface OutputLock {
  release(): void;
}

/** Tries at a lock that others make and drop at the same time. */
const TRIES = 5;

/** @throws GymError NG_ERR_FILE where another collection writes this output, or the lock cannot be written */
export async function lockOutput(output: string): Promise<OutputLock> {
  const path = lockPath(output);
  const owner = ownerHere();
  const text = `${JSON.stringify(owner)}\n`;
  const made = await makeFolder(dirname(output)).catch((error) => {
    throw fileError(output, "write", error);
  });
  const drop = (): void => {
    if (textAt(path) === text) rmSync(path, { force: true });
    removeEmptied(output, made);
  };
  process.once("exit", drop);
  const release = (): void => {
    process.off("exit", drop);
    drop();
  };
  try {
    await take({ path, output, text, own: `${path}.${owner.token}` });
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

interface Attempt {
  path: string;
  output: string;
  text: string;
  /** Prefix of names that are nobody else's. */
  own: string;
}

async function take(attempt: Attempt): Promise<void> {
  const { path, output } = attempt;
  for (let tries = 0; tries < TRIES; tries++) {
    if (await create(attempt)) return;
    const found = await readFile(path, "utf8").catch(() => undefined);
    if (found === undefined) continue;
    const owner = ownerIn(found);
    if (owner === undefined || isRunning(owner)) throw lockedError(output, path, owner);
    await takeAway(attempt, found);
  }
  throw lockedError(output, path, undefined);
}

/** Makes the file with its content in one step; false where it is there already. */
async function create({ path, output, text, own }: Attempt): Promise<boolean> {
  try {
    await writeFile(`${own}.tmp`, text);
    await link(`${own}.tmp`, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw fileError(output, "write", error);
  } finally {
    await rm(`${own}.tmp`, { force: true }).catch(() => undefined);
  }
  // A file system without hard links.
  try {
    await writeFile(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw fileError(output, "write", error);
  }
}

/** Removes the stale lock that was read. Where another process was faster and has made its own, that one is put back. */
async function takeAway({ path, own }: Attempt, stale: string): Promise<void> {
  const aside = `${own}.stale`;
  try {
    await rename(path, aside);
    if ((await readFile(aside, "utf8")) !== stale) await link(aside, path);
  } catch {
    // Somebody else took it away; the next try sees what there is.
  } finally {
    await rm(aside, { force: true }).catch(() => undefined);
  }
}

function lockedError(output: string, path: string, owner: LockOwner | undefined): GymError {
  const who = owner === undefined ? "" : `: process ${owner.pid} on ${owner.host}, since ${owner.since}`;
  return new GymError("NG_ERR_FILE", `another collection writes ${output}${who}`, {
    hint: `Give another output, or wait for it to end. If no such process runs any more, remove ${path}.`,
    details: { path, pid: owner?.pid, host: owner?.host },
  });
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Folders that were made for the output and got nothing in them, from the innermost out. */
function removeEmptied(output: string, outermost: string | undefined): void {
  if (outermost === undefined) return;
  try {
    for (let folder = dirname(output); folder.length >= outermost.length; folder = dirname(folder)) rmdirSync(folder);
  } catch {
    // Something is in it.
  }
}
