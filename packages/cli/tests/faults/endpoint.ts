/** Answers of an endpoint, and an address where there is none. */
import { createServer } from "node:net";
import type { FakeUpstream, Step } from "@ng-gym/testing";

export const ROUTE = "/v1/responses";

/** A Response of one message. */
export function responseOf(text: string): Record<string, unknown> {
  const content = [{ type: "output_text", text, annotations: [] }];
  return {
    id: "resp_1",
    object: "response",
    created_at: 0,
    model: "m",
    status: "completed",
    output: [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
  };
}

export function answer(text: string): Step {
  return { json: responseOf(text) };
}

/** Resolves when that many model calls have arrived since the start or the last `reset`; what else a model server asks its endpoint is not counted. */
export async function arrived(upstream: FakeUpstream, calls: number): Promise<void> {
  while (modelCalls(upstream) < calls) await upstream.arrived(upstream.requests.length + 1);
}

export function modelCalls(upstream: FakeUpstream): number {
  return upstream.stats.byRoute[ROUTE] ?? 0;
}

/** A port of the loopback that the system gave and that nobody listens on any more. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
