/** One schema, four faces: a key of the configuration has a decision about the command line, or the type checker stops. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TOP_LEVEL_KEYS, topLevelKeys } from "@ng-gym/core/config";
import { collectParameters, profileParameters } from "@ng-gym/core/rollouts";
import { execa } from "execa";
import { expect, test } from "vitest";
import { optionsOf } from "../src/contract/index.ts";
import { COMMANDS, collectKeys, configKeys, profileKeys } from "../src/table/index.ts";
import { ROOT, run, temporaryFolder } from "./run-command.ts";

/** Every line that ends in `// error` must be one, and no other. */
const FIXTURE = `
import type { TopLevelKey, TopLevelName } from "<root>/packages/core/src/config/index.ts";
import type { CollectParameters, ProfileParameters } from "<root>/packages/core/src/rollouts/index.ts";
import type { Decisions, OptionDecision } from "<root>/packages/cli/src/contract/index.ts";
import { collectKeys, configKeys, profileKeys } from "<root>/packages/cli/src/table/index.ts";

export const collect: Decisions<CollectParameters> = collectKeys;
export const moreToCollect: Decisions<CollectParameters & { new_key: number }> = collectKeys; // error
export const lessToCollect = { ...collectKeys, gone: { override: "x" } } satisfies Decisions<CollectParameters>; // error
export const profile: Decisions<ProfileParameters> = profileKeys;
export const moreToProfile: Decisions<ProfileParameters & { new_key: number }> = profileKeys; // error
type Decided = Exclude<TopLevelName, keyof CollectParameters | \`http_\${string}\`>;
export const top: Record<Decided, OptionDecision | "override"> = configKeys;
export const moreAtTheTop: Record<Decided | "new_key", OptionDecision | "override"> = configKeys; // error
export const key: TopLevelKey = { type: "flag", default: false, about: "x" };
export const untyped: TopLevelKey = { default: false, about: "x" }; // error
export const withoutDefault: TopLevelKey = { type: "flag", about: "x" }; // error
export const unexplained: TopLevelKey = { type: "flag", default: false }; // error
export const reasonless: OptionDecision = { hidden: undefined }; // error
`;

test("a key without a decision does not compile", { timeout: 180_000 }, async () => {
  using folder = temporaryFolder();
  const text = FIXTURE.replaceAll("<root>/", ROOT);
  writeFileSync(join(folder.path, "fixture.ts"), text);
  const options = { noEmit: true, rewriteRelativeImportExtensions: false, typeRoots: [join(ROOT, "node_modules/@types")] };
  const settings = { extends: join(ROOT, "tsconfig.base.json"), compilerOptions: options, files: ["fixture.ts"] };
  writeFileSync(join(folder.path, "tsconfig.json"), JSON.stringify(settings));
  writeFileSync(join(folder.path, "package.json"), JSON.stringify({ type: "module" }));
  const { stdout } = await execa(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder.path, "--pretty", "false"], {
    reject: false,
    cwd: folder.path,
  });
  const found = [...stdout.matchAll(/^(.*?)\((\d+),\d+\): error/gm)].map((match) => `${match[1]}:${match[2]}`);
  const meant = text.split("\n").flatMap((line, at) => (line.endsWith("// error") ? [`fixture.ts:${at + 1}`] : []));
  expect([...new Set(found)], stdout).toEqual(meant);
  expect(stdout).toContain("new_key");
});

test("the tables hold the keys of the schemas, each once", () => {
  expect(Object.keys(collectKeys).sort()).toEqual(Object.keys(collectParameters.shape).sort());
  expect(Object.keys(profileKeys).sort()).toEqual(Object.keys(profileParameters.shape).sort());
  expect([...Object.keys(configKeys), ...Object.keys(collectKeys)]).toEqual(
    expect.arrayContaining(Object.keys(TOP_LEVEL_KEYS).filter((name) => !name.startsWith("http_"))),
  );
});

test("every flag of the tables is one of the command's, and every key that it sets is known", () => {
  const command = (name: string) => COMMANDS.find((one) => one.name === name);
  const collect = command("collect-rollouts");
  const flags = (options: readonly { flags: readonly string[]; key?: string }[] = []) =>
    options.map((one) => `${one.flags.join(" ")} ${one.key}`);
  expect(flags(collect?.options)).toEqual(
    expect.arrayContaining(flags(optionsOf(collectKeys, ...(Object.keys(collectKeys) as "limit"[])))),
  );
  const profile = optionsOf(profileKeys, ...(Object.keys(profileKeys) as "rollouts_jsonl_fpath"[]));
  expect(flags(command("reward-profile")?.options)).toEqual(expect.arrayContaining(flags(profile)));
  const known = new Set([...Object.keys(configKeys), ...Object.keys(collectKeys), ...Object.keys(profileKeys), "strict", "split"]);
  for (const { name, options, positional } of COMMANDS)
    for (const key of [...options.map((option) => option.key), positional?.key])
      if (key !== undefined) expect(known, `${name}: ${key}`).toContain(key.split(".")[0]);
});

test("--help shows flags, variables and the keys that have no flag", async () => {
  using folder = temporaryFolder();
  const collect = await run(["ng-collect-rollouts", "--help"], { cwd: folder.path });
  expect(collect.stdout).toMatch(/--concurrency <integer> +rollouts in flight/);
  const keys = collect.stdout.slice(collect.stdout.indexOf("\nKeys without a flag:\n"));
  expect(keys).toMatch(/^ {2}fan_out +agent or task_source/m);
  expect(keys).not.toMatch(/^ {2}(?:limit|input_jsonl_fpath) /m);
  for (const hidden of ["--health-check-workers", "rollout_collection_driver"]) expect(collect.stdout).not.toContain(hidden);
  const start = await run(["ng-run", "--help"], { cwd: folder.path, env: { COLUMNS: "200" } });
  for (const [, { variable }] of topLevelKeys().filter(([name]) => name.startsWith("policy_")))
    if (variable !== undefined) expect(start.stdout).toContain(variable);
});
