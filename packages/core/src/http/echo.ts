/**
 * Endpoints that refuse a call may repeat what they were sent, the key among it ("Incorrect API key provided: ..."). What they say travels far: into
 * errors, logs and files of a run. So the values of the caller's own headers are masked in every answer with an error status.
 */
import type { Call, Reply } from "./message.ts";
import { textReply } from "./reply.ts";

const MASK = "****";
/** Shorter values are words that an answer may hold by chance. */
const MIN_LENGTH = 6;

export function withoutEchoes(reply: Reply, call: Pick<Call, "headers" | "path">, server: string): Reply {
  if (reply.status < 400) return reply;
  let text = reply.text();
  for (const value of secretsOf(call.headers ?? {})) text = text.replaceAll(value, MASK);
  if (text === reply.text()) return reply;
  return textReply({ server, path: call.path, status: reply.status, headers: reply.headers, setCookies: reply.setCookies, text });
}

/** Values as they were sent, the longest first, and what stands behind the scheme of an Authorization. */
function secretsOf(headers: Record<string, string>): string[] {
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+\s+/, "")]);
  const written = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  return [...new Set(written)].filter((value) => value.length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
}
