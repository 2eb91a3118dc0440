import { describe, expect, test } from "vitest";
import { expandRecipes, gridRows } from "../src/index.ts";

describe("recipes of golden inputs", () => {
  test.each([
    [{ $repeat: ["ab", 3] }, "ababab"],
    [{ $repeat: [[1, [2]], 2] }, [1, [2], 1, [2]]],
    [{ $repeat: [[], 5] }, []],
    [{ $concat: ["a", { $repeat: ["b", 2] }] }, "abb"],
    [{ $concat: [[1], [[2]], { $repeat: [[3], 2] }] }, [1, [2], 3, 3]],
    [{ $float: "nan" }, Number.NaN],
    [{ $float: "-inf" }, Number.NEGATIVE_INFINITY],
    [
      { a: [{ b: { $float: "inf" } }], c: null },
      { a: [{ b: Number.POSITIVE_INFINITY }], c: null },
    ],
    [
      { $repeat: ["x", 2], other: 1 },
      { $repeat: ["x", 2], other: 1 },
    ],
    [{ $unknown: 1 }, { $unknown: 1 }],
  ])("%j", (value, expected) => {
    expect(expandRecipes(value)).toEqual(expected);
  });

  test("a grid follows its generator, field by field", () => {
    const rows = gridRows({ tasks: 1, repeats: 2, seed: 1, fields: [{ name: "x", mod: 10, div: 2 }] });
    // 16807 and 16807 * 16807 mod (2^31 - 1) = 282475249
    expect(rows).toEqual([
      { _ng_task_index: 0, _ng_rollout_index: 0, x: 3.5 },
      { _ng_task_index: 0, _ng_rollout_index: 1, x: 4.5 },
    ]);
  });

  test("unknown floats and endless repeats are refused", () => {
    expect(() => expandRecipes({ $float: "NaN" })).toThrow(/\$float/);
    expect(() => expandRecipes({ $repeat: ["x", 1e9] })).toThrow(/more than/);
  });
});
