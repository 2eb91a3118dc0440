/**
 * Values of top-level keys against the table: what is plainly of another kind than its key means. Null and what does not resolve pass. Runs after the
 * checks that know single keys better, and leaves to them what they told.
 */
import { wholeNumber } from "./dataset-entry.ts";
import { InterpolationFailure, type Interpolator } from "./interpolate.ts";
import { type ConfigNode, get, isUnset, type MapNode } from "./node.ts";
import type { Problems } from "./problems.ts";
import { pythonRepr } from "./python-text.ts";
import { SERVER_TYPES } from "./server-types.ts";
import { didYouMean } from "./suggest.ts";
import { type TopLevelKey, type TopLevelType, topLevelKeys } from "./top-level-table.ts";

const EXPECTED: Record<TopLevelType, string> = {
  flag: "true or false",
  integer: "a whole number",
  number: "a number",
  text: "a text",
  path: "a path",
  names: "a list of texts, or one text",
  list: "a list",
  map: "a mapping",
};

/** Returns notices: a server under a reserved name is none, as in the reference. */
export function checkTopLevelValues(root: MapNode, interpolator: Interpolator, problems: Problems): string[] {
  const notices: string[] = [];
  const told = new Set(problems.list.map((problem) => problem.key));
  for (const [name, key] of topLevelKeys()) {
    if (told.has(name)) continue;
    const written = get(root, name);
    const value = written === undefined ? undefined : followed(written, name, interpolator);
    if (written === undefined || value === undefined || isUnset(value) || fits(value, key)) continue;
    if (value.kind === "map" && SERVER_TYPES.some((type) => get(value, type) !== undefined)) {
      if (key.reserved === true) notices.push(`'${name}' is a reserved name, so the server under it is not started.`);
      continue;
    }
    const text = value.kind === "scalar" && typeof value.value === "string" ? value.value : undefined;
    const expected = key.choices === undefined || text === undefined ? expectedOf(key) : key.choices.join(" or ");
    problems.add({
      message: `'${name}' must be ${expected}.`,
      key: name,
      at: written.at,
      got: pythonRepr(value).slice(0, 200),
      suggestion: key.choices === undefined || text === undefined ? undefined : didYouMean(text, key.choices),
    });
  }
  return notices;
}

function expectedOf({ type, least, most }: TopLevelKey): string {
  if (least === undefined) return EXPECTED[type];
  return most === undefined ? `${EXPECTED[type]} of ${least} or more` : `${EXPECTED[type]} from ${least} to ${most}`;
}

function followed(node: ConfigNode, name: string, interpolator: Interpolator): ConfigNode | undefined {
  try {
    return interpolator.follow({ node, path: [name] }).node;
  } catch (error) {
    // Told by the check of interpolations.
    if (error instanceof InterpolationFailure) return undefined;
    throw error;
  }
}

/** Scalars are taken as laxly as the reference takes them: numbers for texts, numeric texts for numbers, any scalar for a flag. */
function fits(node: ConfigNode, { type, choices, least = -Infinity, most = Infinity }: TopLevelKey): boolean {
  if (node.kind === "scalar" && node.value === null) return true;
  switch (type) {
    case "map":
      return node.kind === "map";
    case "list":
      return node.kind === "list";
    case "names":
      return node.kind === "scalar" || (node.kind === "list" && node.items.every((item) => item.kind === "scalar"));
    case "integer":
      return node.kind === "scalar" && isWhole(node.value, least, most);
    case "number":
      return node.kind === "scalar" && isNumeric(node.value);
    case "text":
      return node.kind === "scalar" && (choices === undefined || choices.includes(String(node.value)));
    default:
      return node.kind === "scalar";
  }
}

function isWhole(value: unknown, least: number, most: number): boolean {
  const number = wholeNumber(value);
  return number !== undefined && number >= least && number <= most;
}

function isNumeric(value: unknown): boolean {
  return typeof value === "string" ? value.trim() !== "" && Number.isFinite(Number(value)) : value !== null;
}
