/**
 * Finds where a JSON array of numbers, and of such arrays, ends in the bytes of a text. Such arrays come by several times a rollout, so this is the
 * one loop of the project that is written for its speed: a table says what each byte makes of each state.
 */

/** Deepest nesting of a raw array: expert routing is tokens x layers x top k. */
const DEPTH_LIMIT = 4;

// States of a number and of what stands between numbers; those from OPEN on end the inner loop.
const VALUE = 0;
const FIRST = 1;
const MINUS = 2;
const ZERO = 3;
const INTEGER = 4;
const POINT = 5;
const FRACTION = 6;
const EXPONENT = 7;
const SIGN = 8;
const POWER = 9;
const AFTER = 10;
const OPEN = 11;
const CLOSE = 12;
const REFUSED = 13;

const BLANKS = " \n\r\t";
const DIGITS = "0123456789";

const NEXT: Uint8Array = new Uint8Array(OPEN * 256).fill(REFUSED);
function define(states: readonly number[], chars: string, next: number): void {
  for (const state of states) for (const char of chars) NEXT[state * 256 + char.charCodeAt(0)] = next;
}
const NUMBER_ENDS = [ZERO, INTEGER, FRACTION, POWER, AFTER];
define([VALUE], BLANKS, VALUE);
define([FIRST], BLANKS, FIRST);
define([FIRST], "]", CLOSE);
define([VALUE, FIRST], "[", OPEN);
define([VALUE, FIRST], "-", MINUS);
define([VALUE, FIRST, MINUS], "0", ZERO);
define([VALUE, FIRST, MINUS], "123456789", INTEGER);
define([INTEGER], DIGITS, INTEGER);
define([ZERO, INTEGER], ".", POINT);
define([POINT, FRACTION], DIGITS, FRACTION);
define([ZERO, INTEGER, FRACTION], "eE", EXPONENT);
define([EXPONENT], "+-", SIGN);
define([EXPONENT, SIGN, POWER], DIGITS, POWER);
define(NUMBER_ENDS, ",", VALUE);
define(NUMBER_ENDS, "]", CLOSE);
define(NUMBER_ENDS, BLANKS, AFTER);

/** Position after the array that starts at `start`, or -1 where it holds anything but numbers and arrays, or is malformed. */
export function endOfNumberArray(bytes: Uint8Array, start: number): number {
  let state = FIRST;
  let at = start + 1;
  let depth = 1;
  for (;;) {
    do state = NEXT[state * 256 + (bytes[at++] as number)] as number;
    while (state < OPEN);
    if (state === OPEN) {
      if (++depth > DEPTH_LIMIT) return -1;
      state = FIRST;
    } else if (state === CLOSE) {
      if (--depth === 0) return at;
      state = AFTER;
    } else return -1;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** One letter of each word of JSON: `null`, `true`, `false`. */
const WORDS = [0x6e, 0x74, 0x66];

/**
 * The same for an array that was checked when it came in, without a look at its numbers: it reaches to the last bracket before the next quote or
 * brace. -1 where it holds a word, a text or an object, or where no key and no end of the object follows.
 */
export function endOfCheckedArray(bytes: Buffer, start: number): number {
  const quote = bytes.indexOf(QUOTE, start);
  // Only as far as the next quote, or many short arrays before one long rest would each be a way through the rest.
  const brace = (quote === -1 ? bytes.subarray(start) : bytes.subarray(start, quote)).indexOf(CLOSE_BRACE);
  const limit = brace === -1 ? quote : start + brace;
  if (limit === -1) return -1;
  const end = bytes.lastIndexOf(CLOSE_BRACKET, limit) + 1;
  if (end <= start) return -1;
  let commas = 0;
  for (let at = end; at < limit; at++) {
    const byte = bytes[at] as number;
    if (byte === COMMA) commas++;
    else if (!isBlank(byte)) return -1;
  }
  if (commas !== (limit === quote ? 1 : 0)) return -1;
  const inside = bytes.subarray(start, end);
  return inside.includes(OPEN_BRACE) || WORDS.some((letter) => inside.includes(letter)) ? -1 : end;
}

/** Position of the `[` that follows the quoted text at `at` as its key, or -1. */
export function arrayAfterKey(bytes: Uint8Array, at: number, length: number): number {
  let before = at - 1;
  while (isBlank(bytes[before])) before--;
  if (bytes[before] !== OPEN_BRACE && bytes[before] !== COMMA) return -1;
  let after = at + length;
  while (isBlank(bytes[after])) after++;
  if (bytes[after] !== 0x3a) return -1;
  after++;
  while (isBlank(bytes[after])) after++;
  return bytes[after] === OPEN_BRACKET ? after : -1;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
