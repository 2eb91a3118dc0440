/** The value side of an override token, in Hydra's grammar: words, quoted texts, interpolations, lists, mappings, functions, sweeps. */
import { MAX_DEPTH } from "./limits.ts";
import { callFunction } from "./override-functions.ts";
import { type Typed, trimUnescaped, typedWord } from "./words.ts";

export class OverrideSyntaxError extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

export type OverrideValue =
  | { kind: "word"; typed: Typed; quoted?: true }
  | { kind: "list"; items: OverrideValue[] }
  | { kind: "map"; entries: { key: Typed; value: OverrideValue }[] }
  /** A comma list or a sweep function: several runs, which a command is not. */
  | { kind: "sweep"; name: string };

export interface Argument {
  name: string | undefined;
  value: OverrideValue;
}

const WORD = /[A-Za-z0-9_/\-+.$%*@?| \t]/;
const ESCAPABLE = "\\()[]{}:=, \t";

/** Parses the text after `=`, which begins at `offset` of its token. Throws `OverrideSyntaxError`. */
export function parseOverrideValue(token: string, offset: number): OverrideValue {
  return new ValueParser(token, offset).whole();
}

class ValueParser {
  private at: number;
  private depth = 0;
  private readonly token: string;

  constructor(token: string, offset: number) {
    this.token = token;
    this.at = offset;
  }

  whole(): OverrideValue {
    this.blanks();
    if (this.at >= this.token.length) return { kind: "word", typed: { type: "str", value: "" } };
    const first = this.element();
    if (!this.comma()) return this.end(first);
    do this.element();
    while (this.comma());
    return this.end({ kind: "sweep", name: "a comma list" });
  }

  private end(value: OverrideValue): OverrideValue {
    if (this.at < this.token.length) this.unexpected();
    return value;
  }

  private element(): OverrideValue {
    if (++this.depth > MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH} levels`);
    const value = this.content();
    this.depth--;
    return value;
  }

  private content(): OverrideValue {
    const character = this.token[this.at];
    if (character === "[") return this.list();
    if (character === "{") return this.map();
    if (character === "'" || character === '"') return this.quoted(character);
    return this.call() ?? this.word();
  }

  private list(): OverrideValue {
    this.open();
    const items: OverrideValue[] = [];
    if (this.close("]")) return { kind: "list", items };
    do items.push(this.element());
    while (this.comma());
    if (!this.close("]")) this.unexpected("']' is missing");
    return { kind: "list", items };
  }

  private map(): OverrideValue {
    this.open();
    const entries: { key: Typed; value: OverrideValue }[] = [];
    if (this.close("}")) return { kind: "map", entries };
    do entries.push(this.pair());
    while (this.comma());
    if (!this.close("}")) this.unexpected("'}' is missing");
    return { kind: "map", entries };
  }

  private pair(): { key: Typed; value: OverrideValue } {
    const key = this.rawWord(false);
    if (key === undefined || this.token[this.at] !== ":") this.unexpected("expected an unquoted key and ':'");
    this.at++;
    this.blanks();
    return { key, value: this.element() };
  }

  private quoted(quote: string): OverrideValue {
    const start = this.at++;
    let out = "";
    for (;;) {
      const character = this.token[this.at];
      if (character === undefined) this.fail(`the closing ${quote} is missing`, start);
      this.at++;
      if (character === quote) return { kind: "word", typed: { type: "str", value: out }, quoted: true };
      out += character === "\\" ? this.backslashes(quote) : character;
    }
  }

  /** Backslashes are escapes only in a run before the quote; pairs of them are one backslash there. */
  private backslashes(quote: string): string {
    let count = 1;
    while (this.token[this.at] === "\\") {
      this.at++;
      count++;
    }
    if (this.token[this.at] !== quote) return "\\".repeat(count);
    if (count % 2 === 0) return "\\".repeat(count / 2);
    this.at++;
    return "\\".repeat((count - 1) / 2) + quote;
  }

  /** `name(arguments)`; undefined (and nothing consumed) where it is no call. */
  private call(): OverrideValue | undefined {
    const head = /[A-Za-z_][A-Za-z0-9_-]*[ \t]*\([ \t]*/y;
    head.lastIndex = this.at;
    const found = head.exec(this.token)?.[0];
    if (found === undefined) return undefined;
    const start = this.at;
    const name = /^[\w-]+/.exec(found)?.[0] ?? "";
    if (typedWord(name).type !== "str") return undefined;
    this.at += found.length;
    const args: Argument[] = [];
    if (!this.close(")")) {
      do args.push(this.argument());
      while (this.comma());
      if (!this.close(")")) this.unexpected("')' is missing");
    }
    return callFunction(name, args, (message) => this.fail(message, start));
  }

  private argument(): Argument {
    const named = /([A-Za-z_][A-Za-z0-9_-]*)=[ \t]*/y;
    named.lastIndex = this.at;
    const found = named.exec(this.token);
    if (found !== null) this.at += found[0].length;
    return { name: found?.[1], value: this.element() };
  }

  private word(): OverrideValue {
    const typed = this.rawWord(true);
    if (typed === undefined) this.unexpected("a value is missing");
    return { kind: "word", typed };
  }

  /** An unquoted run; keys of mappings take neither colons nor interpolations. */
  private rawWord(asValue: boolean): Typed | undefined {
    const start = this.at;
    let out = "";
    let typed = true;
    for (;;) {
      const character = this.token[this.at] ?? "";
      const interpolation = asValue ? this.interpolation() : undefined;
      if (interpolation !== undefined) {
        out += interpolation;
        typed = false;
      } else if (character === "\\" && ESCAPABLE.includes(this.token[this.at + 1] ?? "\n")) {
        out += this.token[this.at + 1];
        typed = false;
        this.at += 2;
      } else if (character !== "" && (WORD.test(character) || character === "\\" || (asValue && character === ":"))) {
        out += character;
        this.at++;
      } else break;
    }
    const text = trimUnescaped(this.token.slice(start, this.at), out);
    if (text === "") return undefined;
    return typed ? typedWord(text) : { type: "str", value: text };
  }

  private interpolation(): string | undefined {
    if (!this.token.startsWith("${", this.at)) return undefined;
    const end = this.token.indexOf("}", this.at + 2);
    if (end <= this.at + 2) return undefined;
    const found = this.token.slice(this.at, end + 1);
    this.at = end + 1;
    return found;
  }

  private open(): void {
    this.at++;
    this.blanks();
  }

  private close(character: string): boolean {
    const after = this.skipped();
    if (this.token[after] !== character) return false;
    this.at = after + 1;
    return true;
  }

  private comma(): boolean {
    if (!this.close(",")) return false;
    this.blanks();
    return true;
  }

  private blanks(): void {
    this.at = this.skipped();
  }

  private skipped(): number {
    let at = this.at;
    while (this.token[at] === " " || this.token[at] === "\t") at++;
    return at;
  }

  private unexpected(otherwise = "a value is missing"): never {
    if (this.at >= this.token.length) this.fail(otherwise);
    this.fail(`'${String.fromCodePoint(this.token.codePointAt(this.at) ?? 0x20)}' cannot stand here unquoted`);
  }

  private fail(message: string, at = this.at): never {
    throw new OverrideSyntaxError(at, message);
  }
}
