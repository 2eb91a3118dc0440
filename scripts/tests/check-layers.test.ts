import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { checkLayers } from "../check-layers.ts";

describe("check-layers", () => {
  const roots: string[] = [];
  afterEach(() => {
    for (const root of roots.splice(0)) rmSync(root, { recursive: true });
  });

  function project(files: Record<string, string>): string {
    const root = mkdtempSync(join(tmpdir(), "layers-"));
    roots.push(root);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return root;
  }

  const forbidden: [string, string, string][] = [
    ["an inner folder against the direction", "packages/core/src/http/a.ts", 'import { serve } from "../servers/index.ts";'],
    ["an inner folder past its door", "packages/core/src/http/a.ts", 'import type { X } from "../errors/errors.ts";'],
    ["a re-export against the direction", "packages/core/src/protocol/a.ts", 'export * from "../http/index.ts";'],
    ["a dynamic import against the direction", "packages/core/src/rollouts/a.ts", 'const x = await import("../servers/index.ts");'],
    ["schemas in a folder that needs none", "packages/core/src/http/a.ts", 'import { laxInt } from "../protocol/index.ts";'],
    ["a package against the direction", "packages/core/src/http/a.ts", 'import { x } from "@ng-gym/cli";'],
    ["testing in code that ships", "resources_servers/mcqa/app.ts", 'import { x } from "@ng-gym/testing";'],
    ["a server that imports another", "resources_servers/mcqa/app.ts", 'import { x } from "../other/verify.ts";'],
    ["a node module in a pure folder", "packages/core/src/metrics/a.ts", 'import { readFileSync } from "node:fs";'],
    ["an import over several lines", "packages/core/src/work/a.ts", 'import {\n  a,\n  b,\n} from "../http/index.ts";'],
  ];
  test.each(forbidden)("catches %s", (_name, path, text) => {
    const violations = checkLayers(project({ [path]: text }));
    expect(violations.map((violation) => violation.file)).toEqual([path]);
  });

  test("lets through what the design allows", () => {
    const root = project({
      "packages/core/src/servers/a.ts":
        'import { x } from "../http/index.ts";\nimport { y } from "./b.ts";\nimport { readFileSync } from "node:fs";',
      "packages/core/tests/a.test.ts": 'import { x } from "@ng-gym/testing";\nimport { y } from "../src/http/retry.ts";',
      "resources_servers/mcqa/app.ts": 'import { serve } from "@ng-gym/core/servers";\nimport { grade } from "./verify.ts";',
    });
    expect(checkLayers(root)).toEqual([]);
  });

  test("the repository itself", () => {
    expect(checkLayers(fileURLToPath(new URL("../..", import.meta.url)))).toEqual([]);
  });
});
