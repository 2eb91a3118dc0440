/** What the golden files of rollouts have in common: files from lists of lines, comparison of numbers. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";

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

/** The same values in the same order of keys; numbers as close as the goldens ask (ends of intervals rest on a t quantile). */
export function expectSame(ours: Foreign, wanted: Foreign): void {
  expect(firstDifference(ours, wanted, "")).toBeUndefined();
}

function firstDifference(ours: Foreign, wanted: Foreign, path: string): string | undefined {
  const told = `${path}: ${JSON.stringify(ours)?.slice(0, 200)} instead of ${JSON.stringify(wanted)?.slice(0, 200)}`;
  if (typeof ours === "number" && typeof wanted === "number") {
    const relative = /ci_(?:low|high)_95/.test(path) ? 1e-7 : 1e-9;
    return Object.is(ours, wanted) || Math.abs(ours - wanted) <= Math.max(1e-12, relative * Math.abs(wanted)) ? undefined : told;
  }
  if (typeof ours !== "object" || typeof wanted !== "object" || ours === null || wanted === null) return ours === wanted ? undefined : told;
  if (Array.isArray(ours) !== Array.isArray(wanted)) return told;
  const keys = Object.keys(ours).filter((key) => ours[key] !== undefined);
  if (keys.join() !== Object.keys(wanted).join()) return `${path}: keys ${keys.join()} instead of ${Object.keys(wanted).join()}`;
  for (const key of keys) {
    const difference = firstDifference(ours[key], wanted[key], `${path}/${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
