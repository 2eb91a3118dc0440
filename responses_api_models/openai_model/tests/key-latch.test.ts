import { describe, expect, test } from "vitest";
import { createKeyLatch, FIRST_PAUSE_MS, isKeyRefusal, LONGEST_PAUSE_MS } from "../key-latch.ts";

const answer = (status: number, body: unknown) => ({
  status,
  headers: {},
  setCookies: [],
  json: () => body,
  text: () => (typeof body === "string" ? body : JSON.stringify(body)),
});

const REFUSED = answer(401, { error: { code: "invalid_api_key" } });

describe("what counts as a refused key", () => {
  test.each([
    [429, { error: { code: "insufficient_quota" } }, true],
    [429, { error: { type: "BUDGET_EXCEEDED" } }, true],
    [429, { error: "insufficient_quota" }, true],
    [429, { error: { code: "rate_limit_exceeded" } }, false],
    [429, "insufficient_quota", false],
    [401, { error: { code: "invalid_api_key" } }, true],
    [403, { error: { type: "authentication_error" } }, true],
    [403, { error: { code: "invalid_api_token" } }, true],
    [401, "Incorrect API key provided", true],
    [401, { error: { message: "INVALID api KEY" } }, true],
    [401, { error: { message: "no access to this model" } }, false],
    [400, { error: { code: "invalid_api_key" } }, false],
    [200, { error: { code: "invalid_api_key" } }, false],
  ])("%i %j: %s", (status, body, expected) => {
    expect(isKeyRefusal(answer(status, body))).toBe(expected);
  });
});

describe("the latch", () => {
  test("blocks at once, lets one trial through after the pause, doubles it up to the longest", () => {
    let now = 0;
    const latch = createKeyLatch(() => now);
    expect(latch.blocked()).toBeUndefined();
    latch.saw(REFUSED);
    expect(latch.blocked()?.reply).toBe(REFUSED);

    let pause = FIRST_PAUSE_MS;
    for (let round = 0; round < 6; round++) {
      now += pause - 1;
      expect(latch.blocked()).toBeDefined();
      now += 1;
      expect(latch.blocked(), "the trial").toBeUndefined();
      expect(latch.blocked(), "only one").toBeDefined();
      latch.saw(REFUSED);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
    expect(pause).toBe(LONGEST_PAUSE_MS);
    expect(latch.state()?.since).toBe(0);
  });

  test("calls that were under way do not lengthen the pause", () => {
    let now = 0;
    const latch = createKeyLatch(() => now);
    for (let i = 0; i < 100; i++) latch.saw(REFUSED);
    now = FIRST_PAUSE_MS;
    expect(latch.blocked()).toBeUndefined();
  });

  test("an answer opens it", () => {
    let now = 0;
    const latch = createKeyLatch(() => now);
    latch.saw(REFUSED);
    now = FIRST_PAUSE_MS;
    latch.blocked();
    latch.saw(answer(200, {}));
    expect(latch.blocked()).toBeUndefined();
    expect(latch.state()).toBeUndefined();
  });

  test("another failure of the trial keeps it shut for the pause", () => {
    let now = 0;
    const latch = createKeyLatch(() => now);
    latch.saw(REFUSED);
    now = FIRST_PAUSE_MS;
    expect(latch.blocked()).toBeUndefined();
    latch.saw(answer(503, ""));
    expect(latch.blocked()).toBeDefined();
    now += FIRST_PAUSE_MS;
    expect(latch.blocked()).toBeUndefined();
  });
});
