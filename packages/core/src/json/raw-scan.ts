/**
 * Finds the end of a JSON array that holds only numbers and such arrays, and checks its grammar on the way, because a raw text is never seen
 * by `JSON.parse`. Arrays of 100,000 tokens come by several times a rollout, so runs of digits have a loop of their own.
 */

/** Deepest nesting of a raw array: expert routing is tokens x layers x top k. */
const DEPTH_LIMIT = 4;

const OPEN = 0x5b;
const CLOSE = 0x5d;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Position after the array that starts at `start`, or -1 where it holds anything but numbers and arrays, or is malformed. */
export function endOfNumberArray(text: string, start: number): number {
  let depth = 1;
  let at = afterBlanks(text, start + 1);
  // Each turn reads one value, or the end of an empty array, and then what follows it.
  for (;;) {
    let code = text.charCodeAt(at);
    if (code === OPEN) {
      if (++depth > DEPTH_LIMIT) return -1;
      at = afterBlanks(text, at + 1);
      continue;
    }
    if (code === CLOSE) {
      if (text.charCodeAt(beforeBlanks(text, at - 1)) !== OPEN) return -1;
    } else {
      at = endOfNumber(text, at, code);
      if (at === -1) return -1;
    }
    code = text.charCodeAt(at);
    // The common case: a comma directly after a number, and the next number directly after the comma.
    if (code !== COMMA) {
      at = afterBlanks(text, at);
      for (code = text.charCodeAt(at); code === CLOSE; code = text.charCodeAt(at)) {
        if (--depth === 0) return at + 1;
        at = afterBlanks(text, at + 1);
      }
      if (code !== COMMA) return -1;
    }
    at = afterBlanks(text, at + 1);
    if (text.charCodeAt(at) === CLOSE) return -1;
  }
}

function endOfNumber(text: string, start: number, first: number): number {
  let at = start;
  let code = first;
  if (code === MINUS) code = text.charCodeAt(++at);
  if (code < ZERO || code > NINE) return -1;
  if (code === ZERO) code = text.charCodeAt(++at);
  else
    do code = text.charCodeAt(++at);
    while (code >= ZERO && code <= NINE);
  if (code === COMMA) return at;
  if (code === POINT) {
    const digits = at + 1;
    do code = text.charCodeAt(++at);
    while (code >= ZERO && code <= NINE);
    if (at === digits) return -1;
  }
  if (code !== 0x65 && code !== 0x45) return at;
  code = text.charCodeAt(at + 1);
  if (code === PLUS || code === MINUS) at++;
  const digits = at + 1;
  do code = text.charCodeAt(++at);
  while (code >= ZERO && code <= NINE);
  return at === digits ? -1 : at;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); isBlank(code); code = text.charCodeAt(at)) at++;
  return at;
}

function beforeBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at--;
  return at;
}

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
