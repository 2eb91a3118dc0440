/** What documentation says about configuration keys is what the program says. */
import { expect, test } from "vitest";
import { currentSchema, outdated, pageWithTables } from "../generate-config-docs.ts";

test("docs/config.md and docs/config.schema.json are up to date", async () => {
  expect(await outdated(), "node scripts/generate-config-docs.ts").toEqual([]);
});

test("a key that changes changes both", async () => {
  const page = "<!-- generated: top-level keys -->\nold\n<!-- end -->\n<!-- generated: keys of a collection -->\nold\n<!-- end -->\n";
  const text = pageWithTables(page);
  expect(text).not.toMatch(/^old$/m);
  expect(text).toMatch(/^\| `dry_run` +\| flag +\| `false` +\|/m);
  expect(text).toMatch(/^\| `limit` +\| `--limit` +\|/m);
  expect(JSON.stringify(await currentSchema())).toContain('"dry_run":');
});
