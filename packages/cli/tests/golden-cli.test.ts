/** Whole commands as the reference runs them: exit codes, what is on which stream, which files are made. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseConfigYaml } from "@ng-gym/core/config";
import { describeGolden, type GoldenCase } from "@ng-gym/testing";
import { expect } from "vitest";
import { COMMANDS, commandOfBinary, UMBRELLAS } from "../src/table/index.ts";
import { type Outcome, ROOT, run, runByName, temporaryFolder } from "./run-command.ts";

/** Why a case cannot run yet. */
function missing({ input }: GoldenCase): string | undefined {
  const [binary = "", ...argv] = input.argv as string[];
  const words = argv.filter((token, at) => !token.startsWith("-") && !token.includes("=") && argv[at - 1] !== "--config");
  if (UMBRELLAS.includes(binary)) {
    const group = COMMANDS.some((command) => command.path?.[0] === words[0]);
    const known = words.length < 2 || COMMANDS.some((command) => command.path?.join(" ") === words.slice(0, 2).join(" "));
    if (!known || (words.length > 0 && !group)) return `command ${words.slice(0, 2).join(" ")}`;
    if (words[1] === "validate" && (words.length > 2 || argv.some((token) => ["--manifest", "--sync", "--kind"].includes(token))))
      return "manifests of workloads";
    return undefined;
  }
  if (binary === "ng_unknown_alias") return undefined;
  return commandOfBinary(binary) === undefined ? `command ${binary}` : undefined;
}

describeGolden("config/cli.jsonl", {
  pending: missing,
  exceptions: {
    "dump-scalar-paths": "decisions.md, Config: config_paths scalar is accepted as a list of one",
    "validate-dangling-deep": "decisions.md, Config: errors all at once, dangling interpolations nested ones included",
    reinstall: "decisions.md, Goldens: a launcher exists for names of the table only; any other name is a usage error (exit 2)",
  },
  check: async ({ input, expected }: GoldenCase) => {
    using folder = temporaryFolder();
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true });
      writeFileSync(join(folder.path, path), text);
    };
    for (const [path, text] of Object.entries<string>(input.files ?? {})) write(path, text);
    const [binary] = input.argv as string[];
    const known = commandOfBinary(binary as string) !== undefined || UMBRELLAS.includes(binary as string);
    const outcome = await (known ? run : runByName)(input.argv, { cwd: folder.path, env: input.env ?? {} });
    const said = outcome.stdout + outcome.stderr;
    expect(outcome.exitCode, said).toBe(expected.ours?.exit_code ?? expected.exit_code);
    if (expected.ours !== undefined) return;
    for (const word of (expected.mentions ?? []).filter(isName))
      expect(said).toContain(word.replaceAll("<cwd>", folder.path).replaceAll("<install>", ROOT.replace(/\/$/, "")));
    checkStreams(outcome, expected, folder.path);
    expect(readdirSync(folder.path).sort()).toEqual(
      Object.keys(input.files ?? {})
        .map((path) => path.split("/")[0])
        .sort(),
    );
  },
});

// biome-ignore lint/suspicious/noExplicitAny: the golden's own shape
function checkStreams(outcome: Outcome, expected: any, cwd: string): void {
  if (expected.stdout === "error text") expect(outcome.stderr).toMatch(/^(Error: |\{"error":)/m);
  else if (expected.stdout?.includes(STANDARD_KEYS)) checkDump(outcome.stdout, expected.stdout.replaceAll("<cwd>", cwd));
  else if (expected.stdout?.startsWith("No NeMo Gym servers")) expect(outcome.stdout).toMatch(/^No servers are running/);
  else if (typeof expected.stdout === "string") expect(outcome.stdout).toBe(expected.stdout);
  if (expected.stdout_json_keys !== undefined) {
    const value = JSON.parse(outcome.stdout);
    for (const [key, inner] of Object.entries<string | string[]>(expected.stdout_json_keys)) {
      if (inner === "str") expect(typeof value[key], key).toBe("string");
      else expect(Object.keys(value[key])).toEqual(expect.arrayContaining(inner as string[]));
    }
  }
  if (expected.stdout_usage !== undefined) {
    expect(outcome.stdout).toMatch(/^usage: /);
    const flags = expected.lists === undefined ? (expected.stdout_usage.match(/--?[a-z-]+/g) ?? []) : [];
    for (const flag of flags) expect(outcome.stdout).toContain(flag);
  }
  if ((expected.stderr ?? []).includes("usage")) expect(outcome.stderr).toMatch(/^usage: /m);
}

/** The reference's parser names characters and tokens where ours names the place. */
function isName(word: string): boolean {
  return /\w/.test(word) && word !== "<stream end>";
}

/** Where the settings that every configuration has begin in a dump. */
const STANDARD_KEYS = "use_absolute_ip: ";

/** A dump: what the user wrote is the same text; the settings behind it are the same values. Libraries of Python (`head_server_deps`) are none of ours. */
function checkDump(ours: string, theirs: string): void {
  const written = theirs.slice(0, theirs.indexOf(STANDARD_KEYS)).replace(/port: <any>\n$/, "");
  expect(ours.slice(0, written.length)).toBe(written);
  expect(ours).toMatch(/\n\n$/);
  const [value, expected] = [ours, theirs].map((text) => parseConfigYaml(text) as Record<string, unknown>);
  expect({ ...value, head_server_deps: [] }).toEqual(withWildcards({ ...expected, head_server_deps: [] }));
}

function withWildcards(value: unknown): unknown {
  if (value === "<any>") return expect.anything();
  if (Array.isArray(value)) return value.map(withWildcards);
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withWildcards(inner)]))
    : value;
}
