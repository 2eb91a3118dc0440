/** YAML text to plain values, for configuration-like files outside a load (prompt files, manifests, overrides). */
import { GymError } from "../errors/index.ts";
import { loadText } from "./files.ts";
import { toPlain } from "./plain.ts";
import { Problems } from "./problems.ts";
import { normaliseText } from "./yaml-read.ts";

/** Plain value of a text, interpolations left as they are. Throws NG_ERR_CONFIG_SYNTAX with line, column and a caret. */
export function parseConfigYaml(text: string, file = "text"): unknown {
  const problems = new Problems();
  const root = loadText({ kind: "file", name: file, text: normaliseText(text) }, problems);
  problems.throwIfAny();
  if (root === undefined) throw new GymError("NG_ERR_CONFIG_SYNTAX", `'${file}' does not read as YAML.`);
  return toPlain(root);
}
