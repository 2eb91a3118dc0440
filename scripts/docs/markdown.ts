/** The parts of a Markdown page that the checks look at, each with its line. Knows the Markdown of this repository, not all of it. */

/** A fenced code block: ```` ```bash background ```` has the language `bash` and the words `["background"]`. */
export interface Block {
  language: string;
  words: string[];
  text: string;
  /** Of the opening fence, from 1. */
  line: number;
}

export interface Span {
  text: string;
  line: number;
}

export interface Page {
  blocks: Block[];
  /** Lines outside of fenced blocks. */
  prose: Span[];
}

/** Language of a block that is set off by four spaces instead of fences. */
export const INDENTED = "indented";

export function readPage(markdown: string): Page {
  const page: Page = { blocks: [], prose: [] };
  let open: { block: Block; fence: string; lines: string[] } | undefined;
  markdown.split("\n").forEach((text, index) => {
    const fence = /^\s*(`{3,}|~{3,})(.*)$/.exec(text);
    if (open !== undefined) {
      if (fence?.[1]?.startsWith(open.fence) && fence[2]?.trim() === "") {
        page.blocks.push({ ...open.block, text: open.lines.join("\n") });
        open = undefined;
      } else open.lines.push(text);
    } else if (fence) {
      const [language = "", ...words] = (fence[2] as string).trim().split(/\s+/);
      open = { block: { language, words, text: "", line: index + 1 }, fence: fence[1] as string, lines: [] };
    } else page.prose.push({ text, line: index + 1 });
  });
  page.blocks.push(...indentedBlocks(page.prose));
  if (open !== undefined) page.blocks.push({ ...open.block, text: open.lines.join("\n") });
  return page;
}

function indentedBlocks(prose: readonly Span[]): Block[] {
  const blocks: Block[] = [];
  let last: { block: Block; end: number } | undefined;
  for (const { text, line } of prose) {
    if (!/^ {4}/.test(text)) continue;
    if (last !== undefined && last.end === line - 1) last.block.text += `\n${text.slice(4)}`;
    // `line` is that of a fence, one above the text.
    else blocks.push({ language: INDENTED, words: [], text: text.slice(4), line: line - 1 });
    last = { block: blocks.at(-1) as Block, end: line };
  }
  return blocks;
}

/** `code` in running text. */
export function codeSpans(prose: readonly Span[]): Span[] {
  return prose.flatMap(({ text, line }) => [...text.matchAll(/`([^`]+)`/g)].map((match) => ({ text: match[1] as string, line })));
}

/** Targets of `[text](target)`. */
export function links(prose: readonly Span[]): Span[] {
  return prose.flatMap(({ text, line }) =>
    [...text.replace(/`[^`]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)].map((match) => ({ text: match[1] as string, line })),
  );
}

/** Rows of tables, the line of dashes left out. */
export function tableRows(prose: readonly Span[]): Span[] {
  return prose.filter(({ text }) => /^\s*\|/.test(text) && !/^[\s|:-]+$/.test(text));
}

/** Anchors of the headings, as the usual renderers make them. */
export function anchors(prose: readonly Span[]): Set<string> {
  const headings = prose.map(({ text }) => /^#{1,6}\s+(.*)$/.exec(text)?.[1]).filter((heading) => heading !== undefined);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s/g, "-"),
    ),
  );
}
