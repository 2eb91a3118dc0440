/**
 * Keeps secrets out of everything that leaves: dumps, messages, caret lines, logs, artefacts.
 *
 * A key is secret when one of its words is (`policy_api_key`, `otlp_headers`, not `max_tokens`, `tokenizer`, `monkey`). Under a secret key
 * every scalar is masked, a mapping is searched; a mapping of headers is masked whole, for any header may carry a key. In every text the password of a URL and what follows Bearer or Basic are masked.
 */
import { isSecretKey, MASK, maskText, wordsOf } from "../errors/index.ts";
import { type ConfigNode, keyText, list, type MapEntry, mapFromEntries, text } from "./node.ts";
import { setOwn } from "./plain.ts";

export { isSecretKey, MASK, maskText };

/** `headers`: everything below is masked; `value`: scalars and lists of scalars are. */
type Secrecy = false | "value" | "headers";

function secrecyOf(key: string, above: Secrecy): Secrecy {
  if (above === "headers" || wordsOf(key).some((word) => word === "header" || word === "headers")) return "headers";
  return isSecretKey(key) ? "value" : false;
}

/** How secret the value at a path is. */
export function secrecyAt(path: readonly (string | number)[]): Secrecy {
  let secrecy: Secrecy = false;
  for (const step of path) {
    const next: Secrecy = typeof step === "string" ? secrecyOf(step, secrecy) : secrecy;
    secrecy = next === false && secrecy !== false ? secrecy : next;
  }
  return secrecy;
}

/** A copy of a plain value in which secrets are `****`. */
export function maskSecrets(value: unknown): unknown {
  return mask(value, false);
}

function mask(value: unknown, secrecy: Secrecy): unknown {
  if (Array.isArray(value)) return value.map((item) => (secrecy === false ? mask(item, false) : MASK));
  if (value !== null && typeof value === "object" && !(value instanceof Uint8Array)) {
    const out: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) setOwn(out, key, mask(item, secrecyOf(key, secrecy)));
    return out;
  }
  if (secrecy !== false) return MASK;
  return typeof value === "string" ? maskText(value) : value;
}

/** The same on a tree, so that number types and key order survive into a dump. */
export function maskNode(node: ConfigNode, secrecy: Secrecy = false): ConfigNode {
  if (node.kind === "list")
    return list(
      node.items.map((item) => (secrecy === false ? maskNode(item) : text(MASK, item.at))),
      node.at,
    );
  if (node.kind === "map") {
    const entries = new Map<string, MapEntry>();
    for (const [id, entry] of node.entries)
      entries.set(id, { key: entry.key, value: maskNode(entry.value, secrecyOf(keyText(entry.key), secrecy)) });
    return mapFromEntries(entries, node.at);
  }
  if (secrecy !== false) return text(MASK, node.at);
  return typeof node.value === "string" ? { ...node, value: maskText(node.value) } : node;
}

/** Masks override tokens (`+policy_api_key=...`, `+a={api_key:...}`) and the values of flags (`--model-api-key ...`) for logs and manifests. */
export function maskOverrides(tokens: readonly string[]): string[] {
  return tokens.map((token, index) => {
    const flag = /^--?([A-Za-z][\w-]*)$/.exec(tokens[index - 1] ?? "")?.[1];
    if (flag !== undefined && isSecretKey(flag)) return MASK;
    const match = /^([+~]*[^=]*)=/.exec(token);
    const steps = match?.[1]?.split(".") ?? [];
    if (match !== null && (isSecretKey(steps.at(-1) ?? "") || secrecyAt(steps) === "headers")) return `${match[1]}=${MASK}`;
    return maskHeaders(maskText(token)).replace(/(?<![\w.-])([\w.-]+)(\s*:\s*)('[^']*'|"[^"]*"|[^,{}[\]]+)/g, (whole, name, sign) =>
      isSecretKey(name) ? `${name}${sign}${MASK}` : whole,
    );
  });
}

/** One line of a file for a caret message: values after secret keys and things that look like credentials are masked. */
export function maskLine(line: string): string {
  return maskHeaders(maskText(line)).replace(
    /(["']?)(?<![\w.$-])([\w.$-]+)\1(\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?|[^\s,{}[\]"'][^,}\]]*)/g,
    (whole, quote, key, sign, value) => (isSecretKey(key) && !/^["']?\$\{/.test(value) ? `${quote}${key}${quote}${sign}${MASK}` : whole),
  );
}

/** Mappings of headers that are written in one line. */
function maskHeaders(line: string): string {
  return line.replace(/((?<![\w.$-])[\w.$-]*header[\w.$-]*["']?\s*[:=]\s*)\{[^}]*(\}?)/gi, (whole, lead, end) =>
    secrecyOf(lead, false) === "headers" ? `${lead}{${MASK}${end}` : whole,
  );
}
