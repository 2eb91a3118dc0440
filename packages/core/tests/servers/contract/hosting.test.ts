import { expect, test } from "vitest";
import { atTheWrongCopy, openHosted, strangers } from "./hosted.ts";
import { describeContract } from "./suite.ts";

const BOTH = { resources: { num_workers: 2 }, agent: { num_workers: 2 } };

describeContract("shared", () => openHosted({}), { sockets: true });
describeContract("process", () => openHosted({ hosting: "process" }), { sockets: true });
describeContract("num_hosts", () => openHosted({ numHosts: 2 }), { sockets: true });
describeContract("num_hosts, by strangers", () => openHosted({ numHosts: 2, reach: strangers }), { sockets: true });
describeContract("num_hosts, at the wrong copy", () => openHosted({ numHosts: 2, reach: atTheWrongCopy }), { sockets: true, begun: true });
describeContract("num_workers", () => openHosted({ blocks: BOTH }), { sockets: true });
describeContract("num_workers, by strangers", () => openHosted({ blocks: BOTH, reach: strangers }), { sockets: true });
describeContract("mixed", () => openHosted({ blocks: { agent: { hosting: "process" } } }), { sockets: true });
describeContract("mixed with num_hosts", () => openHosted({ numHosts: 2, blocks: { agent: { hosting: "process" } } }), { sockets: true });

test.each([{}, { numHosts: 2 }])("servers of one process hand each other frozen copies: %j", async (options) => {
  await using hosting = await openHosted(options);
  const body = { responses_create_params: { input: "go" }, told: { call: { server: "resources", path: "/change", body: { list: [1] } } } };
  const reply = await hosting.client.call("environment", { kind: "run", path: "/run", body });
  expect(reply.status).toBe(500);
  expect(reply.json()).toContain("TypeError");
});
