/**
 * Cookies as the toolkit's servers use them: one jar for one downstream server within one rollout. A jar hands values on as they came, quotes
 * included; attributes are kept only so that they can be handed on. No domains or paths: a jar never meets a second host. Expiry counts only where
 * it says "forget this cookie now".
 */

interface JarCookie {
  /** As it came: still quoted where it was. */
  value: string;
  /** The `Set-Cookie` line that set it, absent where it came in by a `Cookie` header. */
  line?: string;
}

export class CookieJar {
  /** Made with the first cookie: most jars of a rollout stay empty, and a rollout has many. */
  #cookies: Map<string, JarCookie> | undefined;

  /** A jar that starts with the cookies of a `Cookie` header. */
  static fromHeader(header: string | undefined): CookieJar {
    const jar = new CookieJar();
    if (header === undefined) return jar;
    for (const [name, value] of rawPairs(header)) jar.#set(name, { value });
    return jar;
  }

  get size(): number {
    return this.#cookies?.size ?? 0;
  }

  get(name: string): string | undefined {
    const value = this.#cookies?.get(name)?.value;
    return value === undefined ? undefined : unquoted(value);
  }

  names(): string[] {
    return this.#cookies === undefined ? [] : [...this.#cookies.keys()];
  }

  /** A jar of its own with the cookies whose names pass. */
  only(keep: (name: string) => boolean): CookieJar {
    const jar = new CookieJar();
    for (const [name, cookie] of this.#cookies ?? []) if (keep(name)) jar.#set(name, cookie);
    return jar;
  }

  /** Takes the `Set-Cookie` lines of an answer: merged by name. A cookie that expires at once is dropped. */
  take(lines: readonly string[]): void {
    for (const line of lines) {
      const end = line.indexOf(";");
      const pair = end < 0 ? line : line.slice(0, end);
      const eq = pair.indexOf("=");
      if (eq <= 0) continue;
      const name = pair.slice(0, eq).trim();
      // A kept session is sent again with each answer.
      if (this.#cookies?.get(name)?.line === line) continue;
      if (end >= 0 && expired(line.slice(end))) this.#cookies?.delete(name);
      else this.#set(name, { value: pair.slice(eq + 1).trim(), line });
    }
  }

  #set(name: string, cookie: JarCookie): void {
    this.#cookies ??= new Map();
    this.#cookies.set(name, cookie);
  }

  /** Forgets everything, then takes these lines: an answer's own set replaces what the caller brought. */
  replace(lines: readonly string[]): void {
    this.#cookies = undefined;
    this.take(lines);
  }

  /** The `Cookie` header, names sorted; undefined for an empty jar. */
  header(): string | undefined {
    if (this.#cookies === undefined || this.#cookies.size === 0) return undefined;
    if (this.#cookies.size === 1) for (const [name, cookie] of this.#cookies) return `${name}=${cookie.value}`;
    return [...this.#cookies]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, cookie]) => `${name}=${cookie.value}`)
      .join("; ");
  }

  /** `Set-Cookie` lines that hand these cookies on to a caller. */
  setLines(): string[] {
    return [...(this.#cookies ?? [])].map(([name, cookie]) => cookie.line ?? `${name}=${cookie.value}; Path=/; SameSite=lax`);
  }
}

/** Name -> value of a `Cookie` header; quoted values are unquoted (aiohttp quotes values that hold `=` or `/`). */
export function parseCookieHeader(header: string | undefined): Map<string, string> {
  const cookies = rawPairs(header);
  for (const [name, value] of cookies) if (value.startsWith('"')) cookies.set(name, unquoted(value));
  return cookies;
}

function rawPairs(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>();
  if (header === undefined || header === "") return cookies;
  for (const part of header.split(";")) {
    const eq = part.indexOf("=");
    const name = part.slice(0, Math.max(eq, 0)).trim();
    if (name !== "") cookies.set(name, part.slice(eq + 1).trim());
  }
  return cookies;
}

/** Python's quoting of cookie values: `\"`, `\\`, and three octal digits for everything else that is special. */
function unquoted(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value
    .slice(1, -1)
    .replace(/\\(?:([0-3][0-7][0-7])|(.))/g, (_, octal: string | undefined, char: string) =>
      octal === undefined ? char : String.fromCharCode(Number.parseInt(octal, 8)),
    );
}

/** Do these attributes say that the cookie is gone? `Max-Age` wins over `Expires`. */
function expired(attributes: string): boolean {
  const age = /;\s*max-age\s*=\s*(-?\d+)\s*(?:;|$)/i.exec(attributes)?.[1];
  if (age !== undefined) return Number(age) <= 0;
  const date = /;\s*expires\s*=\s*([^;]+)/i.exec(attributes)?.[1];
  return date !== undefined && Date.parse(date) <= Date.now();
}
