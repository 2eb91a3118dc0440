import { type Choices, offered } from "./choices.ts";
import { normalized, PY_SPACE, pyStrip } from "./python-text.ts";

const BOX = "\\boxed{";
const WRAPPER = "\\text{";
const ONE_CAPITAL = /^[^A-Za-z]*([A-Z])[^A-Za-z]*$/;
const LABEL = new RegExp(`^([A-Z])[${PY_SPACE}]*[:).-]`);

/** The inside of the last `\boxed{...}`, stripped; null where there is none or its braces do not balance (an earlier box does not count then). */
function lastBox(text: string): string | null {
  const start = text.lastIndexOf(BOX);
  if (start < 0) return null;
  let depth = 1;
  for (let at = start + BOX.length; at < text.length; at++) {
    const char = text[at];
    if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return pyStrip(text.slice(start + BOX.length, at));
  }
  return null;
}

/** Text without the `\text{...}` around all of it, however many. */
export function unwrapped(text: string): string {
  let inner = text;
  while (inner.startsWith(WRAPPER) && inner.endsWith("}")) inner = pyStrip(inner.slice(WRAPPER.length, -1));
  return inner;
}

function boxLetter(box: string, choices: Choices): string | null {
  const content = unwrapped(box);
  return offered((ONE_CAPITAL.exec(content) ?? LABEL.exec(content))?.[1], choices);
}

/** The last box holds one capital among signs and digits, or begins with one and `:`, `)`, `.` or `-`. */
export function fromStrictBox(answer: string, choices: Choices): string | null {
  const box = lastBox(answer);
  return box === null ? null : boxLetter(box, choices);
}

/** As the strict rule; else the one letter whose text occurs in the box. */
export function fromLenientBox(answer: string, choices: Choices): string | null {
  const box = lastBox(answer);
  if (box === null || box === "") return null;
  const letter = boxLetter(box, choices);
  if (letter !== null) return letter;
  const readings = [normalized(box), normalized(unwrapped(box))];
  const found = new Set(
    choices.texts
      .filter(({ text }) => text !== null && text !== "" && readings.some((reading) => reading.includes(text)))
      .map((choice) => choice.letter),
  );
  return found.size === 1 ? ([...found][0] ?? null) : null;
}
