/** What makes two runs the same run: data, the parameters that shape rows, and the servers behind them. Never a secret, never an address. */
import { createHash } from "node:crypto";
import { maskSecrets } from "../config/index.ts";
import type { CollectParameters } from "./parameters.ts";
import type { Plan } from "./plan.ts";
import type { PromptTemplate } from "./prompt.ts";
import { references } from "./routing.ts";
import { isRecord } from "./row.ts";

export interface Fingerprint {
  /** SHA-256 of the input lines that were read; null where a run of the reference was taken over whose input is gone. */
  input: string | null;
  /** Parameters that decide what a row asks for. */
  parameters: Record<string, unknown>;
  prompt: string | null;
  skills: string | null;
  /** Blocks of the servers that rows reach, by instance, without addresses. */
  servers: Record<string, unknown>;
}

/** Settings that change with every start or with the machine, and not what is measured. */
const VOLATILE = new Set(["host", "port", "hosting", "num_hosts", "num_workers", "python", "datasets"]);
const ADDRESS = /(?:^|_)base_urls?$/;

export interface FingerprintOptions {
  parameters: CollectParameters;
  plan: Pick<Plan, "inputDigest" | "prompt" | "skills">;
  config: Readonly<Record<string, unknown>>;
  /** Environment servers that rows go to. */
  servers: Iterable<string>;
}

export function fingerprintOf(options: FingerprintOptions): Fingerprint {
  const { parameters, plan } = options;
  return {
    input: plan.inputDigest,
    parameters: shapingParameters(parameters),
    prompt: plan.prompt === undefined ? null : promptDigest(plan.prompt),
    skills: plan.skills?.hash ?? null,
    servers: serverBlocks(options.config, options.servers),
  };
}

export function shapingParameters(parameters: CollectParameters): Record<string, unknown> {
  const map = parameters.agent_name === null ? parameters.agent_map : { ...parameters.agent_map, _default: parameters.agent_name };
  return maskSecrets({
    limit: parameters.limit === 0 ? null : parameters.limit,
    num_repeats: parameters.num_repeats,
    num_repeats_add_seed: parameters.num_repeats_add_seed,
    responses_create_params: parameters.responses_create_params,
    agent_map: map,
    fan_out: parameters.fan_out,
    environment_routing_mode: parameters.environment_routing_mode,
    environment_server_name: parameters.environment_server_name,
    environment_server_routes: parameters.environment_server_routes,
  }) as Record<string, unknown>;
}

/** The blocks of these servers and of all that they refer to. */
export function serverBlocks(config: Readonly<Record<string, unknown>>, roots: Iterable<string>): Record<string, unknown> {
  const blocks: Record<string, unknown> = {};
  const queue = [...roots];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (Object.hasOwn(blocks, name) || !isRecord(config[name])) continue;
    blocks[name] = withoutVolatile(maskSecrets(config[name]));
    queue.push(...references(config[name]));
  }
  return Object.fromEntries(Object.entries(blocks).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function withoutVolatile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVolatile);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !VOLATILE.has(key) && !ADDRESS.test(key))
      .map(([key, item]) => [key, withoutVolatile(item)]),
  );
}

export function promptDigest(prompt: PromptTemplate): string {
  return createHash("sha256")
    .update(JSON.stringify([prompt.system, prompt.user]))
    .digest("hex");
}

/** One line a difference: `path: before -> now`. */
export function differences(before: unknown, now: unknown, path = ""): string[] {
  if (isRecord(before) && isRecord(now)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
    return keys.flatMap((key) => differences(before[key], now[key], path === "" ? key : `${path}.${key}`));
  }
  const [a, b] = [JSON.stringify(before), JSON.stringify(now)];
  return a === b ? [] : [`${path}: ${shortened(a)} -> ${shortened(b)}`];
}

function shortened(text: string | undefined): string {
  if (text === undefined) return "(absent)";
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
