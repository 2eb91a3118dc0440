/**
 * Text to the `yaml` package's document, one token at a time, so that depth is bounded before anything recursive runs and what PyYAML
 * refuses (tabs outside texts, `?` in flow style, an anchor given twice) is refused at the same place.
 */
import { Composer, CST, type Document, Lexer, Parser, type YAMLError } from "yaml";
import { MAX_DEPTH, MAX_TOKENS } from "./limits.ts";
import { OMEGACONF_TAGS } from "./yaml-tags.ts";

/** A file that does not read, at an offset of its text. */
export class YamlFault extends Error {
  readonly offset: number;
  readonly fix: string | undefined;

  constructor(offset: number, message: string, fix?: string) {
    super(message);
    this.offset = offset;
    this.fix = fix;
  }
}

/** Nothing printable outside this set may stand in YAML 1.1 text. */
const UNPRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ud800-\udfff\ue000-\ufffd]/;

/** Parses one document. `text` has normalised line ends. Throws `YamlFault` for the first thing that is wrong. */
export function parseDocument(text: string): Document.Parsed | undefined {
  const control = UNPRINTABLE.exec(text);
  if (control !== null)
    throw new YamlFault(control.index, `the character U+${control[0].charCodeAt(0).toString(16).padStart(4, "0")} cannot stand in YAML`);
  const { tokens, fault, quote } = tokenise(text);
  const composer = new Composer({ version: "1.1", customTags: () => OMEGACONF_TAGS, uniqueKeys: false, strict: true, logLevel: "silent" });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  const errors: YAMLError[] =
    document === undefined ? [] : [...document.errors, ...document.warnings.filter((warning) => warning.code === "TAG_RESOLVE_FAILED")];
  const faults = errors.map((error) => translate(error, text, quote));
  if (fault !== undefined) faults.push(fault);
  if (second !== undefined)
    faults.push(new YamlFault(secondStart(tokens), "a configuration file holds one document, but another begins here"));
  const [first] = faults.sort((a, b) => a.offset - b.offset);
  if (first !== undefined) throw first;
  return document as Document.Parsed | undefined;
}

function secondStart(tokens: readonly CST.Token[]): number {
  return tokens.filter((token) => token.type === "document")[1]?.offset ?? 0;
}

function tokenise(text: string): { tokens: CST.Token[]; fault: YamlFault | undefined; quote: number } {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const strict = new StrictScan();
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > MAX_TOKENS) throw new YamlFault(parser.offset, `the file has more than ${MAX_TOKENS} tokens`);
    strict.see(lexeme, parser.offset);
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_DEPTH + 2) throw new YamlFault(parser.offset, `nested deeper than ${MAX_DEPTH} levels`);
  }
  tokens.push(...parser.end());
  return { tokens, fault: strict.fault, quote: strict.quote };
}

/** Watches the tokens of one text for what PyYAML's scanner refuses and the `yaml` package accepts. */
class StrictScan {
  fault: YamlFault | undefined;
  /** Where the last quoted text begins. */
  quote = 0;
  private flow = 0;
  private scalarNext = false;
  private blockText = false;
  private readonly anchors = new Set<string>();

  see(lexeme: string, offset: number): void {
    if (this.fault !== undefined) return;
    if (this.scalarNext) {
      this.scalarNext = false;
      if (!this.blockText) this.plainText(lexeme, offset);
      this.blockText = false;
      return;
    }
    switch (CST.tokenType(lexeme)) {
      case "scalar":
        this.scalarNext = true;
        break;
      case "block-scalar-header":
        this.blockText = true;
        break;
      case "space":
        this.tab(lexeme, offset);
        break;
      case "flow-map-start":
      case "flow-seq-start":
        this.flow++;
        break;
      case "flow-map-end":
      case "flow-seq-end":
        this.flow = Math.max(0, this.flow - 1);
        break;
      case "single-quoted-scalar":
      case "double-quoted-scalar":
        this.quote = offset;
        break;
      case "anchor":
        if (this.anchors.has(lexeme))
          this.fault = new YamlFault(offset, `the anchor ${lexeme} is given a second time`, "Give every anchor of a file its own name.");
        this.anchors.add(lexeme);
        break;
      default:
    }
  }

  private plainText(lexeme: string, offset: number): void {
    this.tab(lexeme, offset);
    const question = this.flow > 0 ? lexeme.indexOf("?") : -1;
    if (question !== -1 && this.fault === undefined) {
      this.fault = new YamlFault(
        offset + question,
        "an unquoted '?' cannot stand inside [...] or {...}",
        `Quote it: '${lexeme.slice(0, 40)}'`,
      );
    }
  }

  private tab(lexeme: string, offset: number): void {
    const at = lexeme.indexOf("\t");
    if (at !== -1)
      this.fault = new YamlFault(offset + at, "a tab cannot stand here", "Use blanks, or put the text in double quotes and write \\t.");
  }
}

/** The package's error in our words, at the character where the reference reports it. */
function translate(error: YAMLError, text: string, quote: number): YamlFault {
  const [start] = error.pos;
  switch (error.code) {
    case "BLOCK_AS_IMPLICIT_KEY": {
      const colon = /:(?=[ \n]|$)/g;
      colon.lastIndex = start;
      const found = colon.exec(text);
      return new YamlFault(
        found?.index ?? start,
        "a second ': ' in one line; mapping values are not allowed here",
        "Put the text in quotes.",
      );
    }
    case "KEY_OVER_1024_CHARS":
      return new YamlFault(text.indexOf(":", start + 1024), "a key is longer than 1024 characters");
    case "BAD_DQ_ESCAPE":
      return new YamlFault(start + 1, `found an unknown escape (${error.message})`, "Double the backslash, or use single quotes.");
    case "BAD_INDENT": {
      // An unclosed [ or { runs into the next entry: what does not fit is the colon after its key.
      const entry = /must be sufficiently indented/.test(error.message)
        ? /^[^\n:,[\]{}#]*:(?=[ \n]|$)/.exec(text.slice(start, start + 1100))
        : null;
      if (entry !== null && !/[,[{]\s*$/.test(text.slice(Math.max(0, start - 200), start)))
        return new YamlFault(start + entry[0].length - 1, "a ',' or the closing bracket is missing before this");
      const indent = /^ */.exec(text.slice(text.lastIndexOf("\n", start - 1) + 1))?.[0].length ?? 0;
      const line = text.lastIndexOf("\n", start - 1) + 1;
      return new YamlFault(Math.max(start, line + indent), lower(error.message));
    }
    case "MISSING_CHAR":
      if (!/quote$/.test(error.message)) return new YamlFault(start, lower(error.message));
      return new YamlFault(
        start,
        `the text that begins with ${text[quote]} in line ${text.slice(0, quote).split("\n").length} is not closed`,
        `add the closing ${text[quote]}`,
      );
    default:
      if (text[start] === "%" && (start === 0 || text[start - 1] === "\n")) return directive(text, start);
      return new YamlFault(start, lower(error.message) || "this does not read as YAML");
  }
}

function directive(text: string, start: number): YamlFault {
  const name = /^%[\w-]*/.exec(text.slice(start, start + 1100))?.[0] ?? "%";
  return new YamlFault(start + name.length, "a line cannot start with '%' here");
}

function lower(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
