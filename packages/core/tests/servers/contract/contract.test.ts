import { expect, test } from "vitest";
import { openContract } from "./hosting.ts";
import { describeContract } from "./suite.ts";

describeContract("function calls in one process", () => openContract("local"), { sockets: false });
describeContract("HTTP/1.1", () => openContract("http1"), { sockets: true });
describeContract("HTTP/2 without TLS", () => openContract("h2c"), { sockets: true });

test("a handler that changes what it was given is found out", async () => {
  await using hosting = await openContract("local");
  const body = { list: [1] };
  const reply = await hosting.client.call("resources", { kind: "tool", path: "/change", body });
  expect(reply.status).toBe(500);
  expect(reply.json()).toContain("TypeError");
  expect(body).toEqual({ list: [1] });
});

test("a caller may go on changing what it sent, and not what it got", async () => {
  await using hosting = await openContract("local");
  const body = { list: [1] };
  const reply = await hosting.client.call("resources", { kind: "tool", path: "/echo", body });
  body.list.push(2);
  const echoed = reply.json() as { body: { list: number[] } };
  expect(echoed.body.list).toEqual([1]);
  expect(() => echoed.body.list.push(3)).toThrow(TypeError);
});
