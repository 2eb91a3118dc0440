/** A resources server on a socket, and the bytes to ask it. */
import { plainResponse } from "@ng-gym/testing";
import { z } from "zod";
import { createServerClient, type Reply, type ServerClient } from "../../../src/http/index.ts";
import { laxInt } from "../../../src/protocol/index.ts";
import { createEndpoint } from "../../../src/servers/endpoint.ts";
import { HttpError, ResourcesServer, type ResourcesServerConfig, type Tool, tool, type VerifyInput } from "../../../src/servers/index.ts";
import { listen } from "../../../src/servers/listener.ts";
import type { ListenerLimits } from "../../../src/servers/listener-limits.ts";

const rowSchema = z.object({ n: laxInt });

export class Target extends ResourcesServer<ResourcesServerConfig, { n: number }> {
  static override readonly rowSchema = rowSchema;

  override verify({ row }: VerifyInput<{ n: number }>): { reward: number } {
    return { reward: row.n };
  }

  override tools(): Record<string, Tool> {
    return {
      add: tool({ input: z.looseObject({ a: laxInt }), run: ({ a }) => a }),
      echo: tool({ run: (args) => args ?? null }),
      refuse: tool({
        run: (args) => {
          throw new HttpError(400, args);
        },
      }),
      fail: tool({
        run: (args) => {
          throw new Error(String((args as { message?: unknown } | undefined)?.message));
        },
      }),
      "tö ol": tool({ run: () => "found" }),
      ["__proto__"]: tool({ run: () => "a name like any other" }),
    };
  }
}

export interface OpenServer extends AsyncDisposable {
  port: number;
  lines: string[];
  client: ServerClient;
  /** Over HTTP/2. */
  ask(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
}

export async function openServer(limits: Partial<ListenerLimits> = {}): Promise<OpenServer> {
  let port = 0;
  const lines: string[] = [];
  const client = createServerClient({ addressOf: () => ({ url: `http://127.0.0.1:${port}`, h2c: true }), policy: { maxAttempts: 1 } });
  const server = new Target({ name: "target", config: {}, client, global: { get: () => undefined }, log: (line) => void lines.push(line) });
  const listener = await listen(createEndpoint(server, { sessionSecret: "secret" }), { host: "127.0.0.1", port: 0 }, limits);
  port = listener.port;
  return {
    port,
    lines,
    client,
    ask: (path, body, headers) => client.call("target", { kind: "tool", path, body, headers }),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await listener.close(0);
    },
  };
}

/** A request of HTTP/1.1 with a body of JSON. */
export function post(path: string, body: string, head = ""): string {
  return `POST ${path} HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** A request after which the server closes: everything that it answers is what came before. */
export const LAST = "GET /health HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n";

/** The statuses of the answers, in order. */
export function statuses(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

export const RESPONSE = plainResponse();
