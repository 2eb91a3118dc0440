/** Numbers and tables as people read them. */

/** `0.8 s`, `12 s`, `2 min 05 s`, `1 h 02 min`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "?";
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** A share as percent that is 100 only when it is whole, and 0 only when it is nothing. */
export function percent(share: number): string {
  const text = (share * 100).toFixed(1);
  if (text === "100.0" && share < 1) return "99.9 %";
  if (text === "0.0" && share > 0) return "0.1 %";
  return `${text.replace(/\.0$/, "")} %`;
}

/** A reward or probability: three decimals. */
export function score(value: number | undefined): string {
  return value === undefined ? "-" : value.toFixed(3);
}

/** Events in a second. */
export function rate(perSecond: number | undefined): string {
  if (perSecond === undefined) return "-/s";
  return `${perSecond >= 100 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`;
}

/** Rows with aligned columns, the first row a head: numbers to the right, words to the left; indented by two. Every line ends in a line feed. */
export function columns(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(oneLine));
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  const numeric = widths.map((_width, at) =>
    rows.every((row, line) => (line === 0 && rows.length > 1 ? true : /^[-\d]/.test(row[at] ?? "-"))),
  );
  const cellText = (cell: string, at: number): string => (numeric[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0));
  return rows.map((row) => `  ${row.map(cellText).join("  ").trimEnd()}\n`).join("");
}

/** `1 server`, `2 servers`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Text from elsewhere within a line of ours. */
export function oneLine(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .join(" ");
}

/** A message of several lines: all but the first are indented, so that none of them can pass for a line of ours. */
export function hanging(text: string): string {
  return text.replace(/\n(?![ \n])/g, "\n  ");
}
