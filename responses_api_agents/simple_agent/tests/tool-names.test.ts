import { describe, expect, test } from "vitest";
import { isToolName } from "../tools.ts";

describe("names that a model may call", () => {
  test.each([["get_weather"], ["do it"], ["Search"], ["mcp__res__find"], ["a.b"], ["do_it#x"], ["%64o_it"], ["verify_all"], ["日本"]])(
    "%j",
    (name) => {
      expect(isToolName(name)).toBe(true);
    },
  );

  test.each([
    [""],
    ["."],
    [".."],
    ["../do_it"],
    ["a/../do_it"],
    ["http://x/y"],
    ["/verify"],
    ["ng-rollout/x/verify"],
    ["a\\b"],
    ["do_it?x=1"],
    ["verify"],
    ["seed_session"],
    ["close_session"],
    ["aggregate_metrics"],
    ["reverify_mode"],
    ["reset"],
    ["step"],
    ["close"],
    ["mcp"],
    ["v1/responses"],
  ])("not %j", (name) => {
    expect(isToolName(name)).toBe(false);
  });
});
