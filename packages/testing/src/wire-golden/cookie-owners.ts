/**
 * The reference hands every cookie that it holds to whomever it calls; ours keeps the cookies of different servers apart (decisions.md, "session
 * cookie"). What a recorded call should have carried are the cookies that its target set or handed on, and those that no server set.
 */
import type { Exchange, Headers } from "./transcript.ts";

/** Name of a cookie -> the servers whose answers set it. */
export type CookieSetters = ReadonlyMap<string, ReadonlySet<string>>;

export function cookieSetters(exchanges: readonly Exchange[]): CookieSetters {
  const setters = new Map<string, Set<string>>();
  for (const { to, response } of exchanges) {
    for (const [header, line] of response?.headers ?? []) {
      if (header !== "set-cookie") continue;
      const name = nameOf(line);
      setters.set(name, (setters.get(name) ?? new Set()).add(to));
    }
  }
  return setters;
}

/** The recorded headers of a request, its cookies without those that are none of the target's business. */
export function keptApart({ from, to, request }: Exchange, setters: CookieSetters): Headers {
  // What a server sends to itself it has chosen.
  if (from === to) return request.headers;
  return request.headers.flatMap(([header, value]): Headers => {
    if (header !== "cookie") return [[header, value]];
    const kept = value.split(/;\s*/).filter((pair) => setters.get(nameOf(pair))?.has(to) ?? true);
    return kept.length === 0 ? [] : [[header, kept.join("; ")]];
  });
}

function nameOf(pair: string): string {
  return pair.slice(0, pair.indexOf("=")).trim();
}
