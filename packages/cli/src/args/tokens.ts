/** Flags become Hydra override tokens; lists of configuration files become one. */
import type { OptionSpec, PositionalSpec } from "../contract/index.ts";
import { UsageProblem } from "./usage-problem.ts";

/** `+config_paths=[...]`: the only form that is merged. A forced `++config_paths=` replaces, as it says. */
const CONFIG_PATHS = "+config_paths=";

/** Tokens of the options that were given, in the table's order. Selectors are not among them. */
export function optionTokens(options: readonly OptionSpec[], given: ReadonlyMap<string, readonly string[]>, usage: string): string[] {
  const tokens: string[] = [];
  for (const option of options) {
    const values = given.get(option.flags[0] as string);
    if (values === undefined || option.key === undefined) continue;
    for (const value of values) tokens.push(`+${option.key}=${written(option, value, usage)}`);
  }
  return tokens;
}

export function positionalToken(positional: PositionalSpec, value: string): string {
  return `+${positional.key}=${positional.quote === true ? JSON.stringify(value) : value}`;
}

function written(option: OptionSpec, value: string, usage: string): string {
  if (option.type !== "list") return option.quote === true ? JSON.stringify(value) : value;
  const items = value.split(",").map((item) => item.trim());
  if (items.includes(""))
    throw new UsageProblem(`${option.flags[0]} has an empty item: ${JSON.stringify(value)}`, {
      usage,
      hint: "Separate items by one comma.",
    });
  return `[${items.map((item) => JSON.stringify(item)).join(",")}]`;
}

/** One list of configuration files at the front: those of flags, then those of the user's tokens; all other tokens keep their order. */
export function coalesceConfigPaths(paths: readonly string[], tokens: readonly string[]): string[] {
  const lists = tokens.filter((token) => token.startsWith(CONFIG_PATHS));
  if (paths.length === 0 && lists.length === 0) return [...tokens];
  const others = tokens.filter((token) => !token.startsWith(CONFIG_PATHS));
  if (paths.length === 0 && lists.length === 1) return [lists[0] as string, ...others];
  const items = [...paths, ...lists.map(inner).filter((item) => item !== "")];
  return [`${CONFIG_PATHS}[${items.join(",")}]`, ...others];
}

function inner(token: string): string {
  const value = token.slice(CONFIG_PATHS.length).trim();
  return value.startsWith("[") && value.endsWith("]") ? value.slice(1, -1).trim() : value;
}
