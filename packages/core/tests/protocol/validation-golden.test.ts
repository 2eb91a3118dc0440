import { describeGolden, type GoldenCase } from "@ng-gym/testing";
import { expect } from "vitest";
import {
  materializeRequest,
  type Parser,
  parseChatAnswer,
  parseChatRequest,
  parseJson,
  parseResponse,
  parseResponsesRequest,
  stringifyJson,
} from "../../src/protocol/index.ts";
import { digested, expand, isNear } from "./recipes.ts";

function check<T>(parse: Parser<T>, key: string, also?: (value: T, golden: GoldenCase) => void): (golden: GoldenCase) => void {
  return (golden) => {
    const body = expand(golden.input.body);
    const before = stringifyJson(body);
    const result = parse(body);
    expect(stringifyJson(body), "the body is not changed").toBe(before);
    const refused = golden.expected.error;
    if (refused !== undefined) {
      expect(result.ok, "accepted").toBe(false);
      if (result.ok) return;
      expect(result.issues.every((issue) => issue.loc[0] === "body")).toBe(true);
      const places = result.issues.map((issue) => issue.loc.slice(1));
      expect(isNear(places, refused.paths), `${JSON.stringify(places)} is not near ${JSON.stringify(refused.paths)}`).toBe(true);
      return;
    }
    expect(result).toMatchObject({ ok: true });
    if (!result.ok) return;
    expect(digested(overTheWire(result.value))).toEqual(golden.expected[key]);
    also?.(result.value, golden);
  };
}

/** What a receiver of the value reads. */
function overTheWire(value: unknown): unknown {
  return parseJson(stringifyJson(value));
}

const kept = "decisions.md: chat-shaped parts or tool_calls in untyped turns are converted, so validation keeps the turn whole";
describeGolden("models/request_validation.jsonl", {
  check: check(parseResponsesRequest, "set_keys", (request, golden) => {
    const full = overTheWire(materializeRequest(request));
    if (golden.expected.all_keys !== undefined) expect(full).toEqual(golden.expected.all_keys);
    expect(Object.keys(full as object)).toHaveLength(30);
    // What one server writes in full, the next one reads: nothing is lost and nothing is added.
    const again = parseResponsesRequest(full);
    expect(again).toMatchObject({ ok: true });
    if (again.ok) expect(overTheWire(materializeRequest(again.value))).toEqual(full);
  }),
  exceptions: {
    "request_validation-176": kept,
    "request_validation-182": kept,
    "request_validation-184": kept,
    "request_validation-192": kept,
  },
});

describeGolden("models/response_validation.jsonl", {
  check: check(parseResponse, "response", (response) => {
    const again = parseResponse(overTheWire(response));
    expect(again).toMatchObject({ ok: true });
    if (again.ok) expect(overTheWire(again.value)).toEqual(overTheWire(response));
  }),
});

describeGolden("models/chat_request_validation.jsonl", { check: check(parseChatRequest, "set_keys") });

describeGolden("models/chat_answer_validation.jsonl", { check: check(parseChatAnswer, "completion") });
