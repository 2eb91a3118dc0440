/** The text that a dump grows into, and how its texts fold at the width. */

/** Column past which a text goes on in the next line at its next blank. */
const WIDTH = 80;

const ESCAPES: Record<string, string> = {
  "\0": "0",
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "e",
  '"': '"',
  "\\": "\\",
  "\x85": "N",
  "\xa0": "_",
  "\u2028": "L",
  "\u2029": "P",
};

export class YamlLines {
  private readonly parts: string[] = [];
  private column = 0;

  write(text: string): void {
    this.parts.push(text);
    this.column += length(text);
  }

  newLine(indent: number): void {
    this.parts.push("\n", " ".repeat(indent));
    this.column = indent;
  }

  end(): string {
    return `${this.parts.join("")}\n`;
  }

  plain(text: string, indent: number, fold: boolean): void {
    for (const run of text.match(/ +|[^ ]+/g) ?? []) {
      if (run === " " && fold && this.column > WIDTH) this.newLine(indent);
      else this.write(run);
    }
  }

  single(text: string, indent: number, fold: boolean): void {
    this.write("'");
    let position = 0;
    for (const run of text.match(/ +|[\n\x85\u2028\u2029]+|[^ \n\x85\u2028\u2029]+/g) ?? []) {
      const inside = position > 0 && position + run.length < text.length;
      position += run.length;
      if (run === " " && fold && inside && this.column > WIDTH) this.newLine(indent);
      else if (/^[\n\x85\u2028\u2029]/.test(run)) this.breaks(run, indent);
      else this.write(run.replaceAll("'", "''"));
    }
    this.write("'");
  }

  /** Line ends of a quoted text: one more than there are, since the first is read as a blank. */
  private breaks(run: string, indent: number): void {
    this.parts.push(run.startsWith("\n") ? `\n${run}` : run, " ".repeat(indent));
    this.column = indent;
  }

  double(text: string, indent: number, fold: boolean): void {
    const characters = [...text];
    this.write('"');
    let start = 0;
    for (let end = 0; end <= characters.length; end++) {
      const character = characters[end];
      if (character === undefined || needsEscape(character)) {
        this.write(characters.slice(start, end).join(""));
        start = end;
        if (character !== undefined) {
          this.write(escaped(character));
          start = end + 1;
        }
      }
      const splits = end > 0 && end < characters.length - 1 && (character === " " || start >= end) && this.column + (end - start) > WIDTH;
      if (!splits || !fold) continue;
      this.write(`${characters.slice(start, Math.max(start, end)).join("")}\\`);
      start = Math.max(start, end);
      this.newLine(indent);
      if (characters[start] === " ") this.write("\\");
    }
    this.write('"');
  }
}

function needsEscape(character: string): boolean {
  return !/^[\x20\x21\x23-\x5b\x5d-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/.test(character);
}

function escaped(character: string): string {
  const short = ESCAPES[character];
  if (short !== undefined) return `\\${short}`;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

function length(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) if ((text.charCodeAt(index) & 0xfc00) === 0xdc00) count--;
  return count;
}
