/**
 * Writes what documentation says about configuration keys, from the tables and schemas that the program itself reads:
 *
 *   node scripts/generate-config-docs.ts [--check]     docs/config.schema.json and the tables of docs/config.md; --check only compares, exits 1
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { configSchema } from "../packages/cli/src/commands/json-schema.ts";
import { keysTable, topLevelTable } from "./docs/config-tables.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGE = join(ROOT, "docs/config.md");
const SCHEMA = join(ROOT, "docs/config.schema.json");

/** What is between `<!-- generated: NAME -->` and `<!-- end -->` on the page. */
const SECTIONS: Record<string, () => string> = { "top-level keys": topLevelTable, "keys of a collection": keysTable };

/** The schema as the program makes it: only what is installed here, whatever the folder of whoever asks. */
export async function currentSchema(): Promise<unknown> {
  return (await configSchema({ cwd: ROOT, env: {} })).schema;
}

export function pageWithTables(page: string): string {
  let text = page;
  for (const [name, table] of Object.entries(SECTIONS)) {
    const [start, end] = [`<!-- generated: ${name} -->\n`, "<!-- end -->"];
    const from = text.indexOf(start);
    if (from < 0) throw new Error(`docs/config.md has no section ${JSON.stringify(start)}`);
    text = `${text.slice(0, from + start.length)}\n${table()}\n${text.slice(text.indexOf(end, from))}`;
  }
  return text;
}

/** Files that are not what they would be if they were written now. */
export async function outdated(): Promise<string[]> {
  const page = readFileSync(PAGE, "utf8");
  const schema = JSON.stringify(JSON.parse(readFileSync(SCHEMA, "utf8")));
  return [...(page === pageWithTables(page) ? [] : [PAGE]), ...(schema === JSON.stringify(await currentSchema()) ? [] : [SCHEMA])];
}

if (import.meta.main) {
  if (process.argv.includes("--check")) {
    const files = await outdated();
    for (const file of files) process.stderr.write(`${file} is out of date: node scripts/generate-config-docs.ts\n`);
    process.exitCode = files.length > 0 ? 1 : 0;
  } else {
    writeFileSync(PAGE, pageWithTables(readFileSync(PAGE, "utf8")));
    writeFileSync(SCHEMA, `${JSON.stringify(await currentSchema(), undefined, 2)}\n`);
  }
}
