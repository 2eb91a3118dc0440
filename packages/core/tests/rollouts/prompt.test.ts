import { expect, test } from "vitest";
import { fillPrompt, parsePython, type Row } from "../../src/rollouts/index.ts";

/** Texts as CPython's `str.format_map` writes them. */
test.each([
  ["{x:.2f}", '{"x": 0.125}', "0.12"],
  ["{x:.0f}|{y:.0f}", '{"x": 2.5, "y": 1.5}', "2|2"],
  ["{x:.2f}", '{"x": 1.005}', "1.00"],
  ["{x:.2f}", '{"x": 1e22}', "10000000000000000000000.00"],
  ["{x}|{y}|{z}", '{"x": 1.0, "y": 1, "z": 1e-5}', "1.0|1|1e-05"],
  ["{x}", '{"x": 12345678901234567890}', "12345678901234567890"],
  ["{x:+08,.2f}", '{"x": 1234.5}', "+1,234.50"],
  ["{x:>5}|{x:<5}|{x:^5}|{x:*^5}", '{"x": 7}', "    7|7    |  7  |**7**"],
  ["{x:g}|{y:g}|{z:.3}", '{"x": 0.00001, "y": 1000000.0, "z": 100.0}', "1e-05|1e+06|1e+02"],
  ["{x!r:>8}|{x!s}", '{"x": "it\'s"}', "  \"it's\"|it's"],
  ["{x:x}|{x:#b}|{x:e}|{x:%}", '{"x": 10}', "a|0b1010|1.000000e+01|1000.000000%"],
  ["{x}", '{"x": {"a": [1.5, null, true, "é\\n"]}}', "{'a': [1.5, None, True, 'é\\n']}"],
  ["{x[a][1]}{y:{w}}", '{"x": {"a": [1, "b"]}, "y": "z", "w": 3}', "bz  "],
  ["{s:.2}", '{"s": "héllo"}', "hé"],
])("%s", (user, row, text) => {
  const fields = parsePython(row) as Row;
  const filled = fillPrompt({ path: "p", user, system: null }, JSON.parse(row), fields);
  expect(filled.responses_create_params).toEqual({ input: [{ role: "user", content: text }] });
});

test.each([
  ["{x.real}", "no attributes"],
  ["{x", "never closed"],
  ["x}", "single '}'"],
  ["{x:q}", "cannot be written"],
  ["{l:5}", "cannot be written"],
  ["{l[9]}", "there is no '9'"],
  ["{missing}", "no field 'missing'"],
])("%s is an error that says why", (user, words) => {
  expect(() => fillPrompt({ path: "p", user, system: null }, { x: 1, l: [1] })).toThrow(words);
});
