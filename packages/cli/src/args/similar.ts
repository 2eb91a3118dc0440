/**
 * "Did you mean": the candidate closest to a word, by the measure that Python's difflib uses (Ratcliff and Obershelp 1988: twice the matched
 * characters over all characters, matches found as longest common blocks), so that hints are those a user of the reference knows.
 */

/** Below this a candidate is not worth mentioning. */
const CUTOFF = 0.6;

/** The best candidate with a ratio of at least 0.6; of equals the one that sorts last, as the reference has it. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestRatio = CUTOFF;
  for (const candidate of candidates) {
    const ratio = similarity(candidate, word);
    if (ratio > bestRatio || (ratio === bestRatio && (best === undefined || candidate > best))) {
      best = candidate;
      bestRatio = ratio;
    }
  }
  return best;
}

/** 0 to 1. */
export function similarity(a: string, b: string): number {
  const total = a.length + b.length;
  return total === 0 ? 1 : (2 * matched(a, b)) / total;
}

function matched(a: string, b: string): number {
  const { start, at, length } = longestBlock(a, b);
  if (length === 0) return 0;
  return length + matched(a.slice(0, start), b.slice(0, at)) + matched(a.slice(start + length), b.slice(at + length));
}

/** The longest common block; of equals the one that starts first in `a`, then in `b`. */
function longestBlock(a: string, b: string): { start: number; at: number; length: number } {
  let best = { start: 0, at: 0, length: 0 };
  let previous = new Array<number>(b.length + 1).fill(0);
  for (let i = 0; i < a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(0);
    for (let j = 0; j < b.length; j++) {
      if (a[i] !== b[j]) continue;
      const length = (previous[j] ?? 0) + 1;
      row[j + 1] = length;
      if (length > best.length) best = { start: i - length + 1, at: j - length + 1, length };
    }
    previous = row;
  }
  return best;
}
