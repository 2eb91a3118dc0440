/** Export over OpenTelemetry: what arrives, and that a run is none the worse where it does not. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createTelemetry, newCall, otelChoice, outgoingHeaders, withCall } from "../../src/telemetry/index.ts";
import { startOtlpReceiver } from "./otlp-receiver.ts";
import { FRONT, startRun, WAYS } from "./run.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
/** Nothing listens there. */
const NOBODY = "http://127.0.0.1:1";

test.each(WAYS)("%s: spans of a rollout are one tree below the caller's span; metrics come too", async (way) => {
  await using receiver = await startOtlpReceiver();
  const telemetry = {
    enabled: true,
    otlp_endpoint: `${receiver.url}/`,
    otlp_headers: { authorization: "Bearer let-me-in" },
    run_id: "run-1",
  };
  await using run = await startRun(way, { telemetry });
  await run.rollout({ traceparent: `00-${TRACE}-${CALLER}-01` });
  await run.servers.stop("spans are sent at the end");

  const spans = receiver.spans.filter(({ traceId }) => traceId === TRACE);
  const path = (from: string, name: string): string[] => {
    const names: string[] = [];
    let at = spans.find((span) => span.service === `nemo-gym-${from}` && span.name === name);
    for (; at !== undefined; at = spans.find(({ spanId }) => spanId === at?.parentSpanId)) names.push(at.name);
    return names;
  };
  const down = ["POST /run", "run mcqa_simple_agent", "POST /run"];
  expect(path("mcqa", "POST /verify")).toEqual(["POST /verify", "verify mcqa", ...down]);
  expect(path("policy_model", "POST /v1/responses")).toEqual([
    ...["POST /v1/responses", "model policy_model"],
    ...["POST /v1/responses", "agent mcqa_simple_agent", ...down],
  ]);
  const front = spans.find(({ service, name }) => service === `nemo-gym-${FRONT}` && name === "POST /run");
  expect(front).toMatchObject({ parentSpanId: CALLER, attributes: { "gym.rollout.id": "3-1", "http.route": "/run" } });
  expect(run.upstream.requests[0]?.headers.traceparent).toMatch(`00-${TRACE}-`);
  expect(receiver.headers.every(({ authorization }) => authorization === "Bearer let-me-in")).toBe(true);
  expect([...receiver.metrics]).toEqual(
    expect.arrayContaining(["gym.rollout.duration_ms", "gym.verify.duration_ms", "gym.verify.success_rate", "gym.servers.active"]),
  );
});

test("what a process begins by itself is the root of its trace", async () => {
  await using receiver = await startOtlpReceiver();
  const otel = { block: { enabled: true, otlp_endpoint: receiver.url }, env: {}, runId: "r" };
  const telemetry = createTelemetry({ level: "warn", write: () => {}, otel });
  await using run = await startRun("local", {}, { outgoing: outgoingHeaders, around: telemetry.around });
  await withCall(newCall("collector", "0-0"), () => run.rollout());
  await telemetry[Symbol.asyncDispose]();
  const [root, ...others] = receiver.spans;
  expect(others).toEqual([]);
  expect(root).toMatchObject({ service: "nemo-gym-collector", name: `run ${FRONT}` });
  expect(root?.parentSpanId ?? "").toBe("");
  expect(run.upstream.requests[0]?.headers.traceparent).toMatch(`00-${root?.traceId}-`);
});

test("a collector that refuses is told once", async () => {
  await using receiver = await startOtlpReceiver(400);
  await using run = await startRun("local", { telemetry: { enabled: true, otlp_endpoint: receiver.url } });
  for (let n = 0; n < 3; n++) expect((await run.rollout()).status).toBe(200);
  await run.servers.stop("the run is over");
  expect(receiver.headers.length).toBeGreaterThan(1);
  expect(run.entries().filter(({ server }) => server === "telemetry")).toEqual([
    expect.objectContaining({ level: "warn", message: expect.stringContaining(`cannot be sent to ${receiver.url}`) }),
  ]);
  expect(run.entries().filter(({ server, request }) => server === "telemetry" && request !== undefined)).toEqual([]);
});

test("rollouts and the stop do not wait for a collector that is dead", async () => {
  await using run = await startRun("local", { telemetry: { enabled: true, otlp_endpoint: NOBODY } });
  for (let n = 0; n < 3; n++) expect((await run.rollout()).status).toBe(200);
  const began = performance.now();
  await run.servers.stop("the run is over");
  expect(performance.now() - began).toBeLessThan(8_000);
});

test("exporter console: each span is a line of the log", async () => {
  await using run = await startRun("local", { telemetry: { enabled: true, exporter: "console" } });
  await run.rollout({ traceparent: `00-${TRACE}-${CALLER}-01`, "x-request-id": "first" });
  await run.rollout({ "x-request-id": "second", "x-ng-rollout": "8-8" });
  await run.servers.stop("spans are told at the end");
  const front = run.entries().find(({ message, "gym.server": server }) => message === "span POST /run" && server === FRONT);
  expect(front).toMatchObject({ level: "info", server: "telemetry", trace: TRACE, parent: CALLER, ms: expect.any(Number) });
  expect(String(front?.ms)).toMatch(/^\d+(\.\d)?$/);
  // A line names the call that its span is of, not the one that began the batch.
  const traces = new Map<unknown, Set<unknown>>();
  for (const { trace, request } of run.entries()) traces.set(request, (traces.get(request) ?? new Set()).add(trace));
  expect([...traces.keys()].sort()).toEqual(["first", "second"]);
  expect([...traces.values()].map(({ size }) => size)).toEqual([1, 1]);
});

test("span groups leave spans out without tearing the trace", async () => {
  await using receiver = await startOtlpReceiver();
  await using run = await startRun("local", {
    telemetry: {
      enabled: true,
      otlp_endpoint: receiver.url,
      span_groups: ["rollout", "verify"],
      service_name_per_server: false,
      metrics_enabled: false,
    },
  });
  await run.rollout({ traceparent: `00-${TRACE}-${CALLER}-01` });
  await run.servers.stop("spans are sent at the end");
  expect(receiver.spans.map(({ name }) => name).sort()).toEqual(["POST /run", "POST /run", "POST /verify"]);
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  expect(new Set(receiver.spans.map(({ service }) => service))).toEqual(new Set(["nemo-gym"]));
  expect(receiver.metrics.size).toBe(0);
});

describe("the block", () => {
  test.each([undefined, null, {}, { enabled: false }, { enabled: "false" }, "on", [], { exporter: "nonsense" }])(
    "%j is off, without a word",
    (block) => expect(otelChoice(block, {})).toEqual({}),
  );

  test.each([
    [{ enabled: true, otlp_protocol: "grpc" }, /http\/protobuf/],
    [{ enabled: "true", exporter: "zipkin" }, /otlp and console/],
    [{ enabled: true, otlp_endpoint: "collector:4318" }, /otlp_endpoint/],
  ])("%j is off, and says why", (block, why) => {
    expect(otelChoice(block, {})).toEqual({ problem: expect.stringMatching(why) });
  });

  test("defaults are the reference's; headers come as a mapping or as text; keys beyond are no error", () => {
    const { settings } = otelChoice(
      { enabled: true, otlp_headers: "a=1, b=x=y,broken", unknown: { key: 1 }, span_groups: "rollout, verify" },
      {},
    );
    expect(settings).toMatchObject({
      serviceName: "nemo-gym",
      perServer: true,
      traces: true,
      metrics: true,
      exporter: "otlp",
      runId: undefined,
    });
    expect(settings?.headers).toEqual({ a: "1", b: "x=y" });
    expect([...(settings?.groups ?? [])]).toEqual(["rollout", "verify"]);
    expect(otelChoice({ enabled: true }, { SLURM_JOB_ID: "17", OTEL_SERVICE_NAME: "mine" }).settings).toMatchObject({
      runId: "17",
      serviceName: "mine",
    });
  });

  test("a run whose telemetry cannot be exported says so and goes on", async () => {
    await using run = await startRun("local", { telemetry: { enabled: true, otlp_protocol: "grpc" } });
    expect((await run.rollout()).status).toBe(200);
    expect(run.events).toContainEqual(
      expect.objectContaining({ type: "log", server: "telemetry", line: expect.stringMatching(/^telemetry is off: /) }),
    );
  });
});

test("without it nothing of OpenTelemetry is loaded, nor what only speaks when asked", () => {
  const program = `
    import { createRequire } from "node:module";
    import { createTelemetry } from ${JSON.stringify(fileURLToPath(new URL("../../src/telemetry/index.ts", import.meta.url)))};
    import ${JSON.stringify(fileURLToPath(new URL("../../src/servers/index.ts", import.meta.url)))};
    import ${JSON.stringify(fileURLToPath(new URL("../../src/head/index.ts", import.meta.url)))};
    createTelemetry({ level: "warn", write() {}, otel: { block: { enabled: false }, env: {}, runId: "r" } }).logOf("s").info("quiet");
    const loaded = Object.keys(createRequire(import.meta.url).cache).join("\\n");
    process.stdout.write(JSON.stringify(loaded.match(/opentelemetry|prom-client|pino/g)));
    process.exit(0);
  `;
  expect(
    execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
      cwd: fileURLToPath(new URL(".", import.meta.url)),
    }),
  ).toBe("null");
});
