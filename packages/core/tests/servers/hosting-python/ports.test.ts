/** The port of a Python server, from the moment in which it is announced to that in which the server has it. */
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { bindPort } from "../../../src/servers/hosting/ports.ts";
import { isKept, keepPort } from "../../../src/servers/hosting/python-port.ts";
import { startPythonServers } from "./servers.ts";

const wish = { server: "s", host: "127.0.0.1", port: null };
/** A port of the range, bound. */
const any = () => bindPort(wish, { low: 10_001, high: 20_000 }, new Set());

test("between letting go and binding, no other launcher is given the port; afterwards it is free again", async () => {
  const { server, port } = await any();
  const run = new AbortController();
  const kept = keepPort(port, server);
  expect(await isKept(port)).toBe(false);
  await kept.letGo(run.signal);
  await expect(bindPort(wish, { low: port, high: port }, new Set())).rejects.toMatchObject({ code: "NG_ERR_PORT_IN_USE" });
  // The server itself, and a server that takes its place.
  for (let start = 0; start < 2; start++) {
    await kept.letGo(run.signal);
    const own = createServer();
    await new Promise<void>((resolve, reject) => own.once("error", reject).listen(port, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => void own.close(() => resolve()));
  }
  run.abort();
  const again = await bindPort(wish, { low: port, high: port }, new Set());
  again.server.close();
});

test("who calls a port that nobody serves yet is refused at once", async () => {
  const { server, port } = await any();
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  server.close();
});

test("20 runs that start at once in a narrow range of ports: each Python server gets its own", async () => {
  const overrides = ["++port_range_low=15001", "++port_range_high=15100"];
  const runs = await Promise.all(Array.from({ length: 20 }, () => startPythonServers({ config: "configs/environment.yaml", overrides })));
  try {
    const ports = runs.map(({ running }) => running.instances[0]?.port);
    expect(new Set(ports).size).toBe(runs.length);
    const pids = await Promise.all(runs.map(async (run) => ((await run.post("told", "/tell")) as { pid: number }).pid));
    expect(pids).toEqual(runs.map(({ running }) => running.instances[0]?.pid));
  } finally {
    await Promise.all(runs.map((run) => run[Symbol.asyncDispose]()));
  }
});
