import { describeGolden } from "@ng-gym/testing";
import { expect } from "vitest";
import { addUsage, captureKey, GymError, splitItems, type Usage } from "../../src/protocol/index.ts";

describeGolden("models/usage_add.jsonl", {
  check: ({ input, expected }) => {
    const usages: (Usage | null)[] = input.usages;
    const before = structuredClone(usages);
    const total = usages.reduce<Usage | null>((sum, each) => addUsage(sum, each), null);
    expect(total).toEqual(expected.total);
    expect(usages, "the addends are not changed").toEqual(before);
    if (total !== null) expect(usages, "the total shares nothing with an addend").not.toContain(total);
  },
});

describeGolden("models/rollout_id.jsonl", {
  check: ({ input, expected }) => {
    if (expected.error !== undefined) expect(() => captureKey(input.row)).toThrow(GymError);
    else expect(captureKey(input.row) ?? null).toBe(expected.id);
  },
  exceptions: { "rollout_id-018": "ours: an id with a line feed is refused like every other character outside the alphabet" },
});

describeGolden("models/split_items.jsonl", {
  check: ({ input, expected }) => {
    const { prompt, model } = splitItems(input.items);
    expect({ prompt_items: prompt.length, model_items: model.length }).toEqual(expected);
  },
});
