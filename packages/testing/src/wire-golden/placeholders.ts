/** Texts of a transcript with placeholders in them: `<any>`, `<hex32>`, `<signed session_id=S1,key=value>`. Names of servers are texts as any other. */
import { type Sessions, sessionFields } from "./sessions.ts";

const PLACEHOLDER = /<any>|<hex(\d+)>|<signed session_id=(S\d+)((?:,(?:[^<>]|<hex32>)*)?)>/g;

/** Whether the text fits; the sessions it names are bound by it. */
export function matchesPattern(expected: string, actual: string, sessions: Sessions): boolean {
  let source = "";
  let from = 0;
  const signed: { label: string; bound: string }[] = [];
  for (const match of expected.matchAll(PLACEHOLDER)) {
    const [whole, digits, label, bound] = match;
    source += literal(expected.slice(from, match.index));
    from = match.index + whole.length;
    if (label !== undefined) {
      signed.push({ label, bound: bound?.slice(1) ?? "" });
      source += '([^;,\\s"]+|"[^"]*")';
    } else source += digits === undefined ? "[\\s\\S]*?" : `[0-9a-f]{${digits}}`;
  }
  if (from === 0) return false;
  const found = new RegExp(`^${source}${literal(expected.slice(from))}$`).exec(actual);
  return found !== null && signed.every(({ label, bound }, index) => holds(found[index + 1] ?? "", { label, bound }, sessions));
}

/** Whether a cookie value is of that session and binds what the transcript says it binds, `key=value`. */
function holds(value: string, { label, bound }: { label: string; bound: string }, sessions: Sessions): boolean {
  const { session_id = "", ...more } = sessionFields(value);
  const [key = "", wanted = ""] = bound.split("=");
  const got = more[key];
  if (bound !== "" && (got === undefined || (got !== wanted && !matchesPattern(wanted, got, sessions)))) return false;
  return sessions.bind(label, session_id);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
