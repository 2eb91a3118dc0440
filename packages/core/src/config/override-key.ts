/** The key side of an override token: `key`, `a.b.0`, `+key`, `++key`, `~key`, `group/option`, `key@package`. */
import { OverrideSyntaxError } from "./override-value.ts";

export type OverrideType = "ADD" | "FORCE_ADD" | "CHANGE" | "DEL";

export interface OverrideKey {
  type: OverrideType;
  key: string;
  package?: string;
  /** Offset of the value, past the `=`; undefined where there is none (`~key`). */
  valueAt: number | undefined;
}

const ID = "[A-Za-z_][A-Za-z0-9_-]*";
const SPECIAL = "[A-Za-z_$][A-Za-z0-9_$-]*";
const STEP = `(?:${SPECIAL}|0|[1-9](?:_?[0-9])*)`;
const KEY = new RegExp(`(?:${STEP}(?:\\.${STEP})+|${ID}(?:/${ID})+|${SPECIAL})?`, "y");

/** Throws `OverrideSyntaxError`. */
export function parseOverrideKey(token: string): OverrideKey {
  const prefix = /^(?:\+\+|\+|~|)/.exec(token)?.[0] ?? "";
  const type: OverrideType = prefix === "" ? "CHANGE" : prefix === "~" ? "DEL" : prefix === "+" ? "ADD" : "FORCE_ADD";
  let at = prefix.length;
  const key = match(token, at);
  at += key.length;
  let pkg: string | undefined;
  if (token[at] === "@") {
    pkg = match(token, at + 1);
    at += 1 + pkg.length;
  }
  const result = { type, key, ...(pkg === undefined ? {} : { package: pkg }) };
  if (at === token.length && type === "DEL" && key !== "") return { ...result, valueAt: undefined };
  if (token[at] !== "=") {
    throw new OverrideSyntaxError(
      at,
      at === token.length ? "'=' and a value are missing" : `'${printableCharacter(token, at)}' cannot stand in a key`,
    );
  }
  return { ...result, valueAt: at + 1 };
}

function match(token: string, at: number): string {
  KEY.lastIndex = at;
  const found = KEY.exec(token)?.[0] ?? "";
  return found;
}

export function printableCharacter(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0x20);
}
