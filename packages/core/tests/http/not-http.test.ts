/** What answers is no HTTP server: a fault of that peer, tried again like a connection that breaks, not an error of ours. */
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { createServerClient } from "../../src/http/index.ts";
import { fakeClock } from "./fake-clock.ts";

test.each([
  ["the greeting of another protocol", "SSH-2.0-other\r\n"],
  ["bytes", "\u0000\u00ff\u00fe\r\n"],
  ["a body alone", "{}"],
  ["an HTTP version that is none", "HTTP/9.9 200 OK\r\n\r\n"],
])("%s", async (_name, bytes) => {
  let connections = 0;
  await using server = createServer((socket) => {
    connections++;
    socket.on("error", () => {});
    socket.once("data", () => socket.end(bytes, "latin1"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await using client = createServerClient({ addressOf: () => ({ url: `http://127.0.0.1:${port}` }), clock: fakeClock() });
  const call = client.fetch({ name: "engine", url: `http://127.0.0.1:${port}/v1` }, { kind: "model", path: "/v1", body: {} });
  await expect(call).rejects.toMatchObject({
    code: "NG_ERR_PEER_DROP",
    details: { failure_kind: "transport_peer_drop", boundary: "engine", attempts: 5 },
  });
  expect(connections).toBe(5);
});
