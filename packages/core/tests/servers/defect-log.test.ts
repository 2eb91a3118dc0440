import { plainResponse } from "@ng-gym/testing";
import { expect, test } from "vitest";
import { createServerClient } from "../../src/http/index.ts";
import { createEndpoint } from "../../src/servers/endpoint.ts";
import { ResourcesServer } from "../../src/servers/index.ts";

class Broken extends ResourcesServer {
  override verify(): never {
    throw new TypeError("no \u001b[31my please");
  }
}

test("what a verifier throws is in its log: stack, route and rollout, nothing that steers a terminal", async () => {
  const lines: string[] = [];
  await using client = createServerClient({ addressOf: () => ({ url: "http://127.0.0.1:1" }) });
  const server = new Broken({ name: "broken", config: {}, client, global: { get: () => undefined }, log: (line) => lines.push(line) });
  const endpoint = createEndpoint(server, { sessionSecret: "s" });
  const body = { responses_create_params: { input: "x" }, response: plainResponse(), _ng_task_index: 3, _ng_rollout_index: 1 };
  const reply = await endpoint.handle({ method: "POST", path: "/verify", headers: {}, body, signal: new AbortController().signal });
  expect(reply.status).toBe(500);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^POST \/verify of rollout 3-1 threw: TypeError: no \\u001b\[31my please\n.*defect-log\.test\.ts/);
});
