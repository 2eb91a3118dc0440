/**
 * Shell and template text in a configuration: `${HOME}` and `${x:-y}` are interpolations here, so a shell script loses them. Tells when a text
 * looks like one and what to write instead.
 */

import { placeInText } from "./files.ts";
import { type ConfigNode, isText, keyText, type MapNode, pathText } from "./node.ts";
import { placeOf } from "./source.ts";

/** Forms that only a shell has: `${x:-y}`, `${#a}`, `${a[@]}`, `${x%.*}`, `${x//a/b}`. */
const SHELL_FORM = /\$\{(?:[#!][A-Za-z_]|[A-Za-z_]\w*(?:\[[@*]\]|:?[-+=?]|[%#/^,]))/;
/** A text around the fragment that reads as a command line. */
const SHELL_CONTEXT =
  /(?:^|[\s;&|(])(?:cd|echo|export|for|if|then|source|bash|sh|python3?|pip|mkdir|rm|cp|mv|ls|cat|set|test|exec|git|curl|apt-get)\s|&&|\|\||;\s|\$\(|^#!/;

export function looksLikeShell(text: string, subject: string | undefined): boolean {
  return SHELL_FORM.test(text) || (subject !== undefined && /^[A-Z_][A-Z0-9_]*$/.test(subject)) || SHELL_CONTEXT.test(text);
}

/** What to write where `${...}` is meant for a shell. */
export function shellFix(text: string, subject: string | undefined): string | undefined {
  if (!text.includes("${") || !looksLikeShell(text, subject)) return undefined;
  const start = subject === undefined ? text.indexOf("${") : Math.max(text.indexOf(`\${${subject}`), text.indexOf("${"));
  const end = text.indexOf("}", start);
  const fragment = text.slice(start, end === -1 ? start + 20 : Math.min(end + 1, start + 60));
  const environment =
    subject !== undefined && /^[A-Za-z_]\w*$/.test(subject)
      ? `, or \${oc.env:${subject}} for the environment variable at load time; to set the value here: ++${subject}=<value>`
      : "";
  return `if the shell is to see it, write \\${fragment}${environment}`;
}

/** `{{ x }}`, `{% if %}` and `{# #}` in shell text: untouched here, but a launcher that renders templates takes them for its own. */
export function templateNotices(root: MapNode): string[] {
  const notices: string[] = [];
  const visit = (node: ConfigNode, path: readonly (string | number)[]): void => {
    if (node.kind === "list") for (const [index, item] of node.items.entries()) visit(item, [...path, index]);
    if (node.kind === "map") for (const { key, value } of node.entries.values()) visit(value, [...path, keyText(key)]);
    if (!isText(node) || !SHELL_CONTEXT.test(node.value)) return;
    const fragment = /\{(?:\{.{0,40}?\}\}|%.{0,40}?%\}|#.{0,40}?#\}|[{%])/.exec(node.value)?.[0];
    if (fragment === undefined) return;
    const at = placeInText(node.at, fragment);
    const { line, column } = placeOf(at);
    notices.push(
      `${pathText(path)} (${at.source.name}:${line}:${column}): '${fragment}' in shell text is left as it is; where a launcher renders templates, write {% raw %}${fragment}{% endraw %}.`,
    );
  };
  visit(root, []);
  return notices;
}
