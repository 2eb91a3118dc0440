import { describe, expect, test } from "vitest";
import { createDraw } from "../draw.ts";
import { valueForSchema } from "../schema-value.ts";

const fill = (schema: unknown, text = "How is the weather in Bergen, and 4 degrees?", seed = 0): unknown =>
  valueForSchema(schema, { draw: createDraw(seed), text });

describe("a value for a JSON schema", () => {
  test("names and numbers come from the text", () => {
    const schema = { type: "object", properties: { city: { type: "string" }, degrees: { type: "integer" }, warm: { type: "boolean" } } };
    expect(fill(schema)).toEqual({ city: "Bergen", degrees: 4, warm: expect.any(Boolean) });
  });

  test("what the schema fixes is kept", () => {
    expect(fill({ const: 3 })).toBe(3);
    expect(["a", "b"]).toContain(fill({ enum: ["a", "b"] }));
    expect(fill({ type: "string", default: "x" })).toBe("x");
  });

  test("limits hold where the text has nothing that fits", () => {
    for (let seed = 0; seed < 50; seed++) {
      const value = fill({ type: "integer", minimum: 10, maximum: 12 }, "nothing here", seed) as number;
      expect(Number.isInteger(value) && value >= 10 && value <= 12).toBe(true);
      expect((fill({ type: "string", minLength: 6, maxLength: 8 }, "", seed) as string).length).toBeGreaterThanOrEqual(6);
    }
  });

  test("unions, lists, references and types with null", () => {
    expect(fill({ anyOf: [{ type: "null" }, { type: "string", enum: ["only"] }] })).toBe("only");
    expect(fill({ type: ["null", "boolean"] })).toEqual(expect.any(Boolean));
    expect(fill({ type: "array", items: { const: 1 }, minItems: 2 })).toEqual([1, 1]);
    expect(fill({ $defs: { c: { const: "C" } }, type: "object", properties: { a: { $ref: "#/$defs/c" } } })).toEqual({ a: "C" });
  });

  test("a schema that refers to itself ends", () => {
    const schema = { type: "object", properties: { next: { $ref: "#" } } };
    expect(JSON.stringify(fill(schema)).length).toBeLessThan(500);
  });

  test.each([[null], [true], [7], ["x"], [[]], [{ type: "unheard-of" }]])("a schema that says nothing gives null: %j", (schema) => {
    expect(fill(schema)).toBeNull();
  });

  test("the same draw gives the same value, another one another", () => {
    const schema = { type: "number" };
    expect(fill(schema, "", 1)).toBe(fill(schema, "", 1));
    expect(new Set(Array.from({ length: 20 }, (_, seed) => fill(schema, "", seed))).size).toBeGreaterThan(10);
  });
});
