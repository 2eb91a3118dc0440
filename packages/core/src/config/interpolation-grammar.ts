/**
 * OmegaConf's grammar of interpolations: text with `${a.b}`, `${.x}`, `${a[0]}`, `${${name}.b}`, `${resolver:arg,'quoted ${x}',[1,{a:b}]}` and
 * the escape `\${`. Parsing only; `interpolate.ts` evaluates.
 */
import { MAX_INTERPOLATION_DEPTH } from "./limits.ts";
import { type Typed, trimUnescaped, typedWord } from "./words.ts";

/** Text pieces and interpolations in order. */
export type TextPart = string | Interpolation;

export type Interpolation =
  | {
      kind: "node" /** 0: absolute; n dots: n - 1 levels above the containing mapping. */;
      dots: number;
      keys: (string | Interpolation)[];
      source: string;
    }
  | { kind: "resolver"; name: (string | Interpolation)[]; args: Argument[]; source: string };

export type Argument =
  | { kind: "value"; value: Typed }
  | { kind: "text"; parts: TextPart[] }
  | { kind: "interpolation"; interpolation: Interpolation }
  | { kind: "list"; items: Argument[] }
  | { kind: "map"; entries: { key: Typed; value: Argument }[] };

/** Text that does not parse, at an offset of it. */
export class InterpolationSyntaxError extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const INTER_KEY = /[^\\{}()[\]:. \t'"]+/y;
const BLANKS = /[ \t]*/y;
const UNQUOTED = /[A-Za-z0-9_/\-+.$%*@?|: \t]/;
const ESCAPABLE = "\\()[]{}:=, \t";

/** Parses a whole text value. Texts without `${` are one literal part. */
export function parseText(source: string): TextPart[] {
  if (!source.includes("${")) return [source];
  return new Parser(source).text();
}

/** Parses the text of a single value, as `oc.decode` reads it. */
export function parseElement(source: string): Argument {
  return new Parser(source).wholeElement();
}

class Parser {
  private at = 0;
  private depth = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  text(quote?: string): TextPart[] {
    const parts: TextPart[] = [];
    let literal = "";
    for (;;) {
      const character = this.source[this.at];
      if (character === undefined || character === quote) break;
      if (character === "\\") {
        literal += this.backslashes(quote);
      } else if (this.source.startsWith("${", this.at)) {
        if (literal !== "") parts.push(literal);
        literal = "";
        parts.push(this.interpolation());
      } else {
        literal += character;
        this.at++;
      }
    }
    if (literal !== "" || parts.length === 0) parts.push(literal);
    return parts;
  }

  wholeElement(): Argument {
    this.blanks();
    const element = this.element();
    this.blanks();
    if (this.at < this.source.length) this.fail("extra text");
    return element;
  }

  /** A run of backslashes escapes only what follows it: `${`, or the closing quote. */
  private backslashes(quote: string | undefined): string {
    let count = 0;
    while (this.source[this.at] === "\\") {
      this.at++;
      count++;
    }
    const beforeInterpolation = this.source.startsWith("${", this.at);
    const beforeQuote = quote !== undefined && this.source[this.at] === quote;
    if (!beforeInterpolation && !beforeQuote) return "\\".repeat(count);
    const kept = "\\".repeat(count >> 1);
    if (count % 2 === 0) return kept;
    const escaped = beforeInterpolation ? "${" : (quote ?? "");
    this.at += escaped.length;
    return kept + escaped;
  }

  private interpolation(): Interpolation {
    const start = this.at;
    if (++this.depth > MAX_INTERPOLATION_DEPTH) this.fail(`interpolations nest deeper than ${MAX_INTERPOLATION_DEPTH}`);
    this.at += 2;
    this.blanks();
    const result = this.resolver(start) ?? this.node(start);
    this.depth--;
    return result;
  }

  /** `name:args}`; undefined (and nothing consumed) where it is no resolver. */
  private resolver(start: number): Interpolation | undefined {
    const begin = this.at;
    const name: (string | Interpolation)[] = [];
    for (;;) {
      if (this.source.startsWith("${", this.at)) name.push(this.interpolation());
      else {
        const id = this.match(/[A-Za-z_][A-Za-z0-9_-]*/y);
        if (id === "") break;
        name.push(id);
      }
      if (this.source[this.at] !== ".") break;
      this.at++;
      name.push(".");
    }
    if (name.length === 0 || name.at(-1) === "." || this.source[this.at] !== ":") {
      this.at = begin;
      return undefined;
    }
    this.at++;
    this.blanks();
    const args = this.sequence("}");
    this.at++;
    return { kind: "resolver", name, args, source: this.source.slice(start, this.at) };
  }

  private node(start: number): Interpolation {
    const dots = this.match(/\.*/y).length;
    const keys: (string | Interpolation)[] = [this.source[this.at] === "[" ? this.bracketKey() : this.key()];
    for (;;) {
      if (this.source[this.at] === ".") {
        this.at++;
        keys.push(this.key());
      } else if (this.source[this.at] === "[") keys.push(this.bracketKey());
      else break;
    }
    this.blanks();
    if (this.source[this.at] !== "}")
      this.fail(this.at >= this.source.length ? "'}' is missing" : `'${this.source[this.at]}' cannot stand in a key`);
    this.at++;
    return { kind: "node", dots, keys, source: this.source.slice(start, this.at) };
  }

  private bracketKey(): string | Interpolation {
    this.at++;
    const key = this.key();
    if (this.source[this.at] !== "]") this.fail("']' is missing");
    this.at++;
    return key;
  }

  private key(): string | Interpolation {
    if (this.source.startsWith("${", this.at)) return this.interpolation();
    const key = this.match(INTER_KEY);
    if (key === "") this.fail("a key is missing");
    return key;
  }

  /** Elements up to the closing character, which stays; missing ones are empty texts. */
  private sequence(close: string): Argument[] {
    const items: Argument[] = [];
    this.blanks();
    if (this.source[this.at] === close) return items;
    for (;;) {
      const next = this.source[this.at];
      items.push(next === "," || next === close ? { kind: "value", value: { type: "str", value: "" } } : this.element());
      this.blanks();
      if (this.source[this.at] === close) return items;
      if (this.source[this.at] !== ",")
        this.fail(this.at >= this.source.length ? `'${close}' is missing` : `'${this.source[this.at]}' cannot stand here`);
      this.at++;
      this.blanks();
    }
  }

  private element(): Argument {
    const character = this.source[this.at];
    if (character === "[" || character === "{") {
      if (++this.depth > MAX_INTERPOLATION_DEPTH) this.fail(`values nest deeper than ${MAX_INTERPOLATION_DEPTH}`);
      const container = character === "[" ? this.list() : this.map();
      this.depth--;
      return container;
    }
    if (character === "'" || character === '"') return this.quoted(character);
    return this.primitive();
  }

  private list(): Argument {
    this.at++;
    const items = this.sequence("]");
    this.at++;
    return { kind: "list", items };
  }

  private map(): Argument {
    const entries: { key: Typed; value: Argument }[] = [];
    this.at++;
    this.blanks();
    if (this.source[this.at] === "}") {
      this.at++;
      return { kind: "map", entries };
    }
    for (;;) {
      const key = typedWord(this.match(/[^:,{}[\]()'"=]+/y).trim());
      if (key.value === "" || this.source[this.at] !== ":") this.fail("expected 'key: value'");
      this.at++;
      this.blanks();
      entries.push({ key, value: this.element() });
      this.blanks();
      const next = this.source[this.at++];
      if (next === "}") return { kind: "map", entries };
      if (next !== ",") this.fail("'}' is missing");
      this.blanks();
    }
  }

  private quoted(quote: string): Argument {
    this.at++;
    const parts = this.text(quote);
    if (this.source[this.at] !== quote) this.fail(`the closing ${quote} is missing`);
    this.at++;
    return { kind: "text", parts };
  }

  private primitive(): Argument {
    const parts: TextPart[] = [];
    const start = this.at;
    let literal = "";
    let escaped = false;
    for (;;) {
      const character = this.source[this.at] ?? "";
      if (this.source.startsWith("${", this.at)) {
        if (literal !== "") parts.push(literal);
        literal = "";
        parts.push(this.interpolation());
      } else if (character === "\\" && ESCAPABLE.includes(this.source[this.at + 1] ?? "\n")) {
        literal += this.source[this.at + 1];
        escaped = true;
        this.at += 2;
      } else if (character !== "" && (UNQUOTED.test(character) || character === "\\")) {
        literal += character;
        this.at++;
      } else break;
    }
    if (this.at === start)
      this.fail(this.at >= this.source.length ? "a value is missing" : `'${this.source[this.at]}' cannot stand here unquoted`);
    const [only] = parts;
    if (parts.length === 0)
      return {
        kind: "value",
        value: escaped ? { type: "str", value: trimUnescaped(this.source.slice(start, this.at), literal) } : typedWord(literal.trim()),
      };
    if (parts.length === 1 && only !== undefined && typeof only !== "string" && literal.trim() === "")
      return { kind: "interpolation", interpolation: only };
    if (literal !== "") parts.push(literal);
    return { kind: "text", parts: trimParts(parts) };
  }

  private blanks(): void {
    this.match(BLANKS);
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  private fail(message: string): never {
    throw new InterpolationSyntaxError(this.at, message);
  }
}

function trimParts(parts: TextPart[]): TextPart[] {
  return parts
    .map((part, index) => {
      if (typeof part !== "string") return part;
      const left = index === 0 ? part.trimStart() : part;
      return index === parts.length - 1 ? left.trimEnd() : left;
    })
    .filter((part) => part !== "");
}
