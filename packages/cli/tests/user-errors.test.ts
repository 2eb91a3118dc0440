/** What people get wrong: each ends with the documented exit code and a message that says what, where and what to do; never with a stack. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { run, temporaryFolder } from "./run-command.ts";

interface UserError {
  what: string;
  line: string[];
  files?: Record<string, string>;
  exitCode: 1 | 2;
  code: string;
  /** All of them are on standard error. */
  says: (string | RegExp)[];
}

/** Nothing listens on port 1 of the loopback. */
const NO_HEAD = "+head_server.port=1";
const INPUT = ["-i", "in.jsonl", "-o", "out.jsonl"];

const ERRORS: UserError[] = [
  {
    what: "a misspelt group",
    line: ["ng", "evl", "run"],
    exitCode: 2,
    code: "NG_ERR_USAGE",
    says: ["usage: ng", '"evl"', "Did you mean eval?"],
  },
  {
    what: "a misspelt command",
    line: ["ng", "env", "strat"],
    exitCode: 2,
    code: "NG_ERR_USAGE",
    says: ["usage: ng env", '"strat"', "Did you mean start?"],
  },
  {
    what: "a misspelt flag",
    line: ["ng-run", "--modle", "x"],
    exitCode: 2,
    code: "NG_ERR_USAGE",
    says: ["usage: ng-run", "--modle", "Did you mean --model?"],
  },
  {
    what: "an ambiguous flag",
    line: ["ng-run", "--mod", "x"],
    exitCode: 2,
    code: "NG_ERR_USAGE",
    says: ["--model, --model-url", "in full"],
  },
  {
    what: "a flag without its value",
    line: ["ng-collect-rollouts", "--limit", "--resume"],
    exitCode: 2,
    code: "NG_ERR_USAGE",
    says: ["--limit needs a value", "<integer>"],
  },
  {
    what: "a value for a switch",
    line: ["ng-collect-rollouts", "--resume=yes"],
    exitCode: 2,
    code: "NG_ERR_USAGE",
    says: ["--resume takes no value"],
  },
  {
    what: "a number that is none",
    line: ["ng-collect-rollouts", ...INPUT, "--num-repeats", "many"],
    exitCode: 2,
    code: "NG_ERR_USAGE",
    says: ["num_repeats"],
  },
  {
    what: "servers that are not started",
    line: ["ng", "eval", "run", ...INPUT],
    exitCode: 2,
    code: "NG_ERR_USAGE",
    says: ["ng run", "--no-serve"],
  },
  {
    what: "a benchmark that does not exist",
    line: ["ng-run", "--benchmark", "nope"],
    exitCode: 2,
    code: "NG_ERR_USAGE",
    says: ["--benchmark nope", "benchmarks/nope/config.yaml"],
  },
  {
    what: "a config file that does not exist",
    line: ["ng-run", "--config", "nope.yaml"],
    exitCode: 1,
    code: "NG_ERR_CONFIG_NOT_FOUND",
    says: ["nope.yaml", "<cwd>/nope.yaml"],
  },
  {
    what: "a config file that is no YAML",
    line: ["ng-run", "--config", "c.yaml"],
    files: { "c.yaml": "a: 1\nb: [1\n" },
    exitCode: 1,
    code: "NG_ERR_CONFIG_SYNTAX",
    says: [/c\.yaml:\d+:\d+/],
  },
  {
    what: "a value that is not set",
    line: ["ng-run", "--config", "c.yaml"],
    files: { "c.yaml": "a: ???\n" },
    exitCode: 1,
    code: "NG_ERR_CONFIG",
    says: [/c\.yaml:1/, "++a="],
  },
  { what: "an override that does not parse", line: ["ng-run", "+a=[1"], exitCode: 1, code: "NG_ERR_OVERRIDE", says: ["+a=[1"] },
  { what: "a set without plus", line: ["ng-run", "a=1"], exitCode: 1, code: "NG_ERR_OVERRIDE", says: ["+a=1"] },
  { what: "nothing to run", line: ["ng-run"], exitCode: 1, code: "NG_ERR_CONFIG", says: ["no server", "config_paths"] },
  {
    what: "a model endpoint that never answers",
    line: [
      "ng-run",
      "--model-type",
      "openai_model",
      "--model",
      "m",
      "--model-url",
      "http://127.0.0.1:1/v1",
      "+policy_api_key=k",
      "+head_server.port=0",
      "+model_endpoint_readiness_timeout_seconds=0.05",
    ],
    exitCode: 1,
    code: "NG_ERR_UNREACHABLE",
    says: [
      "waiting for 1 model endpoint",
      "http://127.0.0.1:1/v1 (policy_model.openai_base_url)",
      "within 0.05 s",
      "all servers are stopped",
    ],
  },
  {
    what: "no head server",
    line: ["ng-collect-rollouts", ...INPUT, NO_HEAD],
    files: { "in.jsonl": "{}\n" },
    exitCode: 1,
    code: "NG_ERR_HEAD_UNREACHABLE",
    says: ["http://127.0.0.1:1", "ng-run"],
  },
  {
    what: "a profile of rollouts that are not there",
    line: ["ng-reward-profile", "--inputs", "i.jsonl", "--rollouts", "r.jsonl"],
    exitCode: 1,
    code: "NG_ERR_FILE",
    says: ["i.jsonl"],
  },
  {
    what: "a broken line in the rollouts",
    line: ["ng-reward-profile", "--inputs", "i.jsonl", "--rollouts", "r.jsonl"],
    files: {
      "i.jsonl": '{"_ng_task_index":0,"_ng_rollout_index":0,"agent_ref":{"name":"a"}}\n',
      "r.jsonl": '{"_ng_task_index":0,\n{"_ng_task_index":0,"_ng_rollout_index":0,"reward":1}\n',
    },
    exitCode: 1,
    code: "NG_ERR_DATA",
    says: [/r\.jsonl:1/],
  },
  {
    what: "a key that nothing sets",
    line: ["ng-dump-config", "--explain", "nope.deeper"],
    exitCode: 1,
    code: "NG_ERR_CONFIG",
    says: ["nope.deeper"],
  },
  {
    what: "an unknown benchmark to show",
    line: ["ng-list-benchmarks", "nope"],
    exitCode: 1,
    code: "NG_ERR_CONFIG_NOT_FOUND",
    says: ['"nope"'],
  },
];

describe.concurrent("user errors", () => {
  test.each(ERRORS.map((error) => [error.what, error] as const))("%s", async (_what, error) => {
    using folder = temporaryFolder();
    for (const [path, text] of Object.entries(error.files ?? {})) {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true });
      writeFileSync(join(folder.path, path), text);
    }
    const { exitCode, stdout, stderr } = await run(error.line, { cwd: folder.path });
    expect(stderr).toMatch(/^Error: /m);
    expect(stderr).toContain(`[${error.code}]`);
    expect(stderr).not.toMatch(/^ {4}at /m);
    for (const said of error.says) expect(stderr).toMatch(typeof said === "string" ? literally(said.replace("<cwd>", folder.path)) : said);
    expect({ exitCode, stdout }).toEqual({ exitCode: error.exitCode, stdout: "" });
  });

  test("a port that somebody else has", async () => {
    using folder = temporaryFolder();
    const taken = createServer();
    const { promise: listening, resolve } = Promise.withResolvers<void>();
    taken.listen(0, "127.0.0.1", resolve);
    await listening;
    const { port } = taken.address() as { port: number };
    const { exitCode, stderr } = await run(["ng-run", "--model-type", "simulated_model", `+head_server.port=${port}`], {
      cwd: folder.path,
    });
    taken.close();
    expect(stderr).toMatch(new RegExp(`^Error: .*${port}`, "m"));
    expect(exitCode).toBe(1);
  });

  test("--json where there is none", async () => {
    using folder = temporaryFolder();
    const { exitCode, stdout, stderr } = await run(["ng-run", "--json"], { cwd: folder.path });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "NG_ERR_USAGE", message: "unknown flag --json" } });
  });

  test("with --json the error is one JSON line", async () => {
    using folder = temporaryFolder();
    const { exitCode, stdout, stderr } = await run(["ng-collect-rollouts", ...INPUT, NO_HEAD, "--json"], { cwd: folder.path });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "NG_ERR_HEAD_UNREACHABLE", exit_code: 1 } });
  });
});

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
}
