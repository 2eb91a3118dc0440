/** Output of a child, line by line, with bounds: a line that never ends must not fill the launcher's memory. */
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { MASK, maskText } from "../../errors/index.ts";

/** Lines of a child that are kept for the report of its death. */
export const LAST_LINES = 20;
/** Of a longer line the rest is counted. */
export const MAX_LINE_CHARS = 16_384;

/** Calls `onLine` for every line, the last one also where it has no end. */
export function readChildLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let line = "";
  let cut = 0;
  const add = (text: string): void => {
    const room = MAX_LINE_CHARS - line.length;
    line += text.slice(0, room);
    cut += Math.max(0, text.length - room);
  };
  const end = (): void => {
    const whole = line.endsWith("\r") ? line.slice(0, -1) : line;
    onLine(cut === 0 ? whole : `${whole} … (${cut} more characters)`);
    line = "";
    cut = 0;
  };
  stream.on("data", (bytes: Buffer) => {
    const parts = decoder.write(bytes).split("\n");
    for (const [index, part] of parts.entries()) {
      add(part);
      if (index < parts.length - 1) end();
    }
  });
  stream.once("end", () => {
    add(decoder.end());
    if (line !== "") end();
  });
  stream.on("error", () => {});
}

/** Masks what a program prints of the secrets that it was given, and what any text may hold. */
export type LineMask = (line: string) => string;

export function createLineMask(secrets: Iterable<string>): LineMask {
  // A secret that is part of another must not keep that one from being found.
  const texts = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return (line) => maskText(texts.reduce((masked, secret) => masked.replaceAll(secret, MASK), line));
}
