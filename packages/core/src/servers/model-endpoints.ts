/**
 * The endpoints behind model servers: found in their blocks, asked whether they answer. A run waits for them before it says ready, so that the first
 * rollouts do not fail on an endpoint that still loads its weights. What is shown of an address holds neither user-info nor query.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { maskText, type ServerInstance } from "../config/index.ts";
import { GymError } from "../errors/index.ts";
import { type ProbeOutcome, probe } from "../http/index.ts";

/** Time between two rounds of questions. */
export const ENDPOINT_RETRY_MS = 3_000;
/** A line about who is missing comes at the first round and then every so many. */
export const ENDPOINT_PROGRESS_ROUNDS = 10;
export const ENDPOINT_TIMEOUT_KEY = "model_endpoint_readiness_timeout_seconds";
const DEFAULT_TIMEOUT_SECONDS = 600;

export interface ModelEndpoint {
  /** For people: no user-info, no query. */
  shown: string;
  /** Where it is set: `<instance>.<key>`, each place that has it. */
  keys: string[];
}

interface Endpoint extends ModelEndpoint {
  address: string;
}

export type EndpointEvent =
  | { type: "endpoint-unresolvable"; endpoint: ModelEndpoint }
  /** Sent at the first round that misses one and then every 30 seconds or so. */
  | { type: "endpoints-waiting"; endpoints: ModelEndpoint[]; elapsedMs: number; limit?: { key: string; seconds: number } };

/** Every `*base_url` of the model servers, a text or a list, once each. */
export function modelEndpoints(servers: readonly ServerInstance[]): Endpoint[] {
  const found = new Map<string, Endpoint>();
  for (const { name, type, block } of servers) {
    if (type !== "responses_api_models") continue;
    for (const [key, value] of Object.entries(block)) {
      if (!key.endsWith("base_url")) continue;
      for (const item of [value].flat()) {
        if (typeof item !== "string" || item === "") continue;
        const address = item.replace(/\/+$/, "");
        const known = found.get(address) ?? { address, shown: maskText(address).replace(/[?#].*$/s, ""), keys: [] };
        known.keys.push(`${name}.${key}`);
        found.set(address, known);
      }
    }
  }
  return [...found.values()];
}

export interface EndpointAnswer extends ModelEndpoint {
  outcome: ProbeOutcome;
}

/** Asks each endpoint once, all side by side. */
export async function askEndpoints(servers: readonly ServerInstance[], signal?: AbortSignal): Promise<EndpointAnswer[]> {
  return Promise.all(
    modelEndpoints(servers).map(async ({ shown, keys, address }) => ({ shown, keys, outcome: await ask(address, signal) })),
  );
}

export interface AwaitEndpointsOptions {
  servers: readonly ServerInstance[];
  /** 0 and less: nobody is asked. Null: 600. */
  timeoutSeconds: unknown;
  signal: AbortSignal;
  onEvent: (event: EndpointEvent) => void;
  /** Told who is missing whenever that changes. */
  onMissing?: (endpoints: readonly ModelEndpoint[]) => void;
  wait?: (ms: number) => Promise<unknown>;
  now?: () => number;
}

/**
 * Asks until every endpoint has answered or cannot be resolved.
 * @throws GymError NG_ERR_UNREACHABLE naming address and key of those that never answered; NG_ERR_CONFIG for a limit that is no number
 */
export async function awaitEndpoints(options: AwaitEndpointsOptions): Promise<void> {
  const { servers, signal, onEvent, onMissing, wait = (ms) => sleep(ms, undefined, { signal }), now = () => performance.now() } = options;
  const limitMs = secondsOf(options.timeoutSeconds) * 1000;
  if (limitMs <= 0) return;
  const began = now();
  let missing = modelEndpoints(servers);
  for (let round = 0; ; round++) {
    missing = await refused(missing, signal, onEvent);
    onMissing?.(missing);
    if (missing.length === 0) return;
    const elapsedMs = now() - began;
    if (round % ENDPOINT_PROGRESS_ROUNDS === 0) {
      const limit = { key: ENDPOINT_TIMEOUT_KEY, seconds: limitMs / 1000 };
      onEvent({ type: "endpoints-waiting", endpoints: missing.map(withoutAddress), elapsedMs, limit });
    }
    if (elapsedMs >= limitMs) throw neverAnswered(missing, limitMs / 1000);
    await wait(Math.min(ENDPOINT_RETRY_MS, limitMs - elapsedMs)).catch((error) => {
      signal.throwIfAborted();
      throw error;
    });
  }
}

async function refused(endpoints: readonly Endpoint[], signal: AbortSignal, onEvent: (event: EndpointEvent) => void): Promise<Endpoint[]> {
  const outcomes = await Promise.all(endpoints.map((endpoint) => ask(endpoint.address, signal)));
  for (const [index, outcome] of outcomes.entries())
    if (outcome === "unresolvable") onEvent({ type: "endpoint-unresolvable", endpoint: withoutAddress(endpoints[index] as Endpoint) });
  return endpoints.filter((_endpoint, index) => outcomes[index] === "refused");
}

/** Model lists are cheap to answer; any other address is asked as it stands. */
function ask(address: string, signal?: AbortSignal): Promise<ProbeOutcome> {
  return probe(address.endsWith("/v1") ? `${address}/models` : address, { signal });
}

function withoutAddress({ shown, keys }: Endpoint): ModelEndpoint {
  return { shown, keys };
}

function secondsOf(value: unknown): number {
  const seconds = Number(value ?? DEFAULT_TIMEOUT_SECONDS);
  if (Number.isNaN(seconds)) throw new GymError("NG_ERR_CONFIG", `${ENDPOINT_TIMEOUT_KEY} must be a number of seconds`);
  return seconds;
}

function neverAnswered(missing: readonly Endpoint[], seconds: number): GymError {
  const lines = missing.map(({ shown, keys }) => `  ${shown} (${keys.join(", ")})`);
  return new GymError(
    "NG_ERR_UNREACHABLE",
    `these endpoints of model servers did not answer within ${seconds} s (${ENDPOINT_TIMEOUT_KEY}); connections are refused or not answered:\n${lines.join("\n")}`,
    {
      hint: `Start the endpoint or correct its address; ${ENDPOINT_TIMEOUT_KEY} is how long to wait, 0 = not at all.`,
      details: { endpoints: missing.map(withoutAddress) },
    },
  );
}
