/** Reads one configuration file into a tree; what is wrong with it goes to the problems. */
import { readFileSync } from "node:fs";
import { messageOf } from "../errors/index.ts";
import { InterpolationSyntaxError, parseText } from "./interpolation-grammar.ts";
import { type ConfigNode, isInterpolation } from "./node.ts";
import type { Problems } from "./problems.ts";
import { lineOf, type Origin, type Source } from "./source.ts";
import { normaliseText, readYaml } from "./yaml-read.ts";
import { YamlFault } from "./yaml-syntax.ts";

/** Undefined where the file cannot be used. */
export function loadFile(file: string, problems: Problems): ConfigNode | undefined {
  const text = readText(file, problems);
  return text === undefined ? undefined : loadText({ kind: "file", name: file, text }, problems);
}

/** The same for a text that is already there. */
export function loadText(source: Source, problems: Problems): ConfigNode | undefined {
  try {
    const root = readYaml(source);
    const before = problems.list.length;
    checkTexts(root, problems, new Set());
    return problems.list.length > before ? undefined : root;
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    const fix = error.fix ?? templateFix({ source, offset: Math.min(error.offset, source.text.length) });
    problems.add({
      code: "NG_ERR_CONFIG_SYNTAX",
      message: `Malformed YAML: ${error.message}.`,
      at: { source, offset: Math.min(error.offset, source.text.length) },
      ...(fix === undefined ? {} : { fix }),
    });
    return undefined;
  }
}

/** YAML takes an unquoted `{{` for mappings: nearly always a template was meant. */
function templateFix(at: Origin): string | undefined {
  const fragment = /\{[{%#].{0,20}/.exec(lineOf(at))?.[0];
  return fragment === undefined ? undefined : `put the whole text with '${fragment}' in quotes`;
}

function readText(file: string, problems: Problems): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const folder = (error as NodeJS.ErrnoException).code === "EISDIR";
    problems.add({
      code: "NG_ERR_CONFIG_SYNTAX",
      message: folder ? `'${file}' is a folder; expected a YAML file.` : `'${file}' cannot be read: ${messageOf(error)}`,
    });
    return undefined;
  }
  try {
    return normaliseText(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    problems.add({
      code: "NG_ERR_CONFIG_SYNTAX",
      message: `'${file}' is not UTF-8 text.`,
      fix: `Convert it: iconv -f latin1 -t utf-8 '${file}'`,
    });
    return undefined;
  }
}

/** Every `${` must parse, wherever it stands: what does not is nearly always text that was meant literally. */
function checkTexts(node: ConfigNode, problems: Problems, seen: Set<ConfigNode>): void {
  if (seen.has(node)) return;
  seen.add(node);
  if (node.kind === "list") for (const item of node.items) checkTexts(item, problems, seen);
  if (node.kind === "map") for (const { value } of node.entries.values()) checkTexts(value, problems, seen);
  if (!isInterpolation(node)) return;
  const { value } = node;
  try {
    parseText(value);
  } catch (error) {
    if (!(error instanceof InterpolationSyntaxError)) throw error;
    const start = Math.max(0, value.lastIndexOf("${", error.offset));
    problems.add({
      code: "NG_ERR_INTERPOLATION",
      message: `'${value.slice(start, start + 40)}' does not parse as an interpolation: ${error.message}.`,
      at: placeInText(node.at, value.slice(start, start + 12)),
      fix: `If it is meant literally, write \\${value.slice(start, start + 20)}`,
    });
  }
}

/** The place of a fragment of a scalar, where the file shows it as it is. */
export function placeInText(at: Origin, fragment: string): Origin {
  const found = at.source.text.indexOf(fragment, at.offset);
  return found === -1 || found - at.offset > 100_000 ? at : { ...at, offset: found };
}
