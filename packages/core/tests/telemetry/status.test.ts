/** What the head server tells about load, for people, programs and Prometheus. */
import { expect, test } from "vitest";
import type { RunStatus } from "../../src/head/index.ts";
import { FRONT, startRun, WAYS } from "./run.ts";

test.each(WAYS)("%s: /ng_status tells who is at what, who calls whom, and what processes cost; /metrics tells it too", async (way) => {
  await using run = await startRun(way);
  run.upstream.hold("/v1/responses");
  const rollout = run.rollout();
  await run.upstream.arrived(1);
  const busy = (await run.get("/ng_status")).json() as RunStatus;
  expect(busy).toMatchObject({ ready: true, waiting: [] });
  const load = (status: RunStatus, name: string) => status.hosts.flatMap(({ servers }) => servers).filter((server) => server.name === name);
  expect(load(busy, FRONT)).toEqual([{ name: FRONT, inFlight: 1, handled: 0, failed: 0, queued: 0 }]);
  expect(load(busy, "mcqa")).toEqual([{ name: "mcqa", inFlight: 0, handled: 1, failed: 0, queued: 0 }]);

  run.upstream.release("/v1/responses");
  await rollout;
  const idle = (await run.get("/ng_status")).json() as RunStatus;
  expect(load(idle, FRONT)).toEqual([{ name: FRONT, inFlight: 0, handled: 1, failed: 0, queued: 0 }]);
  const named = idle.hosts.flatMap(({ names }) => names).sort();
  expect(named).toEqual(["mcqa", FRONT, "mcqa_simple_agent", "policy_model"].sort());
  const calls = idle.hosts.flatMap(({ targets }) => Object.entries(targets)).filter(([name]) => name === "mcqa");
  expect(calls).toEqual([["mcqa", expect.objectContaining({ calls: 2, inFlight: 0, errors: 0 })]]);
  for (const host of idle.hosts) {
    expect(host).not.toHaveProperty("metrics");
    expect(host.load?.rssBytes).toBeGreaterThan(10_000_000);
    expect(host.load?.eventLoopLagMs).toEqual({ p50: expect.any(Number), p99: expect.any(Number), max: expect.any(Number) });
  }
  // By default a good run is quiet.
  expect(run.events.filter(({ type }) => type === "log")).toEqual([]);

  // The same as Prometheus text over all processes, with routes as they are declared.
  for (const path of ["/nowhere/1", "/nowhere/2?q=secret", "/ng-rollout/0-0/verify"])
    await run.client.call("mcqa", { kind: "control", path, body: {} });
  run.upstream.script("/v1/responses", [{ status: 400, json: {} }]);
  await run.rollout();

  const reply = await run.get("/metrics");
  expect(reply.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = reply.text();
  expect(text).toContain('nggym_request_duration_seconds_count{server="mcqa_environment_server",route="/run",status="2xx"} 1\n');
  expect(text).toContain('nggym_request_duration_seconds_count{server="mcqa_environment_server",route="/run",status="5xx"} 1\n');
  expect(text).toContain('nggym_request_duration_seconds_count{server="mcqa",route="other",status="4xx"} 2\n');
  expect(text).toContain('nggym_request_duration_seconds_count{server="mcqa",route="/verify",status="4xx"} 1\n');
  expect(text).toContain('nggym_call_duration_seconds_count{target="mcqa",kind="verify",status="2xx"} 1\n');
  expect(text).toContain('nggym_calls_in_flight{target="mcqa"} 0\n');
  expect(text).toMatch(/^nggym_event_loop_lag_seconds\{pid="\d+",quantile="0.99"\} [\d.e-]+$/m);
  expect(text).toMatch(/^nggym_process_resident_memory_bytes\{pid="\d+"\} \d+$/m);
  expect(text).not.toMatch(/nowhere|secret/);

  // Classes of a histogram only grow, and the last holds all.
  const buckets = [
    ...text.matchAll(
      /^nggym_request_duration_seconds_bucket\{server="mcqa_environment_server",route="\/run",status="2xx",le="(.+?)"\} (\d+)$/gm,
    ),
  ];
  const counts = buckets.map(([, , count]) => Number(count));
  expect(buckets.at(-1)?.[1]).toBe("+Inf");
  expect(counts.at(-1)).toBe(1);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(new Set(text.split("\n").filter((line) => line.startsWith("# TYPE"))).size).toBe(text.match(/^# TYPE/gm)?.length);
});

test("a process that hangs is told as silent, in bounded time; the others answer", async () => {
  await using run = await startRun("process");
  const model = run.servers.instances.find(({ process_name }) => process_name === "policy_model");
  process.kill(model?.pid as number, "SIGSTOP");
  try {
    const began = performance.now();
    const [status, again] = await Promise.all([run.get("/ng_status"), run.get("/ng_status")]);
    expect(performance.now() - began).toBeLessThan(4_000);
    const { hosts } = status.json() as RunStatus;
    expect(again.json()).toMatchObject({ ready: true });
    expect(hosts.find(({ names }) => names.includes("policy_model"))).toMatchObject({ pid: model?.pid, silent: true, servers: [] });
    expect(hosts.find(({ names }) => names.includes("mcqa"))).not.toHaveProperty("silent");
    // What started them is no host of a server, and is told too.
    expect(hosts.find(({ hosting }) => hosting === "launcher")).toMatchObject({ pid: process.pid, names: [] });
    expect((await run.get("/metrics")).text()).toContain(`nggym_process_answered{pid="${model?.pid}",hosting="process"} 0\n`);
  } finally {
    process.kill(model?.pid as number, "SIGCONT");
  }
});

test("a streamed answer is at work until its reader leaves", async () => {
  await using run = await startRun("sockets");
  run.upstream.hold("/v1/responses");
  const stop = new AbortController();
  const body = { input: "hi", stream: true };
  const call = run.client.call("policy_model", { kind: "model", path: "/v1/responses", body, signal: stop.signal, replay: false });
  await run.upstream.arrived(1);
  const inFlight = async (): Promise<number | undefined> =>
    ((await run.get("/ng_status")).json() as RunStatus).hosts[0]?.servers.find(({ name }) => name === "policy_model")?.inFlight;
  expect(await inFlight()).toBe(1);
  stop.abort();
  await expect(call).rejects.toThrow();
  await run.upstream.settled();
  expect(await inFlight()).toBe(0);
});

test("a call whose caller leaves is no failure of the server nor of what it called", async () => {
  await using run = await startRun("sockets");
  run.upstream.hold("/v1/responses");
  const stop = new AbortController();
  const call = run.client.call("policy_model", { kind: "model", path: "/v1/responses", body: { input: "hi" }, signal: stop.signal });
  await run.upstream.arrived(1);
  stop.abort();
  await expect(call).rejects.toThrow();
  await run.upstream.settled();
  const { hosts } = (await run.get("/ng_status")).json() as RunStatus;
  expect(hosts[0]?.servers.find(({ name }) => name === "policy_model")).toMatchObject({ inFlight: 0, handled: 1, failed: 0 });
  expect(Object.values(hosts[0]?.targets ?? {}).map(({ errors }) => errors)).not.toContain(1);
});

test("other methods are refused, unknown paths are none", async () => {
  await using run = await startRun("local");
  const head = { name: "head", url: `${run.servers.head.url}/metrics` };
  expect(await run.client.fetch(head, { kind: "control", path: "/metrics", body: {} })).toMatchObject({ status: 405 });
  expect(await run.get("/ng_status/x")).toMatchObject({ status: 404 });
});
