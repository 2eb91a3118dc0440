/** Commands that need no model start from a stand-in policy model, which gives way to a real one. */

import { merge } from "./merge.ts";
import { type ConfigNode, get, keyText, type MapNode, mapFromEntries, withEntry } from "./node.ts";
import type { Problems } from "./problems.ts";
import { topLevelMaps } from "./server-types.ts";

export const STAND_IN = "dummy_model";

/** Programmatic values of such a command. */
export const STAND_IN_VALUES = {
  policy_base_url: "",
  policy_api_key: "",
  policy_model_name: "",
  policy_model: { responses_api_models: { [STAND_IN]: { entrypoint: "app.py" } } },
};

/** Takes the stand-in out wherever a real model stands beside it; fields that the real one lacks come from it. */
export function replaceStandIn(root: MapNode, problems: Problems): MapNode {
  let result = root;
  for (const [name, instance] of topLevelMaps(root)) {
    const models = get(instance, "responses_api_models");
    const standIn = get(models, STAND_IN);
    if (models?.kind !== "map" || standIn === undefined || (models.entries.size === 1 && instance.entries.size === 1)) continue;
    const [first] = [...models.entries.values()].filter((entry) => keyText(entry.key) !== STAND_IN);
    if (first === undefined) {
      const extra = [...instance.entries.values()].map((entry) => keyText(entry.key)).find((key) => key !== "responses_api_models");
      problems.add({
        message: `'${name}' has '${extra}' but no model beside the stand-in.`,
        key: name,
        at: get(instance, extra ?? "")?.at,
        fix: `add ${name}.responses_api_models.<model server>`,
      });
      continue;
    }
    result = withEntry(result, name, withEntry(instance, "responses_api_models", withoutStandIn(models, keyText(first.key), standIn)));
  }
  return result;
}

function withoutStandIn(models: MapNode, real: string, standIn: ConfigNode): MapNode {
  const entries = new Map([...models.entries].filter(([, entry]) => keyText(entry.key) !== STAND_IN));
  const rest = mapFromEntries(entries, models.at, models.over);
  const model = get(rest, real);
  return model?.kind === "map" ? withEntry(rest, real, merge(standIn, model, {})) : rest;
}
