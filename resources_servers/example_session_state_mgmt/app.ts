/** A counter for each session: the reward is 1 only if tools, seeding and verification all met the same session. */
import { laxInt } from "@ng-gym/core/protocol";
import {
  type RequestContext,
  ResourcesServer,
  type ResourcesServerConfig,
  resourcesServerConfig,
  serve,
  type Tool,
  tool,
  type VerifyInput,
  type VerifyResult,
} from "@ng-gym/core/servers";
import { z } from "zod";
import { createCounters } from "./counters.ts";

const seedSchema = z.object({ initial_count: laxInt });
const rowSchema = z.object({ expected_count: laxInt });

type SeedRow = z.infer<typeof seedSchema>;
type Row = z.infer<typeof rowSchema>;

export default class StatefulCounterResourcesServer extends ResourcesServer<ResourcesServerConfig, Row, SeedRow> {
  static override readonly configSchema = resourcesServerConfig;
  static override readonly seedSchema = seedSchema;
  static override readonly rowSchema = rowSchema;
  readonly #counters = createCounters();

  override seedSession({ initial_count }: SeedRow, { session }: RequestContext): void {
    this.#counters.open(session.id, initial_count);
  }

  override closeSession(_id: string, { session }: RequestContext): void {
    this.#counters.close(session.id);
  }

  override tools(): Record<string, Tool> {
    return {
      increment_counter: tool({
        input: z.object({ count: laxInt }),
        run: ({ count }, { session }) => {
          this.#counters.add(session.id, count);
          return { success: true };
        },
      }),
      get_counter_value: tool({
        run: (_args, { session }) => ({ count: this.#counters.value(session.id) ?? 0 }),
      }),
    };
  }

  override verify({ row }: VerifyInput<Row>, { session }: RequestContext): VerifyResult {
    return { reward: this.#counters.value(session.id) === row.expected_count ? 1 : 0 };
  }
}

await serve(import.meta, StatefulCounterResourcesServer);
