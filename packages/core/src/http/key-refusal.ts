/** Answers of OpenAI-compatible endpoints that speak about the key, so that every other call would get the same. */
import type { Reply } from "./message.ts";

const SPENT = new Set(["budget_exceeded", "insufficient_quota"]);
const BAD_KEY = new Set(["invalid_api_key", "invalid_api_token", "authentication_error"]);

/** Is this about the key itself? A bare 401 or 403 is not: it may be about one model or route. */
export function isKeyRefusal(reply: Pick<Reply, "status" | "text">): boolean {
  if (reply.status === 429) return isSpentQuota(reply);
  if (reply.status !== 401 && reply.status !== 403) return false;
  const body = reply.text();
  return codes(body).some((code) => BAD_KEY.has(code)) || /(invalid|incorrect) api key/i.test(body);
}

/** A spent quota is told as 429, but no pause mends it and it says nothing about load. */
export function isSpentQuota(reply: Pick<Reply, "status" | "text">): boolean {
  return reply.status === 429 && codes(reply.text()).some((code) => SPENT.has(code));
}

/** `error.code`, `error.type`, or `error` itself, in lower case. */
function codes(body: string): string[] {
  try {
    const error: unknown = (JSON.parse(body) as { error?: unknown } | null)?.error;
    const candidates =
      typeof error === "object" && error !== null
        ? [(error as Record<string, unknown>).code, (error as Record<string, unknown>).type]
        : [error];
    return candidates.filter((candidate) => typeof candidate === "string").map((candidate) => candidate.toLowerCase());
  } catch {
    return [];
  }
}
