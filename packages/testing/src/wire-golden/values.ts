/** Compares JSON values and texts with those of a transcript. All functions answer with one sentence a difference, `place: what`; `[]` is equal. */
import { bindingPrefix, innerErrorOf } from "./error-text.ts";
import { matchesPattern } from "./placeholders.ts";
import type { Sessions } from "./sessions.ts";

export interface Place {
  /** For the messages. */
  name: string;
  sessions: Sessions;
}

/** Keys that only newer SDK types have: null and absent are the same there. */
const NEWER_KEYS: ReadonlySet<string> = new Set(["phase", "namespace", "moderation", "context_management", "completed_at"]);
const SHOWN_CHARS = 200;

export function compareValue(expected: unknown, actual: unknown, place: Place): string[] {
  if (expected === "<any>" && actual !== undefined) return [];
  if (typeof expected === "string" && typeof actual === "string") return compareText(expected, actual, place);
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) return differ(place, `${expected.length} elements`, `${actual.length}: ${shown(actual)}`);
    return expected.flatMap((element, index) => compareValue(element, actual[index], within(place, `[${index}]`)));
  }
  if (isObject(expected) && isObject(actual)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return keys.flatMap((key) => {
      const [one, other] = [expected[key], actual[key]];
      if (NEWER_KEYS.has(key) && (one ?? null) === null && (other ?? null) === null) return [];
      return compareValue(one, other, within(place, `.${key}`));
    });
  }
  return Object.is(expected, actual) ? [] : differ(place, shown(expected), shown(actual));
}

export function compareText(expected: string, actual: string, place: Place): string[] {
  if (expected === actual) return [];
  const inner = innerErrorOf(expected);
  if (inner !== undefined) return compareInner(inner, actual, place);
  if (matchesPattern(expected, actual, place.sessions)) return [];
  const issues = validationOf(parsed(expected));
  if (issues !== undefined) return compareIssues(issues, parsed(actual), place);
  const prefix = bindingPrefix(expected);
  return prefix !== undefined && actual.startsWith(prefix) ? [] : differ(place, shown(expected), shown(actual));
}

function compareInner(inner: { server: string; body: string }, actual: string, place: Place): string[] {
  const ours = innerErrorOf(actual);
  if (ours?.server !== inner.server) return differ(place, `an error of ${inner.server} with the inner answer`, shown(actual));
  const [expected, got] = [parsed(inner.body), parsed(ours.body)];
  // A JSON text is what a server made of its own exception; only what it wraps in turn is binding.
  if (typeof expected === "string" && typeof got === "string" && innerErrorOf(expected) === undefined) return [];
  const inside = within(place, ", inner answer");
  if (expected === undefined || got === undefined) return compareText(inner.body, ours.body, inside);
  return compareValue(expected, got, inside);
}

/** For answers to a body that does not validate: the places must be the same, types and wording need not. */
export function compareIssues(expected: unknown[][], actual: unknown, place: Place): string[] {
  const got = validationOf(actual);
  if (got === undefined) return differ(place, `issues at ${fields(expected)}`, shown(actual));
  return fields(expected) === fields(got) ? [] : differ(place, `issues at ${fields(expected)}`, `issues at ${fields(got)}`);
}

/** The `loc` of each issue of a validation answer; undefined for any other value. */
export function validationOf(value: unknown): unknown[][] | undefined {
  const detail = isObject(value) ? value.detail : undefined;
  if (!Array.isArray(detail) || !detail.every((issue) => isObject(issue) && Array.isArray(issue.loc))) return undefined;
  return detail.map((issue) => issue.loc);
}

/** Names of union branches in a `loc`: types of Python and classes of the reference. */
const BRANCH = /[[(]|^(?:str|int|float|bool|dict|list)$|^NeMoGym|Param$/;

/** The places of the issues, each once and sorted, without the names of union branches. */
function fields(locs: unknown[][]): string {
  const places = locs.map((loc) => JSON.stringify(loc.filter((part) => typeof part !== "string" || !BRANCH.test(part))));
  return [...new Set(places)].sort().join(" ");
}

export function within(place: Place, part: string): Place {
  return { name: place.name + part, sessions: place.sessions };
}

export function differ(place: Place, expected: string, actual: string): string[] {
  return [`${place.name}: expected ${expected}, got ${actual}`];
}

export function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}...` : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
