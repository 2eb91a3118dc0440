/**
 * Keeps the copies of golden files under `packages/testing/golden/` equal to the originals.
 *
 *   node scripts/sync-golden.ts AREA/FILE ...   copies these files from the original folder
 *   node scripts/sync-golden.ts                 refreshes every file that is already copied
 *   node scripts/sync-golden.ts --check         exits 1 where a copy differs; passes where the originals are not there
 *
 * The originals are `../shared/golden`, or the folder named by NG_GOLDEN_SOURCE.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const copies = fileURLToPath(new URL("../packages/testing/golden/", import.meta.url));
const originals = process.env.NG_GOLDEN_SOURCE ?? fileURLToPath(new URL("../../shared/golden/", import.meta.url));

function copied(): string[] {
  if (!existsSync(copies)) return [];
  return readdirSync(copies, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(copies, join(entry.parentPath, entry.name)));
}

const args = process.argv.slice(2);
if (!existsSync(originals)) {
  process.stdout.write(`sync-golden: no originals at ${originals}; the copies stand as they are\n`);
} else if (args[0] === "--check") {
  const stale = copied().filter(
    (file) => !existsSync(originals + file) || !readFileSync(originals + file).equals(readFileSync(copies + file)),
  );
  process.stdout.write(
    stale.length === 0
      ? `sync-golden: ${copied().length} copies are equal to the originals\n`
      : `sync-golden: these copies differ: ${stale.join(", ")}\n`,
  );
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const file of args.length > 0 ? args : copied()) {
    mkdirSync(dirname(copies + file), { recursive: true });
    copyFileSync(originals + file, copies + file);
  }
  process.stdout.write(`sync-golden: ${copied().length} copies\n`);
}
