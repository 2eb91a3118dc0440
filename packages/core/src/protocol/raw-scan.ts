/** Finds the end of a JSON array that holds only numbers and such arrays, and checks its grammar on the way: a raw text is never seen by `JSON.parse`. */

/** Deepest nesting of a raw array: expert routing is tokens x layers x top k. */
const DEPTH_LIMIT = 4;

const OPEN = 0x5b;
const CLOSE = 0x5d;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;

/** Position after the array that starts at `start`, or -1 where it holds anything but numbers and arrays, or is malformed. */
export function endOfNumberArray(text: string, start: number): number {
  let depth = 0;
  let at = start;
  // What may come next: a value (after `[` or `,`) or what follows one (`,` or `]`). `]` directly after `[` is an empty array.
  let wantsValue = true;
  let isFresh = false;
  for (; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      at++;
    } else if (code === COMMA) {
      if (wantsValue) return -1;
      wantsValue = true;
      isFresh = false;
      at++;
    } else if (code === CLOSE) {
      if (wantsValue && !isFresh) return -1;
      depth--;
      at++;
      if (depth === 0) return at;
      wantsValue = false;
    } else if (!wantsValue) {
      return -1;
    } else if (code === OPEN) {
      if (++depth > DEPTH_LIMIT) return -1;
      isFresh = true;
      at++;
    } else {
      const end = endOfNumber(text, at);
      if (end === -1) return -1;
      at = end;
      wantsValue = false;
    }
  }
  return -1;
}

/** Position after the JSON number that starts at `start`, or -1. */
function endOfNumber(text: string, start: number): number {
  let at = text.charCodeAt(start) === MINUS ? start + 1 : start;
  const first = text.charCodeAt(at);
  const whole = first === ZERO ? at + 1 : endOfDigits(text, at);
  if (whole === at) return -1;
  at = whole;
  if (text.charCodeAt(at) === POINT) {
    const fraction = endOfDigits(text, at + 1);
    if (fraction === at + 1) return -1;
    at = fraction;
  }
  const letter = text.charCodeAt(at);
  if (letter !== 0x65 && letter !== 0x45) return at;
  const sign = text.charCodeAt(at + 1);
  const digits = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
  const end = endOfDigits(text, digits);
  return end === digits ? -1 : end;
}

function endOfDigits(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code >= 0x30 && code <= 0x39; code = text.charCodeAt(at)) at++;
  return at;
}
