/** What passes, as in the reference, although it does nothing of what was meant: said in notices. */
import { wholeNumber } from "./dataset-entry.ts";
import { type ConfigNode, get, isInterpolation, isNull, keyText, type MapNode, pathText } from "./node.ts";
import { pythonRepr } from "./python-text.ts";
import { type Block, blockPath } from "./server-types.ts";
import { didYouMean, isTypo } from "./suggest.ts";
import { interpolatedNames } from "./unknown-keys.ts";

/** Keys of a server's block whose names mean nothing else at the top level. */
const BLOCK_ONLY_KEYS = [
  "num_workers",
  "restart",
  "max_body_bytes",
  "queue_timeout",
  "max_sessions",
  "session_ttl_seconds",
  "max_concurrent_requests",
  "max_concurrent_episodes",
] as const;

export function misplacedNotices(root: MapNode, servers: readonly Block[], parameters: readonly string[]): string[] {
  return [...blockKeysAbove(root, servers, parameters), ...fewWorkers(servers), ...telemetryNotices(get(root, "telemetry"))];
}

function blockKeysAbove(root: MapNode, servers: readonly Block[], parameters: readonly string[]): string[] {
  const used = interpolatedNames(root);
  const example = servers.find(({ type }) => type === "responses_api_models") ?? servers[0];
  return [...root.entries.values()].flatMap(({ key, value }) => {
    const name = keyText(key);
    if (value.kind === "map" && name !== "restart") return [];
    if (used.has(name) || parameters.includes(name)) return [];
    const meant = BLOCK_ONLY_KEYS.find((known) => known === name || isTypo(name, known));
    if (meant === undefined) return [];
    const where = example === undefined ? "" : `, for example as ${pathText([...blockPath(example), meant])}`;
    const typo = meant === name ? "" : ` Did you mean '${meant}'?`;
    return [`Nothing reads the top-level key '${name}': it belongs into a server's block${where}.${typo}`];
  });
}

/** The reference takes any number and starts one process for what is below two. */
function fewWorkers(servers: readonly Block[]): string[] {
  return servers.flatMap((block) => {
    const node = get(block.fields, "num_workers");
    const workers = node?.kind === "scalar" ? wholeNumber(node.value) : undefined;
    if (workers === undefined || workers >= 1) return [];
    return [`'${pathText([...blockPath(block), "num_workers"])}' is ${workers}: the server runs in one process, as with 1.`];
  });
}

const TELEMETRY_FLAGS = ["enabled", "traces_enabled", "metrics_enabled", "logs_enabled", "service_name_per_server", "instrument_aiohttp"];
const TELEMETRY_KEYS = [
  ...TELEMETRY_FLAGS,
  "exporter",
  "otlp_protocol",
  "otlp_endpoint",
  "otlp_headers",
  "service_name",
  "span_groups",
  "memory_profiling",
  "run_id",
];
const SPAN_GROUPS = [
  "default",
  "per_rollout",
  "all",
  "job",
  "server",
  "http_client",
  "rollout",
  "verify",
  "agent",
  "model_call",
  "sandbox",
];
const FLAG_TEXTS = new Set(["true", "false", "1", "0"]);

function telemetryNotices(telemetry: ConfigNode | undefined): string[] {
  if (telemetry?.kind !== "map") return [];
  return [...telemetry.entries.values()].flatMap(({ key, value }) => {
    const name = keyText(key);
    if (TELEMETRY_FLAGS.includes(name))
      return isFlag(value)
        ? []
        : [`'telemetry.${name}' is ${pythonRepr(value).slice(0, 200)}, neither true nor false, and counts as false.`];
    if (name === "span_groups") return unknownGroups(value);
    if (TELEMETRY_KEYS.includes(name) || name.startsWith("x-")) return [];
    const near = didYouMean(name, TELEMETRY_KEYS);
    return near === undefined ? [] : [`Nothing reads 'telemetry.${name}'. ${near}`];
  });
}

/** A list, or names with commas between. */
function unknownGroups(node: ConfigNode): string[] {
  const items = node.kind === "list" ? node.items : isInterpolation(node) || isNull(node) ? [] : [node];
  const names = items.flatMap((item) => (item.kind === "scalar" ? String(item.value).split(",") : [])).map((name) => name.trim());
  return names
    .filter((name) => name !== "" && !name.startsWith("${") && !SPAN_GROUPS.includes(name))
    .map((name) => `'telemetry.span_groups' has no group '${name}'; there are ${SPAN_GROUPS.join(", ")}.`);
}

function isFlag(node: ConfigNode): boolean {
  if (isNull(node) || isInterpolation(node)) return true;
  return node.kind === "scalar" && (typeof node.value === "boolean" || FLAG_TEXTS.has(String(node.value)));
}
