import { describe, expect, test } from "vitest";
import { createCounters } from "../counters.ts";

describe("counters", () => {
  test("each session has its own; opening it again keeps it", () => {
    const counters = createCounters();
    counters.open("a", 3);
    counters.open("b", 10);
    counters.add("a", 4);
    counters.open("a", 0);
    expect([counters.value("a"), counters.value("b")]).toEqual([7, 10]);
  });

  test("adding opens at 0; reading does not open", () => {
    const counters = createCounters();
    expect(counters.value("a")).toBeUndefined();
    expect(counters.value("a")).toBeUndefined();
    counters.add("a", 2);
    expect(counters.value("a")).toBe(2);
  });

  test("a closed session is gone; closing an unknown one is nothing", () => {
    const counters = createCounters();
    counters.open("a", 1);
    counters.close("a");
    counters.close("b");
    expect(counters.value("a")).toBeUndefined();
  });

  test("the oldest is forgotten when there are too many", () => {
    const counters = createCounters(2);
    for (const session of ["a", "b", "c"]) counters.open(session, 1);
    expect(["a", "b", "c"].map((session) => counters.value(session))).toEqual([undefined, 1, 1]);
  });
});
