import { describe, expect, test } from "vitest";
import { CookieJar, parseCookieHeader } from "../../src/http/index.ts";

describe("a Cookie header", () => {
  test.each([
    ["plain pairs", "a=1; b=2", { a: "1", b: "2" }],
    ["a value that holds =", "a=x=y==", { a: "x=y==" }],
    ["a quoted value", 'a="x=y/z"', { a: "x=y/z" }],
    ["quotes and backslashes inside quotes", String.raw`a="say \"hi\" \\ there"`, { a: String.raw`say "hi" \ there` }],
    ["octal escapes as Python writes them", String.raw`a="one\073two\054three"`, { a: "one;two,three" }],
    ["the last of two with one name", "a=1; a=2", { a: "2" }],
    ["pieces that are no pairs", "; =x; alone ;b=2", { b: "2" }],
    ["a value of one quote", 'a="', { a: '"' }],
    ["an empty value", "a=", { a: "" }],
    [
      "a name that objects have",
      "__proto__=1; constructor=2",
      Object.fromEntries([
        ["__proto__", "1"],
        ["constructor", "2"],
      ]),
    ],
  ])("%s", (_, header, expected) => {
    expect(Object.fromEntries(parseCookieHeader(header))).toEqual(expected);
  });

  test.each([undefined, ""])("%j holds nothing", (header) => {
    expect(parseCookieHeader(header).size).toBe(0);
    expect(CookieJar.fromHeader(header).header()).toBeUndefined();
  });
});

describe("a jar", () => {
  test("hands quoted values on as they came, and reads them unquoted", () => {
    const jar = CookieJar.fromHeader('s="x=y/z"; t=1');
    expect(jar.header()).toBe('s="x=y/z"; t=1');
    expect(jar.get("s")).toBe("x=y/z");
    expect(jar.setLines()).toEqual(['s="x=y/z"; Path=/; SameSite=lax', "t=1; Path=/; SameSite=lax"]);
  });

  test("merges what answers set, by name", () => {
    const jar = CookieJar.fromHeader("kept=1; changed=1");
    jar.take(["changed=2; path=/; httponly", "new=3"]);
    expect(jar.header()).toBe("changed=2; kept=1; new=3");
    expect(jar.setLines()).toContain("changed=2; path=/; httponly");
  });

  test.each([
    ["Max-Age=0", "a=; Max-Age=0; path=/"],
    ["a negative Max-Age", "a=x; max-age=-1"],
    ["an Expires in the past", "a=null; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT"],
  ])("drops a cookie with %s", (_, line) => {
    const jar = CookieJar.fromHeader("a=1; b=2");
    jar.take([line]);
    expect(jar.header()).toBe("b=2");
  });

  test.each([
    ["Max-Age wins over Expires", "a=2; expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=100"],
    ["an Expires to come", "a=2; expires=Fri, 01 Jan 2999 00:00:00 GMT"],
    ["a date nobody can read", "a=2; expires=whenever"],
    ["a value that looks like an attribute", "a=2; note=max-age=0"],
  ])("keeps a cookie: %s", (_, line) => {
    const jar = CookieJar.fromHeader("a=1");
    jar.take([line]);
    expect(jar.get("a")).toBe("2");
  });

  test("replaces everything where an answer's own set counts", () => {
    const jar = CookieJar.fromHeader("old=1");
    jar.replace(["session=abc; path=/"]);
    expect(jar.header()).toBe("session=abc");
    jar.replace([]);
    expect(jar.size).toBe(0);
  });

  test("ignores lines that are no cookies", () => {
    const jar = new CookieJar();
    jar.take(["", "novalue", "=x", "; a=1"]);
    expect(jar.names()).toEqual([]);
  });
});
