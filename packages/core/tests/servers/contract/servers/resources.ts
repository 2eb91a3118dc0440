/** A resources server that does, when asked, everything a server may do to its callers. */
import { EventEmitter, once } from "node:events";
import { z } from "zod";
import {
  HttpError,
  type RequestContext,
  ResourcesServer,
  type ResourcesServerConfig,
  reply,
  serve,
  type Tool,
  tool,
  type VerifyInput,
  type VerifyResult,
} from "../../../../src/servers/index.ts";

const row = z.object({ expected: z.string(), mode: z.enum(["right", "throws", "not_finite"]) });
type Row = z.infer<typeof row>;
const nothing = z.looseObject({});

export default class ContractResources extends ResourcesServer<ResourcesServerConfig, Row, unknown> {
  static override readonly rowSchema = row;
  static override readonly reverifyMode = "stateless";
  readonly #calls = Object.assign(new EventEmitter(), { started: 0, cancelled: 0 });

  override seedSession(seed: unknown, { session }: RequestContext): unknown {
    session.set("seeded", true);
    return { seeded_with: seed };
  }

  override verify({ row: { expected, mode } }: VerifyInput<Row>): VerifyResult {
    if (mode === "throws") throw new Error("the grader broke");
    return { reward: mode === "not_finite" ? Number.NaN : 1, expected };
  }

  override tools(): Record<string, Tool> {
    return {
      add: tool({ input: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => ({ sum: a + b }) }),
      "odd name/1": tool({ input: nothing, run: () => "odd" }),
      boom: tool({
        input: nothing,
        run: () => {
          throw new Error("out of \u001b[31mluck\r");
        },
      }),
      refuse: tool({
        input: nothing,
        run: () => {
          throw new HttpError(409, { reason: "closed" });
        },
      }),
      visit: tool({
        input: nothing,
        run: (_, { session }) => {
          const visits = ((session.get("visits") as number | undefined) ?? 0) + 1;
          session.set("visits", visits);
          return { visits, session: session.id, new: session.isNew };
        },
      }),
      text: tool({
        input: nothing,
        run: () => reply({ body: null, text: "plain ü", headers: { "Content-Type": "text/plain; charset=utf-8" } }),
      }),
      empty: tool({ input: nothing, run: () => reply({ status: 202, body: null, text: "" }) }),
      cookies: tool({
        input: nothing,
        run: (_, { jar, setCookies }) => {
          setCookies.push("extra=1; path=/");
          return { seen: jar.names().sort() };
        },
      }),
      stream: tool({
        input: nothing,
        run: () => reply({ stream: events(), headers: { "content-type": "text/event-stream; charset=utf-8" } }),
      }),
      breaks: tool({
        input: nothing,
        run: () => reply({ stream: broken(), headers: { "content-type": "text/event-stream; charset=utf-8" } }),
      }),
      hostile: tool({
        input: nothing,
        run: () =>
          reply({
            body: { ok: true },
            headers: {
              "x-evil": "a\r\nset-cookie: owned=1",
              "X-Wide": "模a",
              Connection: "close",
              "transfer-encoding": "chunked",
              "proxy-connection": "x",
            },
            setCookies: ["evil=1\r\nx-forged: 1; path=/"],
          }),
      }),
      echo: tool({
        input: nothing,
        run: (body, { rolloutId, prefix, headers }) => ({
          body,
          rolloutId: rolloutId ?? null,
          prefix,
          mine: headers["x-mine"] ?? null,
          pseudo: Object.keys(headers).filter((name) => name.startsWith(":")),
        }),
      }),
      change: tool({
        input: z.unknown(),
        run: (body) => {
          (body as { list: number[] }).list.push(2);
          return body;
        },
      }),
      wait: tool({ input: nothing, run: (_, { signal }) => this.#wait(signal) }),
      /** Answers when so many calls of `wait` have begun, and so many were cancelled. */
      seen: tool({
        input: z.object({ started: z.number(), cancelled: z.number() }),
        run: async ({ started, cancelled }) => {
          while (this.#calls.started < started || this.#calls.cancelled < cancelled) await once(this.#calls, "change");
          return { started: this.#calls.started, cancelled: this.#calls.cancelled };
        },
      }),
    };
  }

  async #wait(signal: AbortSignal): Promise<never> {
    this.#calls.started++;
    this.#calls.emit("change");
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    this.#calls.cancelled++;
    this.#calls.emit("change");
    throw signal.reason;
  }
}

async function* broken(): AsyncGenerator<string> {
  yield "data: 1\n\n";
  throw new Error("the source broke");
}

async function* events(): AsyncGenerator<string> {
  yield "event: a\ndata: 1\n\n";
  await new Promise((resolve) => setImmediate(resolve));
  yield 'data: "ü"\n\n';
}

await serve(import.meta, ContractResources);
