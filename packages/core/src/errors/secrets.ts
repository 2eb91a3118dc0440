/**
 * What is secret in a text or by the name of a key. Here, and not with the configuration, because whoever reports or logs needs it.
 */

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

/** Whether values under this key are masked. */
export function isSecretKey(key: string): boolean {
  return wordsOf(key).some((word) => SECRET_WORDS.has(word));
}

/** The words of a key: they end at `_`, `-`, `.`, blanks, digits and lower-to-upper changes. */
export function wordsOf(key: string): string[] {
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
