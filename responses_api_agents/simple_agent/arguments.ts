/** Reads the arguments of a tool call as a model wrote them: text that should be JSON. */
import { messageOf } from "@ng-gym/core/errors";
import { RawJson } from "@ng-gym/core/protocol";

/** Arguments nested deeper are refused: no tool asks for that, and a JSON writer would run out of stack. */
export const MAX_ARGUMENT_DEPTH = 500;

export type ToolArguments = { ok: true; value: unknown } | { ok: false; reason: string };

/**
 * The JSON value of the text. `NaN`, infinities and numbers beyond the range of a double become null, lone surrogates become U+FFFD, and
 * integers that a double cannot hold go over a socket as they were written.
 */
export function readArguments(text: string): ToolArguments {
  if (nestsDeeperThan(text, MAX_ARGUMENT_DEPTH)) return { ok: false, reason: `nested deeper than ${MAX_ARGUMENT_DEPTH}` };
  try {
    return { ok: true, value: exact(text, parseLoosely(text)) };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}

/** JSON, and the three words that Python writes for numbers that JSON has not. */
function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity\b|NaN\b/g, (token) => (token.startsWith('"') ? token : "null")));
  }
}

/** Most arguments are exact as parsed; only long digits, exponents and surrogates need a second look. */
function exact(text: string, value: unknown): unknown {
  if (!/\d{16}|\d[eE]|\\u[dD][89a-fA-F]|[\ud800-\udfff]/.test(text)) return value;
  let isLossy = false;
  const mend = (_key: string, inner: unknown, context?: { source?: string }): unknown => {
    if (typeof inner === "string") return inner.toWellFormed();
    if (typeof inner !== "number") return inner;
    if (!Number.isFinite(inner)) return null;
    if (!Number.isSafeInteger(inner) && /^-?\d+$/.test(context?.source ?? "")) isLossy ||= BigInt(context?.source ?? 0) !== BigInt(inner);
    return inner;
  };
  try {
    const mended: unknown = JSON.parse(text, mend);
    return isLossy ? writtenAs(text, mended) : mended;
  } catch {
    return value;
  }
}

/** A value that a server in this process reads as it is, and that goes over a socket as the text it was read from. */
function writtenAs(text: string, value: unknown): unknown {
  const raw = new RawJson(text);
  if (typeof value !== "object" || value === null) return raw;
  return Object.defineProperty(value, "toJSON", { value: () => raw.toJSON() });
}

function nestsDeeperThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let depth = 0;
  for (let i = 0, inString = false; i < text.length; i++) {
    const char = text[i];
    if (char === "\\" && inString) i++;
    else if (char === '"') inString = !inString;
    else if (inString) continue;
    else if ((char === "[" || char === "{") && ++depth > limit) return true;
    else if (char === "]" || char === "}") depth--;
  }
  return false;
}
