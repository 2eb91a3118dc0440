import { expect, test } from "vitest";
import { replicaOf } from "../../src/servers/index.ts";

// Vectors of the reference.
test.each([
  ["target-session", [1, 1, 1]],
  ["a", [0, 1, 2]],
  ["session-1", [0, 1, 0]],
])("%s is answered by the same endpoint always", (session, of) => {
  expect([2, 3, 4].map((count) => replicaOf(session, count))).toEqual(of);
});

test("one endpoint answers all", () => {
  expect(replicaOf("any", 1)).toBe(0);
});
