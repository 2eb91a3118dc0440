/** Cookies as names and values: how a grant hands a session on from one server to another. */
import { CookieJar } from "../http/index.ts";

export type CookieValues = Record<string, string>;

export function cookieValues(jar: CookieJar): CookieValues {
  return Object.fromEntries(jar.names().map((name) => [name, jar.get(name) ?? ""]));
}

/** Puts the values into the jar; one of the same name is replaced. */
export function takeCookieValues(jar: CookieJar, values: Readonly<CookieValues>): void {
  jar.take(Object.entries(values).map(([name, value]) => `${name}=${quoted(value)}`));
}

export function jarOfValues(values: Readonly<CookieValues>): CookieJar {
  const jar = new CookieJar();
  takeCookieValues(jar, values);
  return jar;
}

/** A value that would end the pair or the header goes in quotes, as Python's cookies do: three octal digits a character. */
function quoted(value: string): string {
  if (!/[\s;,"\\]|[^\x20-\x7e]/.test(value)) return value;
  const octal = (char: string): string => [...Buffer.from(char, "utf8")].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  return `"${value.replace(/["\\]/g, "\\$&").replace(/[;,]|[^\x20-\x7e]/g, octal)}"`;
}
