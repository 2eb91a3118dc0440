/**
 * Which top-level entries are servers, and what is wrong with those that only nearly are: `instance: {type: {implementation: {fields}}}` with an
 * entrypoint, a sound host, port and worker count, a known domain and readable data sets.
 */
import { checkDatasetEntry, wholeNumber } from "./dataset-entry.ts";
import { checkEnvironmentFields } from "./environment-fields.ts";
import { InterpolationFailure, type Interpolator } from "./interpolate.ts";
import { type ConfigNode, get, isInterpolation, isNull, isText, keyText, type MapNode, pathText, type ScalarNode } from "./node.ts";
import { toPlain } from "./plain.ts";
import { Problems } from "./problems.ts";
import { pythonRepr } from "./python-text.ts";
import { restartsOf } from "./restart-policy.ts";
import { type Block, blockOf, DOMAINS, isServerType, SERVER_TYPES } from "./server-types.ts";
import type { Origin } from "./source.ts";
import { didYouMean, isTypo } from "./suggest.ts";
import { RESERVED_KEYS } from "./top-level-keys.ts";

export interface ServerCheck {
  /** Sound ones, in file order. */
  servers: Block[];
  /** Instance name -> what keeps it from being a server. */
  almost: Map<string, Problems>;
  notices: string[];
}

export function checkServers(root: MapNode, interpolator: Interpolator): ServerCheck {
  const result: ServerCheck = { servers: [], almost: new Map(), notices: [] };
  for (const { key, value } of root.entries.values()) {
    if (isInterpolation(value)) checkShared(key, value, interpolator, result);
    if (value.kind !== "map" || (typeof key.value === "string" && RESERVED_KEYS.has(key.value))) continue;
    checkInstance(key, value, result);
  }
  return result;
}

/** A server block that is only another name of one: both would listen on one address. */
function checkShared(key: ScalarNode, node: ScalarNode, interpolator: Interpolator, { almost }: ServerCheck): void {
  const instance = keyText(key);
  let block: Block | undefined;
  try {
    block = blockOf(instance, interpolator.follow({ node, path: [instance] }).node);
  } catch (error) {
    if (!(error instanceof InterpolationFailure)) throw error;
  }
  if (block === undefined || get(block.fields, "entrypoint") === undefined || RESERVED_KEYS.has(instance)) return;
  const problems = new Problems();
  problems.add({
    code: "NG_ERR_PORT_IN_USE",
    message: `'${instance}' is the same server block as ${String(node.value)}, so two servers would listen on one address.`,
    key: instance,
    at: node.at,
    fix: `${instance}: {_copy: <path of the block>}`,
  });
  almost.set(instance, problems);
}

function checkInstance(key: ScalarNode, node: MapNode, result: ServerCheck): void {
  const instance = keyText(key);
  const problems = new Problems();
  const sound: Block[] = [];
  for (const entry of node.entries.values()) {
    const type = keyText(entry.key);
    if (isServerType(type)) {
      const block = checkType({ instance, type, at: entry.key.at }, entry.value, problems, result.notices);
      if (block !== undefined) sound.push(block);
    } else misspelt(instance, type, entry.value, entry.key.at, problems);
  }
  if (typeof key.value !== "string" && (sound.length > 0 || problems.any)) {
    sound.length = 0;
    problems.add({
      message: `The name of a server must be a text, not ${pythonRepr(key)} (name).`,
      key: instance,
      at: key.at,
      fix: `quote it: '${instance}':`,
    });
  }
  const [first] = sound;
  if (first !== undefined) result.servers.push(first);
  else if (problems.any) result.almost.set(instance, problems);
}

/** The block under a type key, if it is sound; undefined without a problem where nothing claims to be a server. */
function checkType(
  place: { instance: string; type: Block["type"]; at: Origin },
  node: ConfigNode,
  problems: Problems,
  notices: string[],
): Block | undefined {
  const { instance, type, at } = place;
  const key = `${instance}.${type}`;
  if (isNull(node)) return refuse(problems, { message: `'${key}' is null; expected an implementation with its fields.`, key, at });
  if (node.kind !== "map") return undefined;
  const implementations = [...node.entries.values()];
  const started = implementations.some((entry) => get(entry.value, "entrypoint") !== undefined);
  if (implementations.length !== 1) {
    const names = implementations.map((entry) => `'${keyText(entry.key)}'`).join(", ");
    return started
      ? refuse(problems, {
          message: `'${key}' must hold exactly one implementation, but has ${implementations.length}: ${names}.`,
          key,
          at,
          fix: "give each its own instance, or remove one with _delete_key",
        })
      : undefined;
  }
  const [entry] = implementations;
  if (entry?.value.kind !== "map") return undefined;
  const block = { instance, type, implementation: keyText(entry.key), fields: entry.value };
  if (!started) return withoutEntrypoint(block, problems, notices);
  const before = problems.list.length;
  checkFields(block, problems);
  return problems.list.length === before ? block : undefined;
}

/** Agents without entrypoint are parts that others build on; anything else was meant to run, and so was what has a misspelt one. */
function withoutEntrypoint({ instance, type, implementation, fields }: Block, problems: Problems, notices: string[]): undefined {
  const key = `${instance}.${type}.${implementation}`;
  const typo = [...fields.entries.values()].find((entry) => isTypo(keyText(entry.key), "entrypoint"));
  if (type === "responses_api_agents" && typo === undefined) {
    notices.push(`Agent '${instance}' has no entrypoint, so it is not started.`);
    return undefined;
  }
  const suggestion = typo === undefined ? {} : { suggestion: `'${keyText(typo.key)}' is no setting; did you mean 'entrypoint'?` };
  checkFields({ instance, type, implementation, fields }, problems);
  return refuse(problems, {
    message: `'${key}' has no 'entrypoint', so it would not be started.`,
    key: `${key}.entrypoint`,
    at: typo?.key.at ?? fields.at,
    ...suggestion,
    fix: `++${key}.entrypoint=app.py`,
  });
}

function refuse(problems: Problems, problem: Parameters<Problems["add"]>[0]): undefined {
  problems.add(problem);
  return undefined;
}

function misspelt(instance: string, name: string, node: ConfigNode, at: Origin, problems: Problems): void {
  const near = SERVER_TYPES.find((type) => isTypo(name, type));
  const holdsServer = node.kind === "map" && [...node.entries.values()].some((entry) => get(entry.value, "entrypoint") !== undefined);
  if (near === undefined || !holdsServer) return;
  problems.add({
    message: `'${instance}.${name}' is no server type.`,
    key: `${instance}.${name}`,
    at,
    suggestion: `Did you mean '${near}'?`,
    fix: `write ${near}`,
  });
}

function checkFields(block: Block, problems: Problems): void {
  const { fields, type, instance, implementation } = block;
  const path = [instance, type, implementation];
  const complain = (field: string, message: string, extra: { suggestion?: string; expected?: string } = {}): void => {
    const node = get(fields, field);
    const key = pathText([...path, field]);
    problems.add({
      message: `'${key}' ${message}.`,
      key,
      at: node?.at ?? fields.at,
      ...(node === undefined ? {} : { got: pythonRepr(node).slice(0, 200) }),
      ...extra,
    });
  };
  const entrypoint = get(fields, "entrypoint");
  if (entrypoint !== undefined && !isText(entrypoint)) complain("entrypoint", "must be a text");
  const host = get(fields, "host");
  if (host !== undefined && !isNull(host) && !isText(host)) complain("host", "must be a text");
  checkWhole(fields, "port", complain, (port) => (port >= 0 && port <= 65535 ? undefined : "must be a port from 0 to 65535"));
  checkWhole(fields, "num_workers", complain, () => undefined);
  checkRestart(fields, complain);
  checkDomain(fields, type, complain);
  checkDatasets(fields, path, problems, complain);
  if (type === "environment_servers")
    for (const { field, message } of checkEnvironmentFields(implementation, fields)) complain(field, message);
}

type Complain = (field: string, message: string, extra?: { suggestion?: string; expected?: string }) => void;

function checkWhole(fields: MapNode, field: string, complain: Complain, limit: (value: number) => string | undefined): void {
  const node = get(fields, field);
  if (node === undefined || isNull(node)) return;
  const value = wholeNumber(node.kind === "scalar" ? node.value : undefined);
  const wrong = value === undefined ? "must be a whole number" : limit(value);
  if (wrong !== undefined) complain(field, wrong);
}

function checkRestart(fields: MapNode, complain: Complain): void {
  const node = get(fields, "restart");
  if (node === undefined || isInterpolation(node)) return;
  try {
    restartsOf(toPlain(node));
  } catch (error) {
    complain("restart", (error as Error).message.replace(/^restart | not .*$/g, "").replace(/,$/, ""));
  }
}

function checkDomain(fields: MapNode, type: Block["type"], complain: Complain): void {
  const domain = get(fields, "domain");
  if (domain === undefined || isNull(domain)) {
    if (type === "resources_servers") complain("domain", "is required for a resources server", { expected: DOMAINS.join(", ") });
    return;
  }
  if (isText(domain) && (DOMAINS as readonly string[]).includes(domain.value)) return;
  const suggestion = isText(domain) ? didYouMean(domain.value, DOMAINS) : undefined;
  complain("domain", "must be one of the known domains", {
    expected: DOMAINS.join(", "),
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}

function checkDatasets(fields: MapNode, path: readonly string[], problems: Problems, complain: Complain): void {
  const datasets = get(fields, "datasets");
  if (datasets === undefined || isNull(datasets)) return;
  if (datasets.kind !== "list") {
    complain("datasets", "must be a list");
    return;
  }
  for (const [index, item] of datasets.items.entries()) {
    for (const problem of checkDatasetEntry(toPlain(item)).problems) {
      const key = pathText([...path, "datasets", index, ...problem.path]);
      problems.add({ message: `'${key}' ${problem.message}.`, key, at: get(item, problem.path[0] ?? "")?.at ?? item.at });
    }
  }
}
