/** The tables of configuration keys, as Markdown. */

import { type OptionDecision, sentencesOf } from "../../packages/cli/src/contract/index.ts";
import { collectKeys, configKeys } from "../../packages/cli/src/table/index.ts";
import { type TopLevelKey, topLevelKeys } from "../../packages/core/src/config/index.ts";

const decisions: Readonly<Record<string, OptionDecision | string>> = { ...configKeys, ...collectKeys };

export function topLevelTable(): string {
  const rows = topLevelKeys().map(([name, key]) => [
    `\`${name}\``,
    key.choices?.map((choice) => `\`${choice}\``).join(", ") ?? key.type,
    defaultOf(key),
    flagsOf(name),
    key.variable === undefined ? "" : `\`${key.variable}\``,
    `${key.about}${key.accepted === true ? " Without effect here." : ""}`,
  ]);
  return table([["key", "type", "default", "flag", "variable", "meaning"], ...rows]);
}

export function keysTable(): string {
  const rows = Object.entries(sentencesOf(collectKeys)).map(([name, about]) => [`\`${name}\``, flagsOf(name), about]);
  return table([["key", "flag", "meaning"], ...rows]);
}

function defaultOf(key: TopLevelKey): string {
  if (key.computed !== undefined) return key.computed.replace(/<[^>]+>\S*/g, "`$&`");
  return key.default === null ? "" : `\`${key.default}\``;
}

function flagsOf(name: string): string {
  const decision = decisions[name];
  if (typeof decision !== "object" || !("flags" in decision)) return "";
  return decision.flags.flatMap((flag) => flag.flags.map((word) => `\`${word}\``)).join(", ");
}

/** Aligned as the formatter of the repository aligns it. */
function table([head = [], ...rows]: string[][]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_cell, at) => Math.max(3, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: string[]): string => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const [first = [], ...others] = cells;
  return `${[line(first), line(widths.map((width) => "-".repeat(width))), ...others.map(line)].join("\n")}\n`;
}
