/**
 * What commander does not know of the reference's command line: long flags may be abbreviated while that is unambiguous, and a flag's value
 * is never the next flag.
 */
import { type OptionSpec, takesValue } from "../contract/index.ts";
import { UsageProblem } from "./usage-problem.ts";

/** Arguments with every long flag in full. @throws UsageProblem for unknown and ambiguous flags and missing values. */
export function normalise(argv: readonly string[], options: readonly OptionSpec[], usage: string): string[] {
  const flags = new Map(options.flatMap((option) => option.flags.map((flag) => [flag, option] as const)));
  const normal: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] as string;
    if (token === "--") return [...normal, ...argv.slice(at)];
    if (!isFlag(token)) {
      normal.push(token);
      continue;
    }
    const { name, attached } = token.startsWith("--") ? longFlag(token, flags, usage) : shortFlag(token, flags, usage);
    const option = flags.get(name) as OptionSpec;
    if (!takesValue(option)) {
      if (attached !== undefined) throw new UsageProblem(`${name} takes no value, got ${JSON.stringify(token)}`, { usage });
      normal.push(name);
      continue;
    }
    const next = argv[at + 1];
    const value = attached ?? (next === undefined || isFlag(next) ? undefined : next);
    if (value === undefined)
      throw new UsageProblem(`${name} needs a value`, { usage, hint: `Write ${name} <${option.type}>: ${option.help}.` });
    normal.push(name, value);
    if (attached === undefined) at++;
  }
  return normal;
}

/** Starts like a flag and is not a negative number. */
function isFlag(token: string): boolean {
  return token.length > 1 && token.startsWith("-") && !/^-\.?\d/.test(token);
}

/** `--name`, `--name=value`, or the start of exactly one name. */
function longFlag(token: string, flags: ReadonlyMap<string, OptionSpec>, usage: string): { name: string; attached?: string } {
  const eq = token.indexOf("=");
  const written = eq < 0 ? token : token.slice(0, eq);
  const attached = eq < 0 ? undefined : token.slice(eq + 1);
  if (flags.has(written)) return { name: written, attached };
  const starting = [...flags.keys()].filter((flag) => flag.startsWith(written));
  if (starting.length === 1) return { name: starting[0] as string, attached };
  if (starting.length === 0) throw unknownFlag(written, flags.keys(), usage);
  throw new UsageProblem(`${written} is ambiguous: ${starting.join(", ")}`, { usage, hint: "Write the flag in full." });
}

/** `-m`, or `-mVALUE`. */
function shortFlag(token: string, flags: ReadonlyMap<string, OptionSpec>, usage: string): { name: string; attached?: string } {
  const name = token.slice(0, 2);
  const option = flags.get(name);
  if (option === undefined || (token.length > 2 && !takesValue(option))) throw unknownFlag(token, flags.keys(), usage);
  return { name, attached: token.length > 2 ? token.slice(2) : undefined };
}

function unknownFlag(written: string, flags: Iterable<string>, usage: string): Error {
  return new UsageProblem(`unknown flag ${written}`, {
    usage,
    near: { word: written, candidates: [...flags] },
    hint: "Flags are listed by --help; a configuration key is set by +key=value.",
  });
}
