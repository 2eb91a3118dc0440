import { expect, test } from "vitest";
import { bytesRepr } from "../../src/servers/compat-python-repr.ts";
import { createSessionSigner } from "../../src/servers/session.ts";

const cookieValue = (line: string): string => line.slice(line.indexOf("=") + 1, line.indexOf(";"));

test("what a handler keeps in a session cannot replace its id, nor reach a prototype", () => {
  const signer = createSessionSigner("S___s", "secret");
  const session = signer.open(undefined);
  session.set("session_id", "another");
  session.set("__proto__", { admin: true });
  session.set("n", 1);
  const again = signer.open(cookieValue(signer.line(session, undefined)));
  expect([again.id, again.isNew, again.get("n")]).toEqual([session.id, false, 1]);
  expect(again.get("admin")).toBeUndefined();
  expect(again.get("toString")).toBeUndefined();
  expect(({} as { admin?: unknown }).admin).toBeUndefined();
});

test("a session is another server's nowhere, and another run's never", () => {
  const value = cookieValue(createSessionSigner("S___s", "secret").line(createSessionSigner("S___s", "secret").open(undefined), undefined));
  expect(createSessionSigner("S___s", "secret").open(value).isNew).toBe(false);
  expect(createSessionSigner("S___t", "secret").open(value).isNew).toBe(true);
  expect(createSessionSigner("S___s", "secret of the next run").open(value).isNew).toBe(true);
});

test.each([
  ["plain", "b'plain'"],
  ["it's", `b"it's"`],
  [`it's "both"`, String.raw`b'it\'s "both"'`],
  ["a\\b\n\t\r\0\u007f", String.raw`b'a\\b\n\t\r\x00\x7f'`],
  ["ü模", String.raw`b'\xc3\xbc\xe6\xa8\xa1'`],
  ["", "b''"],
])("bytes of %j as Python prints them", (text, expected) => {
  expect(bytesRepr(text)).toBe(expected);
});
