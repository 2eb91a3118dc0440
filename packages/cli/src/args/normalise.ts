/**
 * What commander does not know of the reference's command line: long flags may be abbreviated while that is unambiguous, and a flag's value
 * is never the next flag.
 */
import { type OptionSpec, takesValue } from "../contract/index.ts";
import { didYouMean, UsageProblem } from "./usage-problem.ts";

/** Arguments with every long flag in full. @throws UsageProblem for unknown and ambiguous flags and missing values. */
export function normalise(argv: readonly string[], options: readonly OptionSpec[], usage: string): string[] {
  const flags = new Map(options.flatMap((option) => option.flags.map((flag) => [flag, option] as const)));
  const normal: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] as string;
    if (!isFlag(token)) {
      normal.push(token);
      continue;
    }
    const eq = token.startsWith("--") ? token.indexOf("=") : -1;
    const written = eq < 0 ? token : token.slice(0, eq);
    const name = written.startsWith("--") ? inFull(written, flags.keys(), usage) : shortFlag(written, flags, usage);
    const option = flags.get(name) as OptionSpec;
    if (eq >= 0 && !takesValue(option)) throw new UsageProblem(`${name} takes no value, got ${JSON.stringify(token)}`, { usage });
    normal.push(eq < 0 ? (written.startsWith("--") ? name : token) : name + token.slice(eq));
    if (eq >= 0 || !takesValue(option) || token.length > name.length && !token.startsWith("--")) continue;
    const value = argv[at + 1];
    if (value === undefined || isFlag(value)) throw new UsageProblem(`${name} needs a value`, { usage, hint: `Write ${name} <${option.type}>: ${option.help}.` });
    normal.push(value);
    at++;
  }
  return normal;
}

/** Starts like a flag and is not a negative number. */
function isFlag(token: string): boolean {
  return token.length > 1 && token.startsWith("-") && !/^-\.?\d/.test(token);
}

function inFull(written: string, flags: Iterable<string>, usage: string): string {
  const all = [...flags];
  if (all.includes(written)) return written;
  const starting = all.filter((flag) => flag.startsWith(written));
  if (starting.length === 1) return starting[0] as string;
  if (starting.length > 1) throw new UsageProblem(`${written} is ambiguous: ${starting.join(", ")}`, { usage, hint: "Write the flag in full." });
  throw unknownFlag(written, all, usage);
}

function shortFlag(written: string, flags: ReadonlyMap<string, OptionSpec>, usage: string): string {
  const name = written.slice(0, 2);
  const option = flags.get(name);
  if (option === undefined || (written.length > 2 && !takesValue(option))) throw unknownFlag(written, flags.keys(), usage);
  return name;
}

function unknownFlag(written: string, flags: Iterable<string>, usage: string): Error {
  return new UsageProblem(`unknown flag ${written}`, { usage, hint: didYouMean(written, flags) ?? "Flags are listed by --help; a configuration key is set by +key=value." });
}
