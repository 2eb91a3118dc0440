/** A counter for each session: the reward is 1 only if tools, seeding and verification all met the same session. */
import { laxInt } from "@ng-gym/core/protocol";
import {
  createSessionStore,
  type RequestContext,
  ResourcesServer,
  type SessionServerConfig,
  serve,
  sessionLimits,
  sessionServerConfig,
  type Tool,
  tool,
  type VerifyInput,
  type VerifyResult,
} from "@ng-gym/core/servers";
import { z } from "zod";

const seedSchema = z.object({ initial_count: laxInt });
const rowSchema = z.object({ expected_count: laxInt });

type SeedRow = z.infer<typeof seedSchema>;
type Row = z.infer<typeof rowSchema>;

export default class StatefulCounterResourcesServer extends ResourcesServer<SessionServerConfig, Row, SeedRow> {
  static override readonly configSchema = sessionServerConfig;
  static override readonly seedSchema = seedSchema;
  static override readonly rowSchema = rowSchema;
  readonly #counters = createSessionStore<{ count: number }>({ name: this.name, ...sessionLimits(this.config) });

  /** A counter that stands somewhere already stays there. */
  override seedSession({ initial_count }: SeedRow, { session }: RequestContext): void {
    this.#counters.getOrCreate(session, () => ({ count: initial_count }));
  }

  override closeSession(_id: string, { session }: RequestContext): void {
    this.#counters.delete(session);
  }

  override tools(): Record<string, Tool> {
    return {
      increment_counter: tool({
        input: z.object({ count: laxInt }),
        run: ({ count }, { session }) => {
          this.#counters.getOrCreate(session, () => ({ count: 0 })).count += count;
          return { success: true };
        },
      }),
      get_counter_value: tool({
        run: (_args, { session }) => ({ count: this.#counters.get(session)?.count ?? 0 }),
      }),
    };
  }

  /** A session without a counter is no wrong answer: it was never seeded, or its counter is lost. */
  override verify({ row }: VerifyInput<Row>, { session }: RequestContext): VerifyResult {
    return { reward: this.#counters.require(session).count === row.expected_count ? 1 : 0 };
  }

  override async stop(): Promise<void> {
    this.#counters[Symbol.dispose]();
  }
}

await serve(import.meta, StatefulCounterResourcesServer);
