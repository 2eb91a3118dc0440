/** The platform's own `fetch` gives up after 300 s without headers, whatever its caller wants, and counts no descriptors: nobody calls it here. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const SOURCES = ["packages/*/src/**/*.ts", "{resources_servers,responses_api_agents,responses_api_models}/*/*.ts"];
/** A call of it; methods of that name and their definitions (`fetch(target, ...`) are the client's. */
const BARE = /(?:globalThis\.|(?:^|[^.\w]))fetch\((?!target\b)/;

test("no source calls the platform's fetch", () => {
  const files = globSync(SOURCES, { cwd: ROOT, exclude: (path) => path.includes("node_modules") });
  expect(files.length).toBeGreaterThan(200);
  const bare = files.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, at) => (BARE.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  );
  expect(bare).toEqual([]);
  expect(BARE.test("const reply = await fetch(url);")).toBe(true);
  expect(BARE.test("return globalThis.fetch(url)")).toBe(true);
  expect(BARE.test("await client.fetch(target, call)")).toBe(false);
});
