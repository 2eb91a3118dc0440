/** A resources server: seeds a session, offers tools, verifies the answer, aggregates its own metrics. A benchmark extends this class. */
import { z } from "zod";
import { GymError } from "../errors/index.ts";
import type { AggregateHooks } from "../metrics/index.ts";
import {
  fromZod,
  type ModelResponse,
  materializeRequest,
  parseAggregateBody,
  parseCloseSessionBody,
  parseSeedBody,
  parseVerifyBody,
  type SeedBody,
  type Validation,
  type VerifyBody,
} from "../protocol/index.ts";
import { HttpError } from "./error-reply.ts";
import { GymServer, type ServerConfig, serverConfigSchema } from "./gym-server.ts";
import { createResourcesSessions, type ResourcesSessions } from "./resources-sessions.ts";
import type { RequestContext, Route } from "./route.ts";

/** Keys of a resources server's block; extend it with your own. */
export const resourcesServerConfig = serverConfigSchema.extend({
  domain: z.string().optional(),
  verified: z.boolean().optional(),
  verified_url: z.string().nullable().optional(),
  description: z.string().nullable().optional(),
  value: z.string().nullable().optional(),
  datasets: z.array(z.unknown()).nullable().optional(),
  allowed_agents: z
    .union([z.string(), z.array(z.string())])
    .nullable()
    .optional(),
  allowed_model_types: z
    .union([z.string(), z.array(z.string())])
    .nullable()
    .optional(),
  expose_tools_over_mcp: z.boolean().optional(),
});
export type ResourcesServerConfig = ServerConfig & z.infer<typeof resourcesServerConfig>;

export interface VerifyInput<Row> {
  /** The row's fields that `rowSchema` names, checked and coerced. */
  row: Row;
  /** The whole body as it came. */
  body: Readonly<Record<string, unknown>>;
  response: ModelResponse;
}

/** A reward that was measured, and whatever the verifier wants to tell beside it. */
export interface VerifyResult {
  reward: number;
  [field: string]: unknown;
}

export interface Tool<Args = unknown> {
  /** Checks the arguments; a refused one is answered 422, which the model gets to read. Without it any body will do, and none. */
  input?: z.ZodType<Args>;
  run(args: Args, context: RequestContext): unknown;
}

/** A `Tool` with its argument type inferred from its schema. */
export function tool<Args>(definition: Tool<Args>): Tool {
  return definition as Tool;
}

export type ReverifyMode = "stateless" | "unsupported" | "unknown";

/** Routes that no tool may be called like. */
const RESERVED = new Set(["seed_session", "verify", "aggregate_metrics", "close_session", "reverify_mode", "mcp"]);

export abstract class ResourcesServer<
  C extends ResourcesServerConfig = ResourcesServerConfig,
  Row = Record<string, unknown>,
  SeedRow = Row,
> extends GymServer<C> {
  static readonly configSchema: z.ZodType = resourcesServerConfig;
  /** The fields of a row that `verify` needs, with pydantic's lax coercion (`laxInt`, ...). */
  static readonly rowSchema: z.ZodType | undefined = undefined;
  /** The fields of a row that `seedSession` needs. */
  static readonly seedSchema: z.ZodType | undefined = undefined;
  static readonly reverifyMode: ReverifyMode = "unknown";
  #typed: ResourcesSessions | undefined;

  /** Measures the reward. Throw where it cannot be measured: an error is never a reward. */
  abstract verify(input: VerifyInput<Row>, context: RequestContext): VerifyResult | Promise<VerifyResult>;

  /** Prepares the session's state; what it returns is merged into the answer. */
  seedSession(_row: SeedRow, _context: RequestContext): unknown {
    return undefined;
  }

  /**
   * Frees the session's state. It must succeed for a session that it never saw and for one that is freed already; where it throws, the session stays
   * open and may be closed again. Nobody's leaving cancels it. `context.session` is the session that was seeded, whoever closes it.
   */
  closeSession(_sessionId: string, _context: RequestContext): unknown {
    return undefined;
  }

  /** Name -> tool; each is a POST route of that name. */
  tools(): Record<string, Tool> {
    return {};
  }

  /** Metrics beyond the baseline statistics. */
  metricHooks(): AggregateHooks | undefined {
    return undefined;
  }

  override routes(): Route[] {
    const Class = this.constructor as typeof ResourcesServer;
    const hooks = this.metricHooks();
    return [
      ...super.routes(),
      { method: "POST", path: "/seed_session", parse: parseSeedBody, handler: (body, context) => this.#seed(body, context) },
      {
        method: "POST",
        path: "/verify",
        parse: this.#verifyParser(),
        handler: (body, context) => this.#verify(body, context),
        failureKind: "verifier_error",
      },
      {
        method: "POST",
        path: "/aggregate_metrics",
        parse: parseAggregateBody,
        // Called once at the end of a run: loaded then.
        handler: async (body) => (await import("../metrics/index.ts")).aggregateMetrics(body.verify_responses, hooks),
      },
      {
        method: "POST",
        path: "/close_session",
        parse: parseCloseSessionBody,
        handler: async (body, context) => {
          await this.#sessions().close(body, context);
          return { resources_session_id: body.resources_session_id };
        },
        failureKind: "session_release_failed",
      },
      { method: "GET", path: "/reverify_mode", handler: () => Class.reverifyMode },
      ...this.#toolRoutes(),
    ];
  }

  override async stop(): Promise<void> {
    this.#typed?.[Symbol.dispose]();
  }

  #toolRoutes(): Route[] {
    return Object.entries(this.tools()).map(([name, { input, run }]) => {
      if (RESERVED.has(name))
        throw new Error(`${this.constructor.name}: a tool cannot be called ${name}, which is a route of every resources server`);
      return {
        method: "POST",
        path: `/${encodeURIComponent(name)}`,
        parse: input && fromZod(input),
        handler: (args, context) => run(args, context),
      };
    });
  }

  async #seed(body: SeedBody, context: RequestContext): Promise<unknown> {
    if (body.kind === "typed") return this.#sessions().seed(body.seed, context);
    return (await this.seedSession(this.#seedRow(body.row, ["body"]), context)) ?? {};
  }

  #seedRow(source: unknown, loc: string[]): SeedRow {
    const { seedSchema } = this.constructor as typeof ResourcesServer;
    return (seedSchema ? valueOrRefusal(fromZod(seedSchema, loc)(source)) : source) as SeedRow;
  }

  /** Made when the first typed session comes: most runs have none. */
  #sessions(): ResourcesSessions {
    this.#typed ??= createResourcesSessions({
      name: this.name,
      log: this.log,
      seed: async ({ resources_session_id, task_data }, context) => {
        const answer = await this.seedSession(this.#seedRow(task_data, ["body", "task_data"]), context);
        return { resources_session_id, resources_tools: null, sandbox_access: null, ...((answer ?? {}) as object) };
      },
      close: async (context) => this.closeSession(context.session.id, context),
    });
    return this.#typed;
  }

  /** The common fields and the row's own, refused together in one answer. */
  #verifyParser(): (body: unknown) => Validation<VerifyCall> {
    const Class = this.constructor as typeof ResourcesServer;
    const parseRow = Class.rowSchema ? fromZod(Class.rowSchema) : undefined;
    return (body) => {
      const common = parseVerifyBody(body);
      const row = parseRow?.(body);
      if (common.ok && (row === undefined || row.ok)) return { ok: true, value: { body: common.value, row: row?.value ?? common.value } };
      return { ok: false, issues: [...(common.ok ? [] : common.issues), ...(row === undefined || row.ok ? [] : row.issues)] };
    };
  }

  async #verify({ body, row }: VerifyCall, context: RequestContext): Promise<unknown> {
    const { reward, mask_sample, failure_kind, failure_reason, ...fields } = await this.verify(
      { row: row as Row, body, response: body.response },
      context,
    );
    if (typeof reward !== "number" || !Number.isFinite(reward)) {
      throw new GymError(
        "NG_ERR_VERIFIER",
        `${this.identity}: the verifier gave the reward ${String(reward)}, which is not a finite number`,
      );
    }
    return {
      responses_create_params: materializeRequest(body.responses_create_params),
      response: body.response,
      reward,
      mask_sample: mask_sample ?? false,
      failure_kind: failure_kind ?? null,
      failure_reason: failure_reason ?? null,
      ...fields,
    };
  }
}

interface VerifyCall {
  body: VerifyBody;
  row: unknown;
}

function valueOrRefusal<T>(checked: Validation<T>): T {
  if (!checked.ok) throw new HttpError(422, checked.issues);
  return checked.value;
}
