import { type CookieSetters, keptApart } from "./cookie-owners.ts";
import { compareIssues, validationOf } from "./issues.ts";
import { differ, type Place, shown, within } from "./place.ts";
import type { Sessions } from "./sessions.ts";
import type { Exchange, Headers, WireBody } from "./transcript.ts";
import { compareText, compareValue } from "./values.ts";

/** `accept` and `content-encoding` are recorded, but a matter of the HTTP library. */
const NOT_BINDING: ReadonlySet<string> = new Set(["accept", "content-encoding"]);

export interface Reading {
  sessions: Sessions;
  setters: CookieSetters;
}

/** Everything of one exchange but its place among the others. What the client sent is the replay's own doing, its cookies excepted. */
export function compareExchange(expected: Exchange, actual: Exchange, { sessions, setters }: Reading): string[] {
  const place = { name: `${expected.n} ${expected.from} -> ${expected.to} ${expected.method} ${expected.path}: `, sessions };
  const byClient = expected.from === "client";
  return [
    ...compareHeaders(byClient ? expected.request.headers : keptApart(expected, setters), actual.request.headers, {
      place: within(place, "request"),
      only: byClient ? "cookie" : undefined,
    }),
    ...(byClient ? [] : compareBody(expected.request.body, actual.request.body, within(place, "request body"))),
    ...(expected.end === actual.end ? [] : differ(within(place, "end"), expected.end, actual.end)),
    ...compareResponse(expected.response, actual.response, place),
  ];
}

function compareResponse(expected: Exchange["response"], actual: Exchange["response"], place: Place): string[] {
  if (expected === null || actual === null) {
    return expected === actual ? [] : differ(within(place, "response"), shown(expected?.status ?? null), shown(actual?.status ?? null));
  }
  if (expected.status !== actual.status)
    return differ(within(place, "status"), String(expected.status), `${actual.status} with ${shown(actual.body)}`);
  const headers = compareHeaders(expected.headers, actual.headers, { place: within(place, "response") });
  const body = within(place, "response body");
  const issues = expected.status === 422 ? validationOf(jsonOf(expected.body)) : undefined;
  return [
    ...headers,
    ...(issues === undefined ? compareBody(expected.body, actual.body, body) : compareIssues(issues, jsonOf(actual.body), body)),
  ];
}

function jsonOf(body: WireBody): unknown {
  return body !== null && "json" in body ? body.json : undefined;
}

function compareBody(expected: WireBody, actual: WireBody, place: Place): string[] {
  if (expected !== null && actual !== null && "sse" in expected && "sse" in actual) {
    return compareValue(expected.sse.map(frame), actual.sse.map(frame), within(place, ", frame "));
  }
  return compareValue(expected, actual, place);
}

/** An event frame as an object, its data as a value where it is JSON. */
function frame(text: string): unknown {
  const fields = text.split("\n").map((line) => {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (name !== "data") return [name, value];
    try {
      return [name, JSON.parse(value)];
    } catch {
      return [name, value];
    }
  });
  return Object.fromEntries(fields);
}

function compareHeaders(expected: Headers, actual: Headers, { place, only }: { place: Place; only?: string | undefined }): string[] {
  const names = new Set([...expected, ...actual].map(([name]) => name));
  return [...names]
    .filter((name) => !NOT_BINDING.has(name) && (only === undefined || name === only))
    .flatMap((name) => compareParts(partsOf(expected, name), partsOf(actual, name), within(place, ` ${name}`)));
}

/** The values of a header: a cookie header holds several, a Set-Cookie line has attributes in any order and case. */
function partsOf(headers: Headers, name: string): string[] {
  const values = headers.filter(([other]) => other === name).map(([, value]) => value);
  if (name === "cookie") return values.flatMap((value) => value.split(/;\s*/));
  if (name !== "set-cookie") return values;
  return values.map((value) => {
    const [pair, ...attributes] = value.split(/;\s*/);
    return [pair, ...attributes.map((attribute) => attribute.toLowerCase()).sort()].join("; ");
  });
}

/** Cookies by their names, whatever their order. */
function compareParts(expected: string[], actual: string[], place: Place): string[] {
  const nameOf = (text: string): string => text.slice(0, text.indexOf("="));
  const byName = (a: string, b: string): number => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0);
  if (expected.length !== actual.length) return differ(place, shown(expected), shown(actual));
  const other = actual.toSorted(byName);
  return expected.toSorted(byName).flatMap((text, index) => compareText(text, other[index] ?? "", place));
}
