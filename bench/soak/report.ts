/** The checks as a table. */
import type { Check } from "./checks.ts";

export function report(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ what }) => what.length));
  const lines = checks.map(({ what, ok, shown }) => `${ok ? "ok    " : "FAILED"}  ${what.padEnd(width)}  ${shown}`);
  const failed = checks.filter(({ ok }) => !ok).length;
  return `${lines.join("\n")}\n${failed === 0 ? "all hold" : `${failed} of ${checks.length} do not hold`}\n`;
}
