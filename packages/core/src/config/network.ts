/** Hosts and ports: defaults written in, ports allocated by whoever may bind, and no two servers on one address. */
import { isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { GymError } from "../errors/index.ts";
import { DEFAULT_HEAD_PORT, DEFAULT_HOST } from "./finish.ts";
import { InterpolationFailure, Interpolator } from "./interpolate.ts";
import { type ConfigNode, get, isNull, isText, list, type MapNode, map, pathText, scalar, text, withEntry, withPath } from "./node.ts";
import { isTruthy } from "./pairing.ts";
import type { Problems } from "./problems.ts";
import { pythonRepr } from "./python-text.ts";
import { type Block, blockPath } from "./server-types.ts";
import { madeUp } from "./source.ts";
import type { PortAllocator } from "./types.ts";

export const DEFAULT_PORT_RANGE = { low: 10001, high: 20000 };

export interface NetworkOptions {
  offline: boolean;
  allocatePort: PortAllocator | undefined;
  ownAddress: (() => string) | undefined;
  env: Record<string, string | undefined>;
  problems: Problems;
}

const at = madeUp("default", "default");

export async function addAddresses(root: MapNode, servers: readonly Block[], options: NetworkOptions): Promise<MapNode> {
  const host = defaultHost(root, options);
  let result = withHeadServer(root, host, options.problems);
  const range = portRange(result, options.problems);
  const headPort = get(get(result, "head_server"), "port");
  const disallowed: ConfigNode[] = headPort === undefined || isNull(headPort) ? [] : [headPort];
  for (const server of servers) {
    let fields = server.fields;
    if (!isTruthy(get(fields, "host"))) fields = withEntry(fields, "host", text(host, at));
    const given = get(fields, "port");
    if (isTruthy(given) && given !== undefined) disallowed.push(given);
    else {
      const port = await freePort(range, disallowed, options);
      if (port !== undefined) fields = withEntry(fields, "port", scalar("int", port, at));
      if (port !== undefined && port > 0) disallowed.push(scalar("int", port, at));
    }
    result = withPath(result, blockPath(server), fields);
  }
  return withEntry(result, "disallowed_ports", list(disallowed, at));
}

async function freePort(
  range: { low: number; high: number } | undefined,
  disallowed: readonly ConfigNode[],
  options: NetworkOptions,
): Promise<number | undefined> {
  if (options.offline) return -1;
  if (options.allocatePort === undefined || range === undefined || options.problems.any) return undefined;
  const numbers = disallowed.map((node) => (node.kind === "scalar" ? Number(node.value) : Number.NaN)).filter(Number.isFinite);
  return options.allocatePort(range, numbers);
}

/** A port of the range that is neither disallowed nor busy, in random order. Throws NG_ERR_PORT_IN_USE where there is none. */
export async function pickPort(
  { low, high }: { low: number; high: number },
  disallowed: readonly number[],
  isFree: (port: number) => Promise<boolean>,
  random: () => number = Math.random,
): Promise<number> {
  const taken = new Set(disallowed);
  const size = high - low + 1;
  const start = Math.floor(random() * size);
  for (let step = 0; step < size; step++) {
    const port = low + ((start + step) % size);
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new GymError(
    "NG_ERR_PORT_IN_USE",
    `No port from ${low} to ${high} is free; ${[...taken].filter((port) => port >= low && port <= high).length} of them are taken by this configuration.`,
    { hint: "Widen port_range_low and port_range_high." },
  );
}

function defaultHost(root: MapNode, { offline, ownAddress = machineAddress }: NetworkOptions): string {
  if (isTruthy(get(root, "use_absolute_ip")) && !offline) return ownAddress();
  const host = get(root, "default_host");
  return isText(host) && host.value !== "" ? host.value : DEFAULT_HOST;
}

function machineAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find((address) => !address.internal && isIPv4(address.address))?.address ?? DEFAULT_HOST;
}

function withHeadServer(root: MapNode, host: string, problems: Problems): MapNode {
  const written = get(root, "head_server");
  if (written !== undefined && written.kind !== "map") {
    problems.add({
      message: `'head_server' must be a mapping of host and port.`,
      key: "head_server",
      at: written.at,
      got: pythonRepr(written),
      fix: `head_server: {host: ${DEFAULT_HOST}, port: ${DEFAULT_HEAD_PORT}}`,
    });
    return root;
  }
  let head: MapNode = written ?? map({}, at);
  if (get(head, "host") === undefined) head = withEntry(head, "host", text(host, at));
  if (get(head, "port") === undefined) head = withEntry(head, "port", scalar("int", DEFAULT_HEAD_PORT, at));
  return withEntry(root, "head_server", head);
}

function portRange(root: MapNode, problems: Problems): { low: number; high: number } | undefined {
  const low = bound(root, "port_range_low", DEFAULT_PORT_RANGE.low, problems);
  const high = bound(root, "port_range_high", DEFAULT_PORT_RANGE.high, problems);
  if (low === undefined || high === undefined) return undefined;
  if (low <= high) return { low, high };
  problems.add({
    message: `The port range is empty: port_range_low ${low} is above port_range_high ${high}.`,
    key: "port_range_low",
    at: get(root, "port_range_low")?.at ?? get(root, "port_range_high")?.at,
  });
  return undefined;
}

function bound(root: MapNode, key: string, otherwise: number, problems: Problems): number | undefined {
  const node = get(root, key);
  if (node === undefined) return otherwise;
  const value = node.kind === "scalar" && node.type === "int" ? Number(node.value) : Number.NaN;
  if (value >= 1 && value <= 65535) return value;
  problems.add({ message: `'${key}' must be a port from 1 to 65535.`, key, at: node.at, got: pythonRepr(node) });
  return undefined;
}

/** Two servers with fixed ports on one address, or one on the head server's. */
export function checkAddresses(
  root: MapNode,
  servers: readonly Block[],
  env: Record<string, string | undefined>,
  problems: Problems,
): void {
  const interpolator = new Interpolator(root, env);
  const seen = new Map<number, { owner: string; host: string }[]>();
  const head = addressOf(get(root, "head_server"), ["head_server"], interpolator);
  if (head !== undefined) seen.set(head.port, [{ owner: "the head server", host: head.host }]);
  for (const server of servers) {
    const address = addressOf(server.fields, blockPath(server), interpolator);
    if (address === undefined) continue;
    const onPort = seen.get(address.port) ?? [];
    const other = onPort.find((taken) => overlaps(taken.host, address.host));
    if (other !== undefined) {
      const key = `${pathText(blockPath(server))}.port`;
      problems.add({
        code: "NG_ERR_PORT_IN_USE",
        message: `'${server.instance}' and ${other.owner} would both listen on ${address.host}:${address.port}.`,
        key,
        at: get(server.fields, "port")?.at,
        fix: `++${key}=<another port>, or leave the port out`,
      });
    }
    seen.set(address.port, [...onPort, { owner: `'${server.instance}'`, host: address.host }]);
  }
}

function addressOf(
  node: ConfigNode | undefined,
  path: readonly string[],
  interpolator: Interpolator,
): { host: string; port: number } | undefined {
  const port = get(node, "port");
  const host = get(node, "host");
  if (port?.kind !== "scalar" || !(Number(port.value) > 0) || typeof port.value === "boolean") return undefined;
  try {
    const resolved = host === undefined ? undefined : interpolator.follow({ node: host, path: [...path, "host"] }).node;
    return { host: isText(resolved) ? resolved.value : DEFAULT_HOST, port: Number(port.value) };
  } catch (error) {
    if (error instanceof InterpolationFailure) return undefined;
    throw error;
  }
}

function overlaps(a: string, b: string): boolean {
  const plain = (host: string): string => (host === "localhost" ? DEFAULT_HOST : host);
  const everywhere = (host: string): boolean => host === "0.0.0.0" || host === "::" || host === "";
  return plain(a) === plain(b) || everywhere(a) || everywhere(b);
}
