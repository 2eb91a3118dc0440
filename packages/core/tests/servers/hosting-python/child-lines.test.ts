import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { createLineMask, MAX_LINE_CHARS, readChildLines } from "../../../src/servers/hosting/child-lines.ts";

async function linesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  const lines: string[] = [];
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  readChildLines(stream, (line) => lines.push(line));
  await new Promise((resolve) => stream.once("close", resolve));
  return lines;
}

test("lines end at line feeds, wherever the pieces end; the last one needs none", async () => {
  expect(await linesOf("a\nb", "c\r\n\n", "d")).toEqual(["a", "bc", "", "d"]);
  expect(await linesOf("a\n")).toEqual(["a"]);
  const accent = Buffer.from("é\n");
  expect(await linesOf(accent.subarray(0, 1), accent.subarray(1))).toEqual(["é"]);
});

test("of a line that is too long the rest is counted, and the next one is whole", async () => {
  const [long, next] = await linesOf("x".repeat(MAX_LINE_CHARS), "y".repeat(99), "z\nnext\n");
  expect(long).toBe(`${"x".repeat(MAX_LINE_CHARS)} … (100 more characters)`);
  expect(next).toBe("next");
});

test("secrets are masked, the longer one first, and what any text may hold", () => {
  const mask = createLineMask(["abcdefgh", "abcdefgh-long", "abcdefgh"]);
  expect(mask("abcdefgh-long and abcdefgh, not abcdefg")).toBe("**** and ****, not abcdefg");
  expect(mask("http://me:pass@host/ Bearer xyz")).toBe("http://****@host/ Bearer ****");
});
