/** Splits shell text into simple commands and their words, as far as documentation needs it: quotes, comments, continued lines, `VAR=x command`. */

export interface ShellCommand {
  words: string[];
  /** From 1, within the text. */
  line: number;
}

const OPERATORS = /^(?:&&|\|\||;|\||&(?!>)|\n)/;
/** Words after which a command begins. */
const KEYWORDS = new Set(["if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "time", "!", "{", "}", "exec"]);

export function shellCommands(text: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let line = 1;
  let startLine = 1;
  const endWord = (): void => {
    if (word === undefined) return;
    if (words.length === 0) startLine = line;
    words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    const simple = commandOf(words);
    if (simple.length > 0) commands.push({ words: simple, line: startLine });
    words = [];
  };
  for (let at = 0; at < text.length; at++) {
    const rest = text.slice(at);
    const char = text[at] as string;
    const operator = OPERATORS.exec(rest)?.[0];
    if (rest.startsWith("\\\n")) {
      endWord();
      at++;
      line++;
    } else if (char === "#" && word === undefined) {
      at += rest.search(/\n|$/) - 1;
    } else if (char === "'" || char === '"') {
      const end = closingQuote(text, at);
      word = (word ?? "") + text.slice(at + 1, end);
      line += text.slice(at, end).split("\n").length - 1;
      at = end;
    } else if (operator !== undefined) {
      endCommand();
      at += operator.length - 1;
      if (operator === "\n") line++;
    } else if (/\s/.test(char)) endWord();
    else word = (word ?? "") + char;
  }
  endCommand();
  return commands;
}

function closingQuote(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\" && quote === '"') at++;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

/** Without keywords and assignments before the command, and without redirections. */
function commandOf(words: readonly string[]): string[] {
  let start = 0;
  while (start < words.length && (KEYWORDS.has(words[start] as string) || /^\w+=/.test(words[start] as string))) start++;
  const command: string[] = [];
  for (let at = start; at < words.length; at++) {
    const word = words[at] as string;
    if (/^\d*(?:[<>]|>>|>&|&>)$/.test(word)) at++;
    else if (!/^\d*[<>]|^&>/.test(word)) command.push(word);
  }
  return command;
}
