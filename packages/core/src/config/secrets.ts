/**
 * Keeps secrets out of everything that leaves: dumps, messages, caret lines, logs, artefacts.
 *
 * A key is secret when one of its words is (`policy_api_key`, `otlp_headers`, not `max_tokens`, `tokenizer`, `monkey`). Under a secret key
 * every scalar is masked, a mapping is searched. In every text the password of a URL and what follows Bearer or Basic are masked.
 */
import { type ConfigNode, keyText, list, type MapEntry, mapFromEntries, text } from "./node.ts";
import { setOwn } from "./plain.ts";

export const MASK = "****";

const SECRET_WORDS = new Set([
  "key",
  "keys",
  "token",
  "password",
  "passwords",
  "secret",
  "secrets",
  "credential",
  "credentials",
  "bearer",
  "header",
  "headers",
  "authorization",
]);

/** Whether values under this key are masked. Words end at `_`, `-`, `.`, blanks, digits and lower-to-upper changes. */
export function isSecretKey(key: string): boolean {
  return words(key).some((word) => SECRET_WORDS.has(word));
}

function words(key: string): string[] {
  return key
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** Keys of well-known services, whatever they stand under. */
const KNOWN_CREDENTIALS =
  /\b(?:sk-[\w-]{16,}|nvapi-[\w-]{16,}|hf_[A-Za-z0-9]{16,}|glpat-[\w-]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|xox[abp]-[\w-]{16,})/g;

/** Masks what any text may hold: URL user-info, `Bearer ...`, `Basic ...`, keys of well-known services. */
export function maskText(value: string): string {
  if (value.length < 3) return value;
  return value
    .replace(/(?<=:\/\/)[^\s/?#@]+@/g, `${MASK}@`)
    .replace(/\bBearer(\s+)([^\s"',;]+)/gi, (whole, blank, rest) => (/^\$\{/.test(rest) ? whole : `${whole.slice(0, 6)}${blank}${MASK}`))
    .replace(/\bBasic(\s+)(?=[A-Za-z0-9+/]*[0-9=])[A-Za-z0-9+/]{8,}={0,2}/g, `Basic$1${MASK}`)
    .replace(KNOWN_CREDENTIALS, MASK);
}

/** A copy of a plain value in which secrets are `****`. */
export function maskSecrets(value: unknown): unknown {
  return mask(value, false);
}

function mask(value: unknown, secret: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => (secret ? MASK : mask(item, false)));
  if (value !== null && typeof value === "object" && !(value instanceof Uint8Array)) {
    const out: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) setOwn(out, key, mask(item, isSecretKey(key)));
    return out;
  }
  if (secret) return MASK;
  return typeof value === "string" ? maskText(value) : value;
}

/** The same on a tree, so that number types and key order survive into a dump. */
export function maskNode(node: ConfigNode, secret = false): ConfigNode {
  if (node.kind === "list")
    return list(
      node.items.map((item) => (secret ? text(MASK, item.at) : maskNode(item))),
      node.at,
    );
  if (node.kind === "map") {
    const entries = new Map<string, MapEntry>();
    for (const [id, entry] of node.entries)
      entries.set(id, { key: entry.key, value: maskNode(entry.value, isSecretKey(keyText(entry.key))) });
    return mapFromEntries(entries, node.at);
  }
  if (secret) return text(MASK, node.at);
  return typeof node.value === "string" ? { ...node, value: maskText(node.value) } : node;
}

/** Masks override tokens (`+policy_api_key=...`, `+a={api_key:...}`) and the values of flags (`--model-api-key ...`) for logs and manifests. */
export function maskOverrides(tokens: readonly string[]): string[] {
  return tokens.map((token, index) => {
    const flag = /^--?([A-Za-z][\w-]*)$/.exec(tokens[index - 1] ?? "")?.[1];
    if (flag !== undefined && isSecretKey(flag)) return MASK;
    const match = /^([+~]*[^=]*)=/.exec(token);
    const key = match?.[1]?.split(".").at(-1);
    if (match !== null && key !== undefined && isSecretKey(key)) return `${match[1]}=${MASK}`;
    return maskText(token).replace(/(?<![\w.-])([\w.-]+)(\s*:\s*)('[^']*'|"[^"]*"|[^,{}[\]]+)/g, (whole, name, sign) =>
      isSecretKey(name) ? `${name}${sign}${MASK}` : whole,
    );
  });
}

/** One line of a file for a caret message: values after secret keys and things that look like credentials are masked. */
export function maskLine(line: string): string {
  return maskText(line).replace(
    /(["']?)(?<![\w.$-])([\w.$-]+)\1(\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?|[^\s,{}[\]"'][^,}\]]*)/g,
    (whole, quote, key, sign, value) => (isSecretKey(key) && !/^["']?\$\{/.test(value) ? `${quote}${key}${quote}${sign}${MASK}` : whole),
  );
}
