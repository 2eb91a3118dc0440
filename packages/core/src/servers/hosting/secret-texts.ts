/** Texts of a server's block that are secret by the name of their key: no log line holds them. */
import { isSecretKey } from "../../errors/index.ts";

/** A shorter text is a word that lines may hold. */
const MIN_CHARS = 8;
const MAX_DEPTH = 20;

export function secretTexts(block: unknown, secret = false, depth = 0): string[] {
  if (typeof block === "string") return secret && block.length >= MIN_CHARS ? [block] : [];
  if (typeof block !== "object" || block === null || depth > MAX_DEPTH) return [];
  if (Array.isArray(block)) return block.flatMap((item) => secretTexts(item, secret, depth + 1));
  return Object.entries(block).flatMap(([key, item]) => secretTexts(item, secret || isSecretKey(key), depth + 1));
}
