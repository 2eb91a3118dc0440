/** Interpolations that name nothing, go round in circles or do not read: all of them, at any depth, before anything starts. */

import { placeInText } from "./files.ts";
import type { InterpolationFailure, Interpolator, Located } from "./interpolate.ts";
import { get, isInterpolation, isUnset, keyText, type MapNode, pathText } from "./node.ts";
import { policyKeyFix } from "./policy-keys.ts";
import type { Problems } from "./problems.ts";
import { shellFix } from "./shell-text.ts";
import { KNOWN_KEYS } from "./top-level-keys.ts";

/** Adds a problem for every interpolation of the tree that does not resolve. Those that only wait for an unset value are told by that value. */
export function checkInterpolations(root: MapNode, interpolator: Interpolator, problems: Problems): void {
  // Once a bound is reached nothing after it can be judged.
  let full = false;
  const visit = (at: Located): void => {
    if (full) return;
    const { node, path } = at;
    if (node.kind === "list") for (const [index, item] of node.items.entries()) visit({ node: item, path: [...path, index] });
    if (node.kind === "map") for (const { key, value } of node.entries.values()) visit({ node: value, path: [...path, keyText(key)] });
    if (!isInterpolation(node)) return;
    for (const failure of interpolator.failures(at)) {
      if (failure.kind !== "unset") addInterpolationProblem(problems, failure, at, root);
      if (failure.kind === "bound") full = true;
    }
  };
  visit({ node: root, path: [] });
}

/** `root`: where the keys are that the missing one may resemble. */
export function addInterpolationProblem(problems: Problems, failure: InterpolationFailure, { node, path }: Located, root?: MapNode): void {
  const key = pathText(path);
  const text = isInterpolation(node) ? node.value : "";
  const subject = failure.subject ?? "";
  const first = subject.split(".")[0] ?? "";
  const unknown = failure.kind === "missing-key" && root !== undefined && get(root, first) === undefined;
  const suggestion = unknown
    ? problems.suggestion(first, () => [...[...root.entries.values()].map((entry) => keyText(entry.key)), ...KNOWN_KEYS])
    : undefined;
  problems.add({
    code: "NG_ERR_INTERPOLATION",
    message: `Config value '${key}' refers to ${describe(failure)}.`,
    key,
    at: placeInText(node.at, subject === "" ? "${" : subject),
    suggestion,
    ...fixFor(failure, text, isUnset(node)),
  });
}

function describe(failure: InterpolationFailure): string {
  if (failure.kind === "missing-key") return `'${failure.subject}', which is not in the configuration`;
  if (failure.kind === "unknown-resolver") return `the resolver '${failure.subject}:', which does not exist`;
  return `something that does not resolve: ${failure.message}`;
}

function fixFor(failure: InterpolationFailure, text: string, unset: boolean): { fix?: string } {
  const shell = unset ? undefined : shellFix(text, failure.subject);
  if (shell !== undefined) return { fix: shell };
  const policy = failure.kind === "missing-key" && failure.subject !== undefined ? policyKeyFix(failure.subject) : undefined;
  if (policy !== undefined) return { fix: policy };
  if (failure.kind === "missing-key") return { fix: `++${failure.subject}=<value>, or set it in env.yaml` };
  if (failure.kind === "resolver" && failure.message.startsWith("Environment variable"))
    return { fix: `export ${failure.subject}=<value>, or give a default: \${oc.env:${failure.subject},<default>}` };
  return {};
}
