/** Keys that nothing reads: misspelt ones of a server block, and top-level ones that look like a known key. `x-` marks a key as one's own. */
import { BASE_BLOCK_KEYS } from "./block-keys.ts";
import { MAX_COMPARED_KEYS } from "./limits.ts";
import { type ConfigNode, get, isInterpolation, keyText, type MapNode, pathText } from "./node.ts";
import type { Problems } from "./problems.ts";
import { type Block, blockPath } from "./server-types.ts";
import { isTypo } from "./suggest.ts";
import { KNOWN_KEYS } from "./top-level-keys.ts";
import type { SchemaFor, ServerInstance } from "./types.ts";

export async function checkBlockKeys(
  blocks: readonly { block: Block; instance: ServerInstance }[],
  schemaFor: SchemaFor,
  problems: Problems,
): Promise<string[]> {
  const unchecked: string[] = [];
  for (const { block, instance } of blocks) {
    if (instance.generated === true) continue;
    const own = await schemaFor(instance);
    if (own === undefined) {
      unchecked.push(block.instance);
      continue;
    }
    // An environment server has no program that could read more than its own settings.
    const allowed = new Set(block.type === "environment_servers" ? own : [...BASE_BLOCK_KEYS, ...own]);
    for (const { key } of block.fields.entries.values()) {
      const name = keyText(key);
      if (allowed.has(name) || name.startsWith("x-")) continue;
      const path = pathText([...blockPath(block), name]);
      const suggestion = problems.suggestion(name, () => allowed);
      problems.add({
        message: `'${path}': ${block.type}/${block.implementation} has no setting '${name}'.`,
        key: path,
        at: key.at,
        expected:
          own.length > 0
            ? `one of its settings: ${[...own, ...COMMON_KEYS.filter((common) => allowed.has(common) && !own.includes(common))].slice(0, 48).join(", ")}`
            : "no settings of its own",
        suggestion,
        fix: `correct or remove it, name it x-${name}, or pass --allow-unknown`,
      });
    }
  }
  return unchecked.length === 0
    ? []
    : [`Settings of ${unchecked.join(", ")} are checked against the base keys only: no schema is known for them.`];
}

/** Base keys that say how a server is run: named beside its own settings where somebody looks for one. */
const COMMON_KEYS = ["num_workers", "hosting", "restart", "python", "max_body_bytes"];

/** Base keys shorter than this have neighbours that mean something of their own (`values`, `hosts`). */
const MIN_BASE_LENGTH = 8;

/** Misspelt base keys, which no server's own schema excuses. */
export function checkBaseKeys(blocks: readonly Block[], problems: Problems): void {
  for (const block of blocks) {
    for (const { key } of block.fields.entries.values()) {
      const name = keyText(key);
      const near = BASE_BLOCK_KEYS.includes(name)
        ? undefined
        : BASE_BLOCK_KEYS.find((base) => base.length >= MIN_BASE_LENGTH && name.length >= MIN_BASE_LENGTH && isTypo(name, base));
      // A block without entrypoint is told as such, with the misspelt key.
      if (near === undefined || (near === "entrypoint" && get(block.fields, "entrypoint") === undefined)) continue;
      const path = pathText([...blockPath(block), name]);
      problems.add({
        message: `'${path}' looks like a misspelt '${near}'.`,
        key: path,
        at: key.at,
        suggestion: `Did you mean '${near}'?`,
        fix: `correct it, name it x-${name}, or pass --allow-unknown`,
      });
    }
  }
}

/** Shorter names resemble one another by chance. */
const MIN_LENGTH = 6;

export function checkTopLevelKeys(root: MapNode, parameters: readonly string[], problems: Problems): void {
  const known = new Set([...KNOWN_KEYS, ...parameters]);
  const used = interpolatedNames(root);
  let compared = 0;
  for (const { key, value } of root.entries.values()) {
    const name = keyText(key);
    if (
      typeof key.value !== "string" ||
      value.kind === "map" ||
      name.length < MIN_LENGTH ||
      known.has(name) ||
      name.startsWith("x-") ||
      used.has(name)
    )
      continue;
    if (++compared > MAX_COMPARED_KEYS) return;
    const near = [...known].find((other) => isTypo(name, other));
    if (near === undefined) continue;
    problems.add({
      message: `Nothing reads the top-level key '${name}'.`,
      key: name,
      at: key.at,
      suggestion: `Did you mean '${near}'?`,
      fix: `correct it, name it x-${name}, or pass --allow-unknown`,
    });
  }
}

/** First names of the paths that interpolations read: those keys are somebody's variables. */
export function interpolatedNames(root: MapNode): Set<string> {
  const names = new Set<string>();
  const visit = (node: ConfigNode): void => {
    if (node.kind === "list") for (const item of node.items) visit(item);
    if (node.kind === "map") for (const { value } of node.entries.values()) visit(value);
    if (isInterpolation(node)) for (const match of node.value.matchAll(/[$:{,]\{?\s*([A-Za-z_][\w-]*)/g)) names.add(match[1] ?? "");
  };
  visit(root);
  return names;
}
