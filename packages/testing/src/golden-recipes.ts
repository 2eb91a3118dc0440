/**
 * Recipes: short forms for large or unspeakable values inside the `input` of a golden, expanded before use.
 *
 * `{"$repeat": [x, n]}` text or list n times; `{"$concat": [a, b, ...]}` texts or lists joined; `{"$float": "nan" | "inf" | "-inf"}`;
 * `{"$grid": {tasks, repeats, seed, fields: [{name, mod, div}]}}` rows in task-major order with pseudo-random numbers.
 */

// biome-ignore lint/suspicious/noExplicitAny: a golden is foreign JSON; each runner knows the shape of its own file
type Foreign = any;

/** No recipe makes more than this many elements or characters; a golden that wants more is a mistake. */
export const MAX_RECIPE_SIZE = 50_000_000;

const FLOATS: Record<string, number> = { nan: Number.NaN, inf: Number.POSITIVE_INFINITY, "-inf": Number.NEGATIVE_INFINITY };

const RECIPES: Record<string, (value: Foreign) => unknown> = {
  $repeat: ([value, times]) => repeat(value, times),
  $concat: (parts) => (typeof parts[0] === "string" ? parts.join("") : parts.flat(1)),
  $float: (name) => {
    if (!Object.hasOwn(FLOATS, name)) throw new Error(`$float knows nan, inf and -inf, got ${name}`);
    return FLOATS[name];
  },
  $grid: gridRows,
};

/** A copy of the value with every recipe in it expanded, inside out. */
export function expandRecipes(value: Foreign): Foreign {
  if (Array.isArray(value)) return value.map(expandRecipes);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, expandRecipes(member)] as const);
  const [name, argument] = entries.length === 1 ? (entries[0] as readonly [string, unknown]) : ["", undefined];
  const recipe = Object.hasOwn(RECIPES, name) ? RECIPES[name] : undefined;
  return recipe === undefined ? Object.fromEntries(entries) : recipe(argument);
}

function repeat(value: string | unknown[], times: number): unknown {
  if (value.length * times > MAX_RECIPE_SIZE)
    throw new Error(`$repeat would make ${value.length * times} elements, more than ${MAX_RECIPE_SIZE}`);
  return typeof value === "string" ? value.repeat(times) : Array.from({ length: times }, () => value).flat(1);
}

export interface Grid {
  tasks: number;
  repeats: number;
  seed: number;
  fields: { name: string; mod: number; div: number }[];
}

/** Rows of a grid: a Lehmer generator (16807, 2^31 - 1) gives one number a field, (state mod `mod`) / `div`. */
export function gridRows({ tasks, repeats, seed, fields }: Grid): Record<string, number>[] {
  let state = seed;
  const rows: Record<string, number>[] = [];
  for (let task = 0; task < tasks; task++) {
    for (let repeatIndex = 0; repeatIndex < repeats; repeatIndex++) {
      const row: Record<string, number> = { _ng_task_index: task, _ng_rollout_index: repeatIndex };
      for (const { name, mod, div } of fields) {
        // Below 2^31 * 16807 < 2^53: exact.
        state = (state * 16807) % 2147483647;
        row[name] = (state % mod) / div;
      }
      rows.push(row);
    }
  }
  return rows;
}
