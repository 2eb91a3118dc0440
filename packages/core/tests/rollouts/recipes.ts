/** What the golden files of rollouts have in common: files from lists of lines, comparison of numbers. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

// biome-ignore lint/suspicious/noExplicitAny: goldens are foreign JSON
export type Foreign = any;

export { expandRecipes as expand } from "@ng-gym/testing";

/** A text is a raw line, anything else compact JSON; every line ends in a line feed unless told otherwise. */
export function linesText(lines: Foreign[], lastNewline = true): string {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  return lastNewline ? text : text.slice(0, -1);
}

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), "ng-rollouts-"));
}

export function writeFiles(folder: string, files: Record<string, Foreign>): void {
  for (const [name, content] of Object.entries(files ?? {})) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : name.endsWith(".jsonl") ? linesText(content) : JSON.stringify(content));
  }
}

/** The same shape, key order included, with numbers rounded to nine digits, so that `toEqual` on texts compares order and values. */
export function canonical(value: Foreign): string {
  return JSON.stringify(value, (_key, item) => (typeof item === "number" && Number.isFinite(item) ? Number(item.toPrecision(9)) : item));
}
