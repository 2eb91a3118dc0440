import type { Headers } from "./transcript.ts";

const RECORDED = {
  request: /^(?:content-type|cookie|authorization|accept|content-encoding|x-.*)$/,
  response: /^(?:content-type|set-cookie|vary|cache-control|x-accel-buffering|location|allow|retry-after)$/,
};

/** Headers that are ours alone: no transcript knows them. */
const OURS = /^x-ng-/;

/** The headers a transcript keeps, names in lower case, sorted by name; several of one name stay in their order. */
export function recordedHeaders(side: "request" | "response", rawHeaders: readonly string[]): Headers {
  const headers: Headers = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (RECORDED[side].test(name) && !OURS.test(name)) headers.push([name, rawHeaders[at + 1] ?? ""]);
  }
  return headers.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
