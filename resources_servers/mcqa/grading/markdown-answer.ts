import { fromStrictBox } from "./boxed.ts";
import { type Choices, latinLetters, offered } from "./choices.ts";
import { PY_SPACE, pyStrip } from "./python-text.ts";

const ANSWER = new RegExp(`[*_]{0,2}answer[*_]{0,2}[${PY_SPACE}]*:[*_${PY_SPACE}]{0,2}([^\\n]+)`, "giu");
const STANDALONE = /(?<![A-Za-z0-9])[A-Za-z](?![A-Za-z0-9])/g;
const LEADING = /^([A-Za-z])(?![A-Za-z0-9])/;
/** What makes two letters a list of letters: one sign, `or`, `and`, or white space alone. */
const LIST_SEPARATOR = new RegExp(`^(?:[${PY_SPACE}]*[/|&,;][${PY_SPACE}]*|[${PY_SPACE}]+(?:or|and)[${PY_SPACE}]+|[${PY_SPACE}]+)$`, "i");
const DECORATION = "*_` \t\r\n.,;:";

/**
 * The last usable text after `Answer:`, with or without markdown, or after the row's own prefix; a text that names two letters is not usable.
 * With a prefix and nothing found, the strict box is tried.
 */
export function fromMarkdownAnswer(answer: string, choices: Choices, prefix: string): string | null {
  const text = answer.normalize("NFKC");
  const found = [...text.matchAll(ANSWER), ...(prefix === "" ? [] : text.matchAll(prefixPattern(prefix)))].sort(
    (a, b) => a.index - b.index,
  );
  for (const match of found.reverse()) {
    const letter = payloadLetter(match[1] ?? "", choices);
    if (letter !== null) return letter;
  }
  return prefix === "" ? null : fromStrictBox(text, choices);
}

function prefixPattern(prefix: string): RegExp {
  const literal = prefix.normalize("NFKC").replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`${literal}[${PY_SPACE}]*([^\\n]+)`, "giu");
}

function payloadLetter(raw: string, choices: Choices): string | null {
  const payload = pyStrip(pyStrip(latinLetters(raw)), (char) => DECORATION.includes(char));
  const standalone = [...payload.matchAll(STANDALONE)];
  if (isList(payload, standalone, choices)) return null;
  const leading = LEADING.exec(payload)?.[1];
  if (leading !== undefined) return offered(leading.toUpperCase(), choices);
  if ([...payload].length === 1) return offered(payload.toUpperCase(), choices);
  return offered(
    standalone.map((match) => match[0]).findLast((letter) => letter === letter.toUpperCase()),
    choices,
  );
}

function isList(payload: string, standalone: RegExpMatchArray[], choices: Choices): boolean {
  return standalone.some((match, index) => {
    const next = standalone[index + 1];
    if (next === undefined || match.index === undefined || next.index === undefined) return false;
    const [left, right] = [match[0].toUpperCase(), next[0].toUpperCase()];
    return (
      left !== right &&
      choices.letters.has(left) &&
      choices.letters.has(right) &&
      LIST_SEPARATOR.test(payload.slice(match.index + 1, next.index))
    );
  });
}
