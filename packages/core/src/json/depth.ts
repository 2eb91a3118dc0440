/** How deep a JSON text is nested. What is nested deeper than any data is stops whoever walks it by recursion: schemas, and `JSON.stringify`. */

/** Deepest nesting that is read. */
export const JSON_DEPTH_LIMIT = 1_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Position of the bracket that opens the first level beyond the limit, or -1. The text need not be valid. */
export function positionBeyondDepth(text: string, limit: number = JSON_DEPTH_LIMIT): number {
  if (text.length <= limit || !hasMore(text, limit)) return -1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        do at = text.indexOf('"', at + 1);
        while (at !== -1 && isEscaped(text, at));
        if (at === -1) return -1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > limit) return at;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
    }
  }
  return -1;
}

/** Does the text hold more opening brackets than the limit, wherever they stand? Nearly no text does, and counting them is cheap. */
function hasMore(text: string, limit: number): boolean {
  let left = limit;
  for (const bracket of ["[", "{"])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) if (--left < 0) return true;
  return false;
}

function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}
