import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { checkPage, type PageReport, pagesOf } from "../check-docs.ts";
import { readPage } from "../docs/markdown.ts";
import { shellCommands } from "../docs/shell-words.ts";

const roots: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

/** A file that blocks know as $OUT: a page must not name a folder of this machine. */
function outFile(): string {
  const out = join(project({}), "out");
  vi.stubEnv("OUT", out);
  return out;
}

function project(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "docs-test-"));
  roots.push(root);
  mkdirSync(join(root, "node_modules", ".bin"), { recursive: true });
  for (const [path, text] of Object.entries({ "package.json": '{"scripts": {"quickstart": "true"}}', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

async function check(
  markdown: string,
  options: { files?: Record<string, string>; page?: string; limitMs?: number } = {},
): Promise<PageReport> {
  const page = options.page ?? "README.md";
  return checkPage(page, { root: project({ ...options.files, [page]: markdown }), limitMs: options.limitMs });
}

const texts = (report: PageReport): string[] => report.problems.map(({ line, text }) => `${line}: ${text}`);
const fenced = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`;

describe("blocks that run", () => {
  test("pass, in order, in one folder", async () => {
    const report = await check(`${fenced("bash", "echo one > a.txt")}\ntext\n\n${fenced("bash", 'test "$(cat a.txt)" = one')}`);
    expect(report).toMatchObject({ passed: [1, 7], problems: [] });
  });

  test("a failing one is found, with its output", async () => {
    const report = await check(`# Title\n\n${fenced("bash", "echo gone wrong >&2\nfalse\necho never")}`);
    expect(report.passed).toEqual([]);
    expect(texts(report)).toEqual([expect.stringMatching(/^3: the block failed \(exit code 1\).*\n {4}gone wrong$/)]);
  });

  test("a failing first command of a pipe and an unset variable are failures", async () => {
    for (const script of ["false | cat", 'echo "$NOT_SET_ANYWHERE"'])
      expect((await check(fenced("bash", script))).problems).toHaveLength(1);
  });

  test("after one that fails, the rest of the page is not run", async () => {
    const out = outFile();
    const report = await check(fenced("bash", "false") + fenced("bash", 'touch "$OUT"'));
    expect(report).toMatchObject({ passed: [], problems: [{ line: 1 }] });
    expect(existsSync(out)).toBe(false);
  });

  test("one that does not end is stopped and found", async () => {
    const report = await check(fenced("bash", "sleep 600"), { limitMs: 200 });
    expect(texts(report)).toEqual([expect.stringContaining("did not end within 0.2 s")]);
  });

  test("a background block lives until the page ends, and is stopped", async () => {
    const server = "echo $$ > pid\necho all ready\nexec sleep 600";
    const out = outFile();
    const report = await check(fenced("bash background", server) + fenced("bash", 'kill -0 "$(cat pid)"\ncp pid "$OUT"'));
    expect(report).toMatchObject({ passed: [1, 6], problems: [] });
    expect(() => process.kill(Number(readFileSync(out, "utf8")), 0)).toThrow("ESRCH");
  });

  test("a background block that ends before it is ready is found", async () => {
    expect(texts(await check(fenced("bash background", "exit 3")))).toEqual([expect.stringContaining("exit code 3 before")]);
  });

  test("blocks with file= become files; their folder is removed", async () => {
    const out = outFile();
    const report = await check(
      fenced("ts file=src/a.ts", "export {};") + fenced("bash", 'test "$(cat src/a.ts)" = "export {};"\npwd > "$OUT"'),
    );
    expect(report.problems).toEqual([]);
    expect(existsSync(readFileSync(out, "utf8").trim())).toBe(false);
  });
});

describe("commands that are shown", () => {
  const wrong: [string, string, RegExp][] = [
    ["an unknown binary", "ng-colect-rollouts", /not a command/],
    ["an unknown flag", "ng-collect-rollouts --inputt rows.jsonl", /unknown flag --inputt/],
    ["an unknown command of the tree", "ng env begin", /begin/],
    ["a config that is nowhere", "ng-run --resources-server nowhere", /nowhere/],
    ["an unknown npm script", "npm run quikstart", /no script quikstart/],
    ["a script file that is not there", "node scripts/gone.ts", /no file scripts\/gone\.ts/],
    ["a wrong one behind &&, over two lines", "cd x && \\\n  ng-status --jsn", /unknown flag --jsn/],
  ];
  test.each(wrong)("%s is found", async (_name, command, message) => {
    for (const markdown of [fenced("sh", command), fenced("bash", command), `text\n\n${command.replace(/^/gm, "    ")}\n`]) {
      const report = await check(markdown);
      expect(texts(report)).toEqual([expect.stringMatching(message)]);
      expect(report.passed).toEqual([]);
    }
  });

  test("right ones pass and are not run", async () => {
    const files = { "resources_servers/mine/configs/mine.yaml": "" };
    const text = [
      'ng-run --resources-server mine "+a={b: 1}"  # ng-nonsense --in-a-comment',
      "OPENAI_API_KEY=x ng_collect_rollouts -i a.jsonl -o b.jsonl > log.txt 2>&1 | cat; ng eval profile --inputs a --rollouts b",
      "npm run quickstart && ls --all; exit 1",
    ].join("\n");
    expect(await check(fenced("sh", text), { files })).toMatchObject({ passed: [], problems: [] });
  });

  test("an unknown binary in running text is found", async () => {
    expect(texts(await check("Use `ng-status`, then `ng-nonsense +x=1` of `ng-gym`."))).toEqual([
      "1: there is no command ng-nonsense +x=1",
    ]);
  });
});

describe("references", () => {
  test("links that lead nowhere are found", async () => {
    const markdown = "[a](docs/a.md) [b](docs/b.md) [c](docs/a.md#two-words) [d](docs/a.md#none) [e](#own) `[x](y)`\n\n# Own\n";
    const report = await check(markdown, { files: { "docs/a.md": "# Two words\n" } });
    expect(texts(report)).toEqual([expect.stringContaining("docs/b.md leads nowhere"), expect.stringContaining("docs/a.md#none")]);
  });

  test("a missing path in a table of the architecture page is found", async () => {
    const table =
      "| question | path |\n|---|---|\n| here | `src/a.ts`, route `/verify`, key `num_repeats` |\n| gone | `src/b.ts`, `src/c/` |\n\n`src/d.ts`\n";
    const report = await check(table, { page: "docs/architecture.md", files: { "src/a.ts": "" } });
    expect(texts(report)).toEqual(["4: there is no src/b.ts", "4: there is no src/c/"]);
  });

  test.each(["/home/me/gym", "see /tmp/x", "(/root)", "C:\\gym", "https://registry.npmjs.org/x"])("%s is not for a page", async (text) => {
    expect((await check(text)).problems).toHaveLength(1);
  });

  test.each(["http://host/work/x", "POST /run", "src/home/a", "$HOME/tmp/x", "/worker"])("%s is", async (text) => {
    expect((await check(text)).problems).toEqual([]);
  });
});

test("pages are all Markdown files but those of others", () => {
  const root = project({ "README.md": "", "docs/a.md": "", "node_modules/x/README.md": "", "packages/a/fixtures/x.md": "" });
  expect(pagesOf(root)).toEqual(["README.md", "docs/a.md"]);
});

test("shell text is split as a shell does", () => {
  const text = `A=1 one "two words" 'th#ree' a"b c"d\\\n  last & four | five; if six; then seven > out; fi # eight`;
  expect(shellCommands(text).map(({ words }) => words)).toEqual([
    ["one", "two words", "th#ree", "ab cd", "last"],
    ["four"],
    ["five"],
    ["six"],
    ["seven"],
  ]);
});

test("a block's own fences may be longer", () => {
  expect(readPage("````md\n```bash\nx\n```\n````\n").blocks).toMatchObject([{ language: "md", text: "```bash\nx\n```" }]);
});
