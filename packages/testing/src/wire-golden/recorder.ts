/** The exchanges of a replay in order of their start. An exchange lies inside the latest one that is open and whose target is a server of ours. */
import { bodyOf } from "./body.ts";
import { recordedHeaders } from "./headers.ts";
import type { Address, Exchange } from "./transcript.ts";

export interface OpenExchange {
  /** The request's body is here. */
  requested(body: Buffer): void;
  /** The answer began. */
  answered(status: number, rawHeaders: readonly string[]): void;
  chunk(data: Buffer): void;
  /** Only the first end counts. */
  end(how: string): void;
}

interface Entry {
  exchange: Exchange;
  open: boolean;
  chunks: Buffer[];
}

export class Recorder {
  readonly #entries: Entry[] = [];
  readonly #names = new Map<string, string>();
  readonly #peers: ReadonlySet<string>;
  #whenIdle: (() => void)[] = [];
  #whenBegun: { count: number; go: () => void }[] = [];

  /** `peers` are scripted: they call nobody. */
  constructor(peers: Iterable<string>) {
    this.#peers = new Set(peers);
  }

  /** From now on this address reads as the server's name. */
  nameAddress(address: Address, name: string): void {
    this.#names.set(`${address.host}:${address.port}`, name);
  }

  begin(call: { to: string; method: string; path: string; rawHeaders: readonly string[]; byClient: boolean }): OpenExchange {
    const parent = call.byClient ? undefined : this.#entries.findLast((entry) => entry.open && !this.#peers.has(entry.exchange.to));
    const exchange: Exchange = {
      n: this.#entries.length + 1,
      from: call.byClient ? "client" : (parent?.exchange.to ?? "nobody"),
      inside: parent?.exchange.n ?? null,
      to: call.to,
      method: call.method,
      path: call.path,
      request: { headers: recordedHeaders("request", this.#named(call.rawHeaders)), body: null },
      response: null,
      end: "open",
    };
    const entry: Entry = { exchange, open: true, chunks: [] };
    this.#entries.push(entry);
    for (const { count, go } of this.#whenBegun) if (this.#entries.length >= count) go();
    const type = (headers: [string, string][]): string | undefined => headers.find(([name]) => name === "content-type")?.[1];
    return {
      requested: (body) => {
        exchange.request.body = bodyOf(body, type(exchange.request.headers), (text) => this.#nameIn(text));
      },
      answered: (status, rawHeaders) => {
        exchange.response = { status, headers: recordedHeaders("response", this.#named(rawHeaders)), body: null };
      },
      chunk: (data) => void entry.chunks.push(data),
      end: (how) => {
        if (!entry.open) return;
        entry.open = false;
        exchange.end = how;
        const { response } = exchange;
        if (response !== null) response.body = bodyOf(Buffer.concat(entry.chunks), type(response.headers), (text) => this.#nameIn(text));
        if (this.#entries.every((other) => !other.open)) for (const go of this.#whenIdle.splice(0)) go();
      },
    };
  }

  exchanges(): Exchange[] {
    return this.#entries.map((entry) => entry.exchange);
  }

  /** Resolves when no exchange is open. */
  async idle(): Promise<void> {
    if (this.#entries.every((entry) => !entry.open)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenIdle.push(resolve);
    await promise;
  }

  /** Resolves when that many exchanges have begun, whether or not they are open. */
  async begun(count: number): Promise<void> {
    if (this.#entries.length >= count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenBegun.push({ count, go: resolve });
    await promise;
  }

  #named(rawHeaders: readonly string[]): string[] {
    return rawHeaders.map((text) => this.#nameIn(text));
  }

  #nameIn(text: string): string {
    return text.replace(/(?:127\.0\.0\.1|localhost):(\d+)/g, (address, port) => {
      const name = this.#names.get(`127.0.0.1:${port}`);
      return name === undefined ? address : `<${name}>`;
    });
  }
}
