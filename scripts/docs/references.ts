/** What a page refers to besides commands: links, paths in tables; and what no page may hold. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { anchors, codeSpans, links, type Page, readPage, type Span, tableRows } from "./markdown.ts";

/** Hosts of package registries and mirrors: which one is used is a setting of the machine, never of this repository. */
const REGISTRY_HOST = /registry\.(?:npmjs|yarnpkg)|npmjs\.(?:com|org)|pypi\.org|pythonhosted|artifactory|verdaccio|nexus\.|npmmirror/i;
/** A folder of somebody's machine. Routes and URLs do not match. */
const LOCAL_PATH = /(?<![\w.:/$}{-])(?:\/(?:home|root|work|Users|tmp|mnt|srv|private|scratch)(?![\w.-])|[A-Z]:\\)/;

export function linkProblems(page: Page, file: string): Span[] {
  return links(page.prose).flatMap(({ text: target, line }) => {
    if (/^(?:https?|mailto):/.test(target)) return [];
    const [path = "", anchor] = target.split("#");
    const goal = path === "" ? file : resolve(dirname(file), decodeURIComponent(path));
    if (!existsSync(goal)) return [{ line, text: `the link to ${target} leads nowhere` }];
    if (anchor === undefined || !goal.endsWith(".md")) return [];
    const known = anchors(readPage(readFileSync(goal, "utf8")).prose);
    return known.has(anchor) ? [] : [{ line, text: `the link to ${target} names a heading that is not there` }];
  });
}

/** Every path in a table's code spans exists below `root`. A path has a slash or an ending, and does not begin with a slash (a route does). */
export function tablePathProblems(page: Page, root: string): Span[] {
  return codeSpans(tableRows(page.prose))
    .filter(({ text }) => /^[\w.@-][\w.@/-]*$/.test(text) && (text.includes("/") || /\.(?:ts|mjs|js|md|yaml|json|jsonl)$/.test(text)))
    .filter(({ text }) => !existsSync(join(root, text)))
    .map(({ text, line }) => ({ line, text: `there is no ${text}` }));
}

export function forbiddenText(markdown: string): Span[] {
  return markdown.split("\n").flatMap((text, index) => {
    const found = REGISTRY_HOST.exec(text)
      ? "names the host of a registry"
      : LOCAL_PATH.exec(text)
        ? "names a folder of one machine"
        : undefined;
    return found === undefined ? [] : [{ line: index + 1, text: `${found}: ${text.trim().slice(0, 80)}` }];
  });
}
