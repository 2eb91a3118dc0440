import { expect, test } from "vitest";
import { GymError } from "../../src/errors/index.ts";
import {
  createTelemetry,
  type Log,
  type LogEntry,
  type LogLevel,
  logText,
  newCall,
  parseLogEntry,
  withCall,
} from "../../src/telemetry/index.ts";

/** What a server's log writes. */
function written(work: (log: Log) => void, options: { level?: LogLevel; secrets?: string[] } = {}): LogEntry[] {
  const lines: string[] = [];
  const telemetry = createTelemetry({
    level: options.level ?? "warn",
    write: (line) => lines.push(line),
    secrets: new Set(options.secrets ?? []),
  });
  work(telemetry.logOf("mcqa"));
  void telemetry[Symbol.asyncDispose]();
  expect(lines.filter((line) => line.includes("\n"))).toEqual([]);
  return lines.map((line) => parseLogEntry(line) as LogEntry);
}

test("a line is an object with time, level, server and message; within a call also its request and rollout", () => {
  const [line] = written((log) => withCall(newCall("mcqa", "3-1"), () => log.warn("slow", { ms: 12 })));
  expect(line).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    level: "warn",
    server: "mcqa",
    request: expect.stringMatching(/^[0-9a-f]{16}$/),
    rollout: "3-1",
    ms: 12,
    message: "slow",
  });
});

test("what is below the level is not written; a plain call is a warning", () => {
  const all = (log: Log): void => {
    log.debug("d");
    log.info("i");
    log("plain");
    log.warn("w");
    log.error("e");
  };
  const levels = (level: LogLevel) => written(all, { level }).map((line) => line.message);
  expect(levels("debug")).toEqual(["d", "i", "plain", "w", "e"]);
  expect(levels("warn")).toEqual(["plain", "w", "e"]);
  expect(levels("error")).toEqual(["e"]);
  expect(written((log) => log("plain"))[0]?.level).toBe("warn");
});

test("no secret is in a line: known ones, those that look like one, those under the name of one", () => {
  const lines = written(
    (log) => {
      log("the endpoint http://me:pass-word@host/v1 refuses s3cret-from-config, Bearer abc.def.ghi");
      log("headers", { headers: { authorization: "s3cret-header" }, api_key: "s3cret-key", url: "http://u:s3cret-url@h/", max_tokens: 5 });
      log("failed", { error: new Error("s3cret-from-config was refused") });
    },
    { secrets: ["s3cret-from-config"] },
  );
  expect(JSON.stringify(lines)).not.toMatch(/s3cret|pass-word|abc\.def/);
  expect(lines[1]).toMatchObject({ max_tokens: 5, api_key: "****" });
});

test("nothing steers a terminal or forges a line, in JSON and as text", () => {
  const hostile = 'x\u001b]0;title\u0007\r\u2028\u202e\n{"level":"error","server":"other","message":"forged"}';
  const [line] = written((log) => log(hostile, { told: hostile, [hostile]: 1 }));
  const text = logText(line as LogEntry);
  expect(line?.server).toBe("mcqa");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be gone
  expect(JSON.stringify(line) + text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
  expect(text.split("\n")[0]).toMatch(/^x\\u001b\]0;title/);
});

test("a line is bounded, whatever it is given", () => {
  const deep = { a: { b: { c: { d: { e: "x".repeat(100_000) } } } } };
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`fact${n}`, "y".repeat(10_000)]));
  const error = new Error("z".repeat(1_000_000));
  const lines = written((log) => {
    log("m".repeat(1_000_000), { deep });
    log("wide", { wide, ...wide, error });
    log("error", { error });
  });
  for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(16_000);
  expect(lines[0]?.message).toMatch(/… \(1000000 characters\)$/);
  expect(lines[1]).toMatchObject({ message: "wide", left_out: expect.stringMatching(/characters of facts$/) });
});

test("an error is told with its kind: a stack for a defect, code and details for what has a code", () => {
  const [defect, known, thrown] = written((log) => {
    log.error("defect", { error: new TypeError("no") });
    log.error("known", { error: new GymError("NG_ERR_TIMEOUT", "too slow", { details: { server: "model" } }) });
    log.error("thrown", { error: "a text" });
  });
  expect(defect).toMatchObject({ error: { type: "TypeError", message: "no", stack: expect.stringContaining("log.test.ts") } });
  expect(known).toMatchObject({ error: { code: "NG_ERR_TIMEOUT", message: "too slow", details: { server: "model" } } });
  expect(thrown).toMatchObject({ error: { message: "a text" } });
  expect(logText(defect as LogEntry)).toMatch(/^error: defect\nTypeError: no\n +at /);
  expect(logText(known as LogEntry)).toBe("error: known: too slow");
});

test("a fact cannot stand for what the line itself says", () => {
  const [line] = written((log) => log("real", { server: "forged", level: "debug", time: "never", message: "forged" }));
  expect(line).toMatchObject({ server: "mcqa", level: "warn", message: "real", server_: "forged", message_: "forged" });
});

test.each(["", "{", "null", "[]", '{"time":1}', '{"time":"t","server":"s","message":"m","level":"loud"}'])(
  "%j is no line of a log",
  (text) => expect(parseLogEntry(text)).toBeUndefined(),
);
