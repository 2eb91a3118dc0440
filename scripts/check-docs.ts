/**
 * Checks that the documentation is true:
 *
 *   node scripts/check-docs.ts [--root FOLDER] [PAGE ...]     exits 1 where something is wrong
 *
 * On every page: relative links resolve, commands exist with the flags that are shown, no registry host, no folder of one machine. On
 * docs/architecture.md also: every path in a table exists. What a code block's first line says decides what happens to it, page by page, in order,
 * in a fresh folder:
 *
 *   ```bash              executed; must end with exit code 0 in time, else the page's later ones are not run
 *   ```bash background   started and left running until the page ends; the next block begins when its output says "ready"
 *   ```LANG file=PATH    written to PATH
 *   ```sh, or indented   not executed (it needs a real endpoint, or takes long); its commands are checked like all others
 */
import { globSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { commandProblems, isUnknownBinary } from "./docs/command-check.ts";
import { type Block, codeSpans, INDENTED, readPage, type Span } from "./docs/markdown.ts";
import { openPlayground, type Playground } from "./docs/playground.ts";
import { forbiddenText, linkProblems, tablePathProblems } from "./docs/references.ts";

const READY = /\bready\b/;
const SHELL = new Set(["bash", "sh", "shell", "console", INDENTED]);
const PATH_TABLES = "docs/architecture.md";

export interface PageReport {
  page: string;
  /** Executed blocks that passed, by the line they begin in. */
  passed: number[];
  /** `line` within the page. */
  problems: Span[];
}

export interface CheckOptions {
  root: string;
  limitMs?: number;
}

export function pagesOf(root: string): string[] {
  return globSync("**/*.md", {
    cwd: root,
    exclude: (path) => /(?:^|\/)(?:node_modules|fixtures|golden|dist|results|coverage)$/.test(path),
  }).sort();
}

export async function checkPage(page: string, { root, limitMs }: CheckOptions): Promise<PageReport> {
  const file = join(root, page);
  const markdown = readFileSync(file, "utf8");
  const content = readPage(markdown);
  const report: PageReport = { page, passed: [], problems: [...forbiddenText(markdown), ...linkProblems(content, file)] };
  if (page === PATH_TABLES) report.problems.push(...tablePathProblems(content, root));
  for (const { text, line } of codeSpans(content.prose))
    if (isUnknownBinary(text)) report.problems.push({ line, text: `there is no command ${text}` });

  await using playground = await openPlayground({ root, limitMs });
  let broken = false;
  for (const block of content.blocks) {
    const path = block.words.find((word) => word.startsWith("file="))?.slice("file=".length);
    if (path !== undefined) playground.write(path, `${block.text}\n`);
    else if (SHELL.has(block.language)) {
      const wrong = await commandProblems(block.text, { root, searchRoots: [playground.folder, root] });
      report.problems.push(...wrong.map(({ line, message }) => ({ line: block.line + line, text: message })));
      // A block builds on those before it: after the first that fails, the rest would only fail with it.
      if (block.language === "bash" && !broken) broken = wrong.length > 0 || !(await execute(block, playground, report));
    }
  }
  return report;
}

/** True where the block did what it should. */
async function execute(block: Block, playground: Playground, report: PageReport): Promise<boolean> {
  const { problem, output } = block.words.includes("background")
    ? await playground.start(block.text, READY)
    : await playground.run(block.text);
  if (problem === undefined) {
    report.passed.push(block.line);
    return true;
  }
  const shown = output.trimEnd().replace(/^/gm, "    ");
  report.problems.push({ line: block.line, text: `the block failed (${problem}); its output ends with:\n${shown}` });
  return false;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { root: { type: "string" } }, allowPositionals: true });
  const root = values.root === undefined ? fileURLToPath(new URL("..", import.meta.url)) : resolve(values.root);
  const pages = positionals.length > 0 ? positionals.map((page) => relative(root, resolve(page))) : pagesOf(root);
  let problems = 0;
  let blocks = 0;
  for (const page of pages) {
    const report = await checkPage(page, { root });
    problems += report.problems.length;
    blocks += report.passed.length;
    process.stdout.write(
      `${report.problems.length === 0 ? "ok    " : "FAILED"} ${page}${report.passed.length > 0 ? ` (${report.passed.length} blocks ran)` : ""}\n`,
    );
    for (const { line, text } of report.problems) process.stdout.write(`       ${page}:${line}: ${text}\n`);
  }
  process.stdout.write(`check-docs: ${pages.length} pages, ${blocks} blocks ran, ${problems} problems\n`);
  process.exitCode = problems === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
