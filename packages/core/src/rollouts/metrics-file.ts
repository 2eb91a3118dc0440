/** Writes `S_aggregate_metrics.json`: JSON with an indent of 2, raw UTF-8, no line feed at the end; list members one by one, never as one text. */

import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileError, makeFolder, WRITE_BUFFER_BYTES } from "../jsonl/index.ts";
import { isRecord } from "./row.ts";

/** Levels that are taken apart; below, a value is written at once. */
const OPEN_LEVELS = 3;

/** @throws GymError NG_ERR_FILE */
export async function writePrettyJson(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    await makeFolder(dirname(path));
    const handle = await open(temporary, "w");
    try {
      let held = "";
      for (const piece of prettyPieces(value)) {
        held += piece;
        if (held.length > WRITE_BUFFER_BYTES) {
          await handle.writeFile(held);
          held = "";
        }
      }
      await handle.writeFile(held);
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileError(path, "write", error);
  }
}

export function* prettyPieces(value: unknown, level = 0): Generator<string> {
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((item) => ["", item] as const)
    : isRecord(value)
      ? Object.entries(value).filter(([, item]) => item !== undefined)
      : [];
  if (members.length === 0 || level >= OPEN_LEVELS) {
    yield reindented(value, level);
    return;
  }
  const indent = "  ".repeat(level + 1);
  yield isList ? "[\n" : "{\n";
  for (const [at, [key, item]] of members.entries()) {
    yield `${at === 0 ? "" : ",\n"}${indent}${isList ? "" : `${JSON.stringify(key)}: `}`;
    yield* prettyPieces(item, level + 1);
  }
  yield `\n${"  ".repeat(level)}${isList ? "]" : "}"}`;
}

function reindented(value: unknown, level: number): string {
  const text = JSON.stringify(value ?? null, null, 2);
  return level === 0 ? text : text.replaceAll("\n", `\n${"  ".repeat(level)}`);
}
