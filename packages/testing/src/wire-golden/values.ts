/** Compares JSON values and texts with those of a transcript. All functions answer with one sentence a difference, `place: what`; `[]` is equal. */
import { bindingPrefix, innerErrorOf } from "./error-text.ts";
import { compareIssues, validationOf } from "./issues.ts";
import { differ, isObject, type Place, shown, within } from "./place.ts";
import { matchesPattern } from "./placeholders.ts";

/** Keys that only newer SDK types have: null and absent are the same there. */
const NEWER_KEYS: ReadonlySet<string> = new Set(["phase", "namespace", "moderation", "context_management", "completed_at"]);
/** Sentences for people; that there is one is binding. */
const WORDING_KEYS: ReadonlySet<string> = new Set(["ng_termination_message"]);

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
      if (WORDING_KEYS.has(key) && isSentence(one) && isSentence(other)) return [];
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSentence(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
