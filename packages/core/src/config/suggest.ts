/** "Did you mean": names that look like a given one, by the matching-blocks ratio of Ratcliff and Obershelp (as Python's difflib). */

/** Ratio from which two names count as similar. */
const CUTOFF = 0.6;
/** Longer names are not compared: the ratio takes quadratic time. */
const MAX_NAME_LENGTH = 200;

/** Names that are looked at at all, and how many of them are compared exactly. */
const MAX_NAMES = 2_000;
const MAX_COMPARED = 100;

/** At most `count` names that resemble `name`, the best first. */
export function suggest(name: string, names: Iterable<string>, count = 3): string[] {
  if (name.length > MAX_NAME_LENGTH) return [];
  return [...new Set(names)]
    .slice(0, MAX_NAMES)
    .filter((other) => other !== name && other.length <= MAX_NAME_LENGTH)
    .map((other) => ({ other, bound: upperBound(other, name) }))
    .filter(({ bound }) => bound >= CUTOFF)
    .sort((a, b) => b.bound - a.bound)
    .slice(0, MAX_COMPARED)
    .map(({ other }) => ({ other, ratio: similarity(other, name) }))
    .filter(({ ratio }) => ratio >= CUTOFF)
    .sort((a, b) => b.ratio - a.ratio || (a.other < b.other ? 1 : -1))
    .slice(0, count)
    .map(({ other }) => other);
}

/** What the ratio can be at most: that of the characters without their order. */
function upperBound(a: string, b: string): number {
  const left = new Map<string, number>();
  for (const character of b) left.set(character, (left.get(character) ?? 0) + 1);
  let common = 0;
  for (const character of a) {
    const rest = left.get(character) ?? 0;
    if (rest > 0) common++;
    left.set(character, rest - 1);
  }
  return a.length + b.length === 0 ? 1 : (2 * common) / (a.length + b.length);
}

/** `Did you mean 'x'?`, or nothing. */
export function didYouMean(name: string, names: Iterable<string>): string | undefined {
  const near = suggest(name, names);
  return near.length === 0 ? undefined : `Did you mean ${near.map((other) => `'${other}'`).join(" or ")}?`;
}

function similarity(a: string, b: string): number {
  return a.length + b.length === 0 ? 1 : (2 * matches(a, b)) / (a.length + b.length);
}

function matches(a: string, b: string): number {
  const block = longestBlock(a, b);
  if (block.size === 0) return 0;
  return (
    block.size +
    matches(a.slice(0, block.inA), b.slice(0, block.inB)) +
    matches(a.slice(block.inA + block.size), b.slice(block.inB + block.size))
  );
}

function longestBlock(a: string, b: string): { inA: number; inB: number; size: number } {
  const best = { inA: 0, inB: 0, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = 0; i < a.length; i++) {
    const next = new Map<number, number>();
    for (let j = b.indexOf(a[i] ?? ""); j !== -1; j = b.indexOf(a[i] ?? "", j + 1)) {
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) Object.assign(best, { inA: i - size + 1, inB: j - size + 1, size });
    }
    lengths = next;
  }
  return best;
}

/** Whether a name is another one with one or two letters off, swapped neighbours counting as one. */
export function isTypo(name: string, other: string): boolean {
  return (
    name !== other &&
    Math.abs(name.length - other.length) <= 2 &&
    editDistance(name, other) <= (Math.min(name.length, other.length) < 10 ? 1 : 2)
  );
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitute, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
