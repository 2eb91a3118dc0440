import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { bindPort, bindTogether } from "../../src/servers/hosting/ports.ts";

test("a port that fetch refuses to call is never given out of a range", async () => {
  const wish = { server: "s", host: "127.0.0.1", port: null };
  await expect(bindPort(wish, { low: 10_080, high: 10_080 }, new Set())).rejects.toMatchObject({ code: "NG_ERR_PORT_IN_USE" });
});

test("an exhausted range is an error that names it, not an endless search", async () => {
  const taken = new Set([18_001, 18_002]);
  const wish = { server: "s", host: "127.0.0.1", port: null };
  await expect(bindPort(wish, { low: 18_001, high: 18_002 }, taken)).rejects.toMatchObject({
    code: "NG_ERR_PORT_IN_USE",
    message: expect.stringMatching(/port_range_low 18001 and port_range_high 18002/),
  });
});

test("copies share a port that nobody else gets, not even another launcher with copies", async () => {
  const none = { low: 0, high: 0 };
  const wish = { server: "s", host: "127.0.0.1", port: 0 };
  const first = await bindPort(wish, none, new Set());
  const { port } = first;
  const sockets = await bindTogether(first.server, { name: "s", host: "127.0.0.1", port, copies: 3 });
  try {
    expect(first.server.listening).toBe(false);
    expect(sockets.map((socket) => (socket.address() as AddressInfo).port)).toEqual([port, port, port]);
    await expect(bindPort({ ...wish, port }, none, new Set())).rejects.toMatchObject({
      code: "NG_ERR_PORT_IN_USE",
      message: expect.stringContaining(`process ${process.pid}`),
    });
  } finally {
    for (const socket of sockets) socket.close();
  }
  const again = await bindPort({ ...wish, port }, none, new Set());
  again.server.close();
});
