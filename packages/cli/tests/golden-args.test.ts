/** The reference's command lines mean the same here: which command, which override tokens, which flags there are. */
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describeGolden, type GoldenCase, readGolden } from "@ng-gym/testing";
import { expect } from "vitest";
import { parse, route, UsageProblem } from "../src/args/index.ts";
import type { CommandSpec, OptionSpec } from "../src/contract/index.ts";
import { COMMANDS, GROUPS } from "../src/table/index.ts";
import { temporaryFolder } from "./run-command.ts";

/** What the reference's functions are called here. */
const TARGETS: Record<string, string> = {
  "env:run": "run",
  "env:status": "status",
  "env:validate": "validate",
  "env:dump_config": "dump-config",
  "env:list_environments": "list-benchmarks",
  "eval:collect_rollouts": "collect-rollouts",
  "eval:reward_profile": "reward-profile",
  "general:version": "version",
};

/** Flags that only we have. */
const OURS: Record<string, string[]> = {
  "env start": ["--allow-unknown"],
  "env validate": ["--allow-unknown"],
  "env resolve": ["--explain", "--json", "--allow-unknown"],
  "eval run": ["--json", "--strict", "--force"],
  "eval profile": ["--json", "--allow-partial"],
};

const reference: string[] = readGolden("config/command-options.jsonl").find((golden) => golden.id === "gym")?.expected.commands;
const ours = new Set(COMMANDS.map((command) => command.path?.join(" ")));

/** The command of the reference that a line names, if it is none of ours yet. */
function missingCommand(argv: readonly string[]): string | undefined {
  const words = argv.filter((token) => !["-v", "--json"].includes(token));
  const name = [words.slice(0, 2).join(" "), words[0]].find((candidate) => reference.includes(candidate ?? ""));
  return name === undefined || ours.has(name) ? undefined : name;
}

async function outcomeOf(
  argv: readonly string[],
  cwd: string,
): Promise<{ command?: CommandSpec; overrides?: string[]; exitCode: number; problem?: UsageProblem; notices: string[] }> {
  try {
    const at = route("gym", argv);
    if (at.kind === "tree") return { exitCode: at.exitCode, notices: [] };
    const rootsOf = async (env: Record<string, string | undefined>): Promise<string[]> => [
      ...(env.NEMO_GYM_EXTRA_ROOTS?.split(delimiter) ?? []),
      cwd,
    ];
    const parsed = await parse(at, { env: {}, rootsOf });
    if (parsed.kind === "help") return { exitCode: 0, notices: [] };
    return { command: at.command, overrides: parsed.overrides, exitCode: 0, notices: parsed.notices };
  } catch (thrown) {
    if (!(thrown instanceof UsageProblem)) throw thrown;
    return { exitCode: 2, problem: thrown, notices: [] };
  }
}

describeGolden("config/router.jsonl", {
  pending: ({ input, expected }) => {
    const command = missingCommand(input.argv);
    if (command !== undefined) return `command ${command}`;
    if (expected.target === "eval:e2e_rollout_collection") return "command eval run with servers of its own";
    if (expected.overrides?.some((token: string) => /^\+(onboarding_name|manifest_path)=/.test(token))) return "manifests of workloads";
    return undefined;
  },
  check: async ({ input, expected }: GoldenCase) => {
    using folder = temporaryFolder();
    const here = (text: string): string => text.replaceAll("<cwd>", folder.path);
    for (const [path, text] of Object.entries<string>(input.files ?? {})) {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true });
      writeFileSync(join(folder.path, path), text);
    }
    const outcome = await outcomeOf(input.argv.map(here), folder.path);
    expect(outcome.exitCode, outcome.problem?.message).toBe(expected.exit_code);
    if (expected.overrides !== undefined) expect(outcome.overrides).toEqual(expected.overrides.map(here));
    if (expected.target !== undefined) expect(outcome.command?.name).toBe(TARGETS[expected.target]);
    if (expected.stderr_starts !== undefined) expect(`usage: ${outcome.problem?.options.usage}`).toContain(expected.stderr_starts);
    for (const word of expected.did_you_mean ?? []) expect(await outcome.problem?.hint()).toContain(word);
    if (expected.deprecation_warning === true) expect(outcome.notices.join("\n")).toMatch(/now called/);
  },
});

describeGolden("config/command-options.jsonl", {
  pending: ({ input }) => {
    if (input.command === "gym") return undefined;
    if (input.command === "env validate") return "manifests of workloads (NAME --kind --manifest --sync)";
    return ours.has(input.command) ? undefined : `command ${input.command}`;
  },
  check: ({ input, expected }: GoldenCase) => {
    if (input.command === "gym") {
      for (const place of ours) if (place !== undefined) expect(expected.commands).toContain(place);
      for (const group of Object.keys(GROUPS)) expect(expected.groups).toContain(group);
      return;
    }
    const command = COMMANDS.find((one) => one.path?.join(" ") === input.command) as CommandSpec;
    const known = command.options.filter((option) => !OURS[input.command]?.includes(option.flags[0] as string));
    const positionals = command.positional === undefined ? [] : [{ positional: command.positional.name, nargs: "?" }];
    const shape = [{ flags: ["-v", "--verbose"], takes_value: false }, ...positionals, ...known.map(described)];
    expect(shape).toEqual(expected.options);
  },
});

function described(option: OptionSpec): object {
  return {
    flags: option.flags,
    ...(option.type === "switch" ? { takes_value: false } : {}),
    ...(option.choices === undefined ? {} : { choices: option.choices }),
    ...(option.repeatable === true ? { repeatable: true } : {}),
  };
}
