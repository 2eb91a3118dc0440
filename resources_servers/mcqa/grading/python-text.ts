/** Text rules as Python has them: the data sets were made for them, and JavaScript's own differ at the edges. */

/** White space in Python (`str.strip`, `str.split`, `\s`), as the inside of a character class: has U+001C to U+001F and U+0085, has not U+FEFF. */
export const PY_SPACE = "\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

const SPACE = new RegExp(`[${PY_SPACE}]`);
const SPACES = new RegExp(`[${PY_SPACE}]+`, "g");

/** `str.strip()`; a loop because `\s+$` is quadratic in long runs of white space. */
export function pyStrip(text: string, strip: (char: string) => boolean = (char) => SPACE.test(char)): string {
  let start = 0;
  let end = text.length;
  while (start < end && strip(text.charAt(start))) start++;
  while (end > start && strip(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** `str.isalpha()` of one code point; false for longer text. */
export function isOneLetter(text: string): boolean {
  return /^\p{L}$/u.test(text);
}

/** Lower case, with every run of white space as one blank and none at the ends: how option texts are compared. */
export function normalized(text: string): string {
  return pyStrip(text.toLowerCase()).replace(SPACES, " ");
}
