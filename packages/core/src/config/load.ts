/** The pipeline of a load; see README.md for the order and what each step is. */

import { existsSync } from "node:fs";
import { inheritedConfig } from "./child.ts";
import { compose, composedNames, routeOldAgentNames } from "./composition.ts";
import { checkInterpolations } from "./dangling.ts";
import { addDefaults, addSkipVerification } from "./defaults.ts";
import { applyDirectives } from "./directives.ts";
import { loadFile } from "./files.ts";
import { finish, instanceOf } from "./finish.ts";
import { type Includes, loadIncludes } from "./includes.ts";
import { InterpolationFailure, Interpolator } from "./interpolate.ts";
import { MAX_SERVERS } from "./limits.ts";
import { MergeConflict, merge } from "./merge.ts";
import { misplacedNotices } from "./misplaced.ts";
import { addAddresses, checkAddresses } from "./network.ts";
import {
  type ConfigNode,
  get,
  getPath,
  keyText,
  list,
  type MapNode,
  map,
  pathText,
  replacing,
  text,
  withEntry,
  withoutEntry,
} from "./node.ts";
import { applyOverrides } from "./override-apply.ts";
import { checkModelPairs, isTruthy } from "./pairing.ts";
import { checkBounds, fromPlain } from "./plain.ts";
import { addPolicyKeys } from "./policy-keys.ts";
import { Problems } from "./problems.ts";
import { checkReferences } from "./references.ts";
import { generateRelays } from "./relays.ts";
import { followAgentRenames } from "./renames.ts";
import { candidatePaths } from "./roots.ts";
import { checkServers, type ServerCheck } from "./server-check.ts";
import { blockOf, blocks } from "./server-types.ts";
import { templateNotices } from "./shell-text.ts";
import { madeUp, placeOf } from "./source.ts";
import { replaceStandIn, STAND_IN_VALUES } from "./stand-in-model.ts";
import { checkTopLevelValues } from "./top-level-values.ts";
import type { LoadedConfig, LoadOptions } from "./types.ts";
import { checkBaseKeys, checkBlockKeys, checkTopLevelKeys } from "./unknown-keys.ts";
import { checkUnset } from "./unset.ts";

interface Load {
  options: LoadOptions;
  problems: Problems;
  notices: string[];
}

/**
 * Loads and checks a whole configuration. Throws one `GymError` whose `details.problems` lists everything that is wrong (`Problem[]`), with
 * code NG_ERR_CONFIG or the finer code that all of them share; NG_ERR_USAGE for an unknown flag among the tokens.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const inherited = inheritedConfig(options.env);
  if (inherited !== undefined) return inherited;
  const load: Load = { options, problems: new Problems(), notices: [] };
  const merged = mergeLayers(load);
  const composed = build(merged, load);
  return await complete(composed, load);
}

interface Merged {
  root: MapNode;
  /** What the command line says about instances that composition will make. */
  heldBack: MapNode;
}

/** Override tokens, initial values, env.yaml and files as one tree, `config_paths` written back. */
function mergeLayers({ options, problems, notices }: Load): Merged {
  const { env } = options;
  const overrides = applyOverrides(options.argv, problems);
  const initial = initialValues(options);
  const environment = loadEnvYaml(options, problems);
  problems.throwIfAny();
  const base = mergeAll([environment, initial, overrides], env, problems);
  problems.throwIfAny();
  const includes = loadIncludes(base, { ...options, problems });
  problems.throwIfAny();
  notices.push(...includes.notices);
  if (includes.duplicates.length > 0)
    notices.push(
      `config_paths names these files more than once; each is read once: ${[...new Set(includes.duplicates)].join(", ")}. To build on another file's blocks, use _inherit_from or _copy.`,
    );
  const layers = [...includes.files.map((file) => file.node), environment, initial];
  const below = mergeAll(layers, env, problems);
  problems.throwIfAny();
  const { kept, heldBack } = holdBack(overrides, below, env, problems);
  const root = mergeAll([below, kept], env, problems);
  problems.throwIfAny();
  return { root: withConfigPaths(root, includes), heldBack };
}

function initialValues({ initial, noModel }: LoadOptions): ConfigNode {
  const at = madeUp("initial", "programmatic values");
  const given = fromPlain(initial ?? {}, at);
  return noModel === true ? merge(fromPlain(STAND_IN_VALUES, madeUp("default", "stand-in model")), given, {}) : given;
}

function loadEnvYaml(options: LoadOptions, problems: Problems): ConfigNode {
  const file = candidatePaths("env.yaml", options).find((place) => existsSync(place));
  return (file === undefined ? undefined : loadFile(file, problems)) ?? map({}, madeUp("default", "no env.yaml"));
}

function mergeAll(layers: readonly ConfigNode[], env: Record<string, string | undefined>, problems: Problems): MapNode {
  let root: ConfigNode = map({}, madeUp("default", "configuration"));
  for (const layer of layers) {
    try {
      root = merge(root, layer, env);
      checkBounds(root, "The merged configuration");
    } catch (error) {
      if (!(error instanceof MergeConflict)) throw error;
      const key = pathText(error.path);
      const { line, column } = placeOf(error.other);
      problems.add({
        message: `${key === "" ? "The top level" : `'${key}'`}: ${error.message} (${error.other.source.name}:${line}:${column}).`,
        key,
        at: error.at,
        fix: "set the key to null in a layer between, or use _delete_key",
      });
    }
  }
  return root as MapNode;
}

/** Keeps what the command line says about instances that only composition makes until they are there. */
function holdBack(
  overrides: MapNode,
  below: MapNode,
  env: Record<string, string | undefined>,
  problems: Problems,
): { kept: MapNode; heldBack: MapNode } {
  const candidates = [...overrides.entries.values()]
    .map((entry) => keyText(entry.key))
    .filter((name) => get(below, name) === undefined && getPath(overrides, [name, "responses_api_agents"]) !== undefined);
  let kept = overrides;
  let heldBack = map({}, overrides.at);
  if (candidates.length === 0) return { kept, heldBack };
  const without = candidates.reduce(withoutEntry, overrides);
  const names = new Set(composedNames(mergeAll([below, without], env, problems)));
  for (const name of candidates.filter((candidate) => names.has(candidate))) {
    const value = get(overrides, name);
    kept = withoutEntry(kept, name);
    if (value !== undefined) heldBack = withEntry(heldBack, name, value);
  }
  return { kept, heldBack };
}

function withConfigPaths(root: MapNode, { paths }: Includes): MapNode {
  const written = get(root, "config_paths");
  if (paths.length === 0) return root;
  const at = written?.at ?? madeUp("generated", "config_paths");
  const value = list(
    paths.map((path) => text(path, at)),
    at,
  );
  return withEntry(root, "config_paths", written === undefined ? value : replacing(value, written));
}

interface Built {
  root: MapNode;
  relays: string[];
}

/** Directives, renames, composition, relays and the stand-in model: what the servers finally are. */
function build({ root: merged, heldBack }: Merged, { options, problems, notices }: Load): Built {
  const { env } = options;
  const directed = applyDirectives(merged, env, problems);
  problems.throwIfAny();
  checkBounds(directed.root, "The configuration");
  if (blocks(directed.root).length > MAX_SERVERS) problems.add({ message: `The configuration has more than ${MAX_SERVERS} servers.` });
  problems.throwIfAny();
  let root = followAgentRenames(directed.root, directed.moves, problems);
  problems.throwIfAny();
  const composition = compose(root, env, problems);
  problems.throwIfAny();
  root = applyHeldBack(composition.root, heldBack, new Set(composition.renamed.values()), { options, problems, notices });
  root = routeOldAgentNames(root);
  const relays = generateRelays(root, isTruthy(get(root, "error_on_agent_without_environment_server")), problems);
  if (relays.names.length > 0) notices.push(`Generated an environment server for each agent that had none: ${relays.names.join(", ")}.`);
  return { root: replaceStandIn(relays.root, problems), relays: relays.names };
}

function applyHeldBack(root: MapNode, heldBack: MapNode, composed: ReadonlySet<string>, { options, problems }: Load): MapNode {
  for (const { key, value } of heldBack.entries.values()) {
    const block = blockOf(keyText(key), get(root, keyText(key)));
    const override = blockOf(keyText(key), value);
    if (block === undefined || override === undefined || !composed.has(keyText(key))) continue;
    for (const field of override.fields.entries.values()) {
      if (block.implementation === override.implementation && get(block.fields, keyText(field.key)) !== undefined) continue;
      const path = pathText([keyText(key), override.type, override.implementation, keyText(field.key)]);
      problems.add({
        code: "NG_ERR_OVERRIDE",
        message: `'${path}' sets a field that the composed agent does not have.`,
        key: path,
        at: field.value.at,
        fix: "add the field to the agent's own file",
      });
    }
  }
  return mergeAll([root, heldBack], options.env, problems);
}

/** Checks everything that is left, all at once, then writes addresses and defaults in. */
async function complete({ root: built, relays }: Built, load: Load): Promise<LoadedConfig> {
  const { options, problems, notices } = load;
  const { env, offline = false, allocatePort, ownAddress } = options;
  const generated = new Set(relays);
  const policy = addPolicyKeys(built, env);
  const { root } = policy;
  notices.push(...policy.notices, ...templateNotices(root));
  checkUnset(root, problems);
  const interpolator = new Interpolator(root, env);
  const check = checkServers(root, interpolator);
  reportAlmost(root, check, load);
  checkModelPairs(root, env, problems);
  checkInterpolations(root, interpolator, problems);
  checkReferences(check.servers, new Set(isStrict(root) ? check.almost.keys() : []), interpolator, problems);
  if (options.allowUnknown !== true) {
    notices.push(...misplacedNotices(root, check.servers, options.parameters ?? []));
    checkBaseKeys(blocks(root), problems);
    checkTopLevelKeys(root, options.parameters ?? [], problems);
    if (options.schemaFor !== undefined) {
      const instances = check.servers.map((block) => ({ block, instance: instanceOf(block, interpolator, generated) }));
      notices.push(...(await checkBlockKeys(instances, options.schemaFor, problems)));
    }
  }
  checkAddresses(withHead(root), check.servers, env, problems);
  let result = await addAddresses(root, check.servers, { offline, allocatePort, ownAddress, env, problems });
  result = addSkipVerification(
    result,
    blocks(result, "responses_api_agents").filter(({ instance }) => check.servers.some((server) => server.instance === instance)),
  );
  result = addDefaults(result, { cwd: options.cwd, env, problems });
  notices.push(...checkTopLevelValues(root, interpolator, problems));
  problems.throwIfAny();
  checkWhole(result, env, problems);
  problems.throwIfAny();
  return finish(result, { env, notices, generated });
}

/** Blocks that hold one another through interpolations, or unfold past all bounds: each resolves on its own, the whole does not. */
function checkWhole(root: MapNode, env: Record<string, string | undefined>, problems: Problems): void {
  try {
    new Interpolator(root, env).whole({ node: root, path: [] });
  } catch (error) {
    if (!(error instanceof InterpolationFailure)) throw error;
    problems.add({ code: "NG_ERR_INTERPOLATION", message: `The configuration does not resolve: ${error.message}.` });
  }
}

/** The head server's default address takes part in the address check. */
function withHead(root: MapNode): MapNode {
  if (get(root, "head_server") !== undefined) return root;
  return withEntry(root, "head_server", fromPlain({ host: "127.0.0.1", port: 11000 }, madeUp("default", "default")));
}

function reportAlmost(root: MapNode, { almost, notices: own }: ServerCheck, { problems, notices }: Load): void {
  notices.push(...own);
  for (const [instance, found] of almost) {
    if (!isStrict(root)) {
      notices.push(`'${instance}' is almost a server and is not started: ${found.list.map((problem) => problem.message).join(" ")}`);
      continue;
    }
    problems.addAll(found);
  }
}

function isStrict(root: MapNode): boolean {
  const written = get(root, "error_on_almost_servers");
  return written === undefined || isTruthy(written);
}
