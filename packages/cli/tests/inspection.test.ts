/** Commands that look and start nothing: validate, dump-config, list-benchmarks, a dry run. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Outcome, run, temporaryFolder } from "./run-command.ts";

interface Call extends Outcome {
  folder: string;
}

async function runIn(files: Record<string, string>, line: readonly string[], env: Record<string, string> = {}): Promise<Call> {
  using folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  return { ...(await run(line, { cwd: folder.path, env })), folder: folder.path };
}

describe.concurrent("ng-dump-config", () => {
  test("--explain shows every layer that set a key, the one that won first", async () => {
    const files = { "a.yaml": "depth: 1\n", "b.yaml": "other: 2\ndepth: 2\n", "env.yaml": "depth: 0\n" };
    const { exitCode, stdout, folder } = await runIn(files, [
      "ng-dump-config",
      "--config",
      "a.yaml",
      "--config",
      "b.yaml",
      "++depth=3",
      "--explain",
      "depth",
    ]);
    expect(exitCode).toBe(0);
    const layers = stdout
      .split("\n")
      .slice(1, -1)
      .map((line) => line.trim().split(/\s{2,}/));
    expect(layers[0]).toEqual(["* command line: ++depth=3", "3"]);
    expect(layers.slice(1)).toContainEqual([`${folder}/b.yaml:2:8`, "2"]);
    expect(layers.slice(1)).toContainEqual([`${folder}/a.yaml:1:8`, "1"]);
    expect(stdout.match(/\*/g)).toHaveLength(2);
  });

  test("secrets are masked wherever they come from, in text and in JSON", async () => {
    const files = {
      "c.yaml": `policy_api_key: \${oc.env:MY_KEY}\nmine: {password: s3cret-file, url: 'http://me:s3cret-url@host/v1'}\nmax_tokens: 5\n`,
      "env.yaml": "hf_token: s3cret-env\n",
    };
    for (const more of [[], ["--json"], ["--explain", "hf_token"]]) {
      const { exitCode, stdout, stderr } = await runIn(
        files,
        ["ng-dump-config", "--config", "c.yaml", "+wandb_api_key=s3cret-line", ...more],
        { MY_KEY: "s3cret-variable" },
      );
      expect({ exitCode, secrets: `${stdout}${stderr}`.match(/s3cret-\w+/g) }).toEqual({ exitCode: 0, secrets: null });
    }
  });

  test("--json is the same configuration as one value, without a key for the flag", async () => {
    const { stdout } = await runIn({ "c.yaml": `a: 12345678901234567890\nb: \${c}\nc: x\n` }, [
      "ng_dump_config",
      "--json",
      "+config_paths=[c.yaml]",
    ]);
    expect(stdout).toMatch(/^\{"a":12345678901234567890,"b":"x","c":"x",/);
    expect(JSON.parse(stdout)).not.toHaveProperty("json");
  });
});

describe.concurrent("ng-validate", () => {
  const GOOD = ["--resources-server", "mcqa", "--model-type", "simulated_model", "+policy_model_name=m"];

  test("--json lists the servers of a good configuration", async () => {
    const { exitCode, stdout } = await runIn({ "c.yaml": "a: 1\n" }, ["ng-validate", "--config", "c.yaml", ...GOOD, "--json"]);
    expect(exitCode).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ valid: true, problems: [] });
    expect(report.servers).toContainEqual({ name: "mcqa", type: "resources_servers", implementation: "mcqa" });
  });

  test("a misspelt key of a server's block is found by the server's own schema, with its place and a suggestion", async () => {
    const text = "mcqa: {resources_servers: {mcqa: {entrypoint: app.ts, domain: knowledge, grading_mod: null}}}\n";
    const { exitCode, stdout, stderr } = await runIn({ "c.yaml": text }, ["ng-validate", "--config", "c.yaml"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/c\.yaml:1:\d+/);
    expect(stderr).toMatch(/grading_mod\b[\s\S]*grading_mode/);
    const allowed = await runIn({ "c.yaml": text }, ["ng-validate", "--config", "c.yaml", "--allow-unknown"]);
    expect(allowed).toMatchObject({ exitCode: 0, stdout: "✓ Config is valid.\n" });
  });

  test("all problems at once, also as JSON on standard output", async () => {
    const files = { "c.yaml": `a: ???\nb: \${nope}\n` };
    const text = await runIn(files, ["ng-validate", "--config", "c.yaml"]);
    expect(text.exitCode).toBe(1);
    expect(text.stderr).toMatch(/c\.yaml:1:\d+[\s\S]*c\.yaml:2:\d+/);
    const json = await runIn(files, ["ng-validate", "--config", "c.yaml", "--json"]);
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, servers: [] });
    expect(JSON.parse(json.stdout).problems).toHaveLength(2);
  });
});

describe.concurrent("ng-list-benchmarks", () => {
  const files = {
    "benchmarks/alpha/config.yaml":
      "s: {resources_servers: {m: {entrypoint: app.ts, domain: math, description: Sums, datasets: [{name: a, type: benchmark}]}}}\n",
    "benchmarks/group/beta/config.yaml": "s: {resources_servers: {m: {entrypoint: app.ts, datasets: [{name: a, type: benchmark}]}}}\n",
    "benchmarks/suite/config.yaml": "s: {resources_servers: {m: {datasets: [{type: benchmark}, {type: benchmark}]}}}\n",
    "benchmarks/none/config.yaml": "a: 1\n",
    "benchmarks/broken/config.yaml": "a: [1\n",
  };

  test("lists what declares one benchmark data set; what cannot be read is a notice", async () => {
    const { exitCode, stdout, stderr } = await runIn(files, ["ng", "list", "benchmarks", "--json"]);
    expect(exitCode).toBe(0);
    const rows: { name: string }[] = JSON.parse(stdout);
    expect(rows.map((row) => row.name)).toEqual(expect.arrayContaining(["alpha", "group/beta/config"]));
    expect(rows.map((row) => row.name)).not.toEqual(expect.arrayContaining(["suite"]));
    expect(rows.find((row) => row.name === "alpha")).toMatchObject({ kind: "benchmark", domain: "math", description: "Sums" });
    expect(stderr).toMatch(/skipped .*broken\/config\.yaml/);
  });

  test("shows one; a misspelt one has a suggestion", async () => {
    const one = await runIn(files, ["ng-list-benchmarks", "alpha"]);
    expect(one.exitCode).toBe(0);
    expect(one.stdout).toMatch(/^alpha\n {2}domain +math\n {2}description +Sums\n {2}file .*benchmarks\/alpha\/config\.yaml\n/);
    const typo = await runIn(files, ["ng-list-benchmarks", "alpa"]);
    expect(typo).toMatchObject({ exitCode: 1, stdout: "" });
    expect(typo.stderr).toContain("Did you mean alpha?");
  });
});

test("a dry run makes every server and starts none", async () => {
  const good = await runIn({}, [
    "ng-run",
    "--resources-server",
    "mcqa",
    "--model-type",
    "simulated_model",
    "+policy_model_name=m",
    "+dry_run=true",
  ]);
  expect(good.exitCode).toBe(0);
  expect(good.stdout).toMatch(/^Dry run: 4 servers can be started: .*mcqa_simple_agent/);
  const bad = await runIn({}, [
    "ng-run",
    "--resources-server",
    "mcqa",
    "--model-type",
    "simulated_model",
    "+policy_model_name=m",
    "+dry_run=true",
    "++policy_model.responses_api_models.simulated_model.skill=high",
  ]);
  expect(bad).toMatchObject({ exitCode: 1, stdout: "" });
  expect(bad.stderr).toMatch(/^ {2}policy_model\.responses_api_models\.simulated_model\.skill: /m);
});

test.each(["x", "99999", "-1", "1.5"])("head_server.port=%s: nothing is started where no other terminal would look", async (port) => {
  const words = ["--resources-server", "mcqa", "--model-type", "simulated_model", "+policy_model_name=m", `+head_server.port=${port}`];
  for (const line of [
    ["ng-run", ...words, "+dry_run=true"],
    ["ng-run", ...words],
    ["ng-validate", ...words],
  ]) {
    const { exitCode, stderr } = await runIn({}, line);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/head_server\.port: expected a whole number from 0 to 65535 .*, got /)]);
  }
});

const OPENAI = ["--resources-server", "mcqa", "--model-type", "openai_model", "--model", "m", "--model-api-key", "k"];
const ENDPOINT = ["--model-url", "http://127.0.0.1:9/v1"];
const BLOCK = "policy_model.responses_api_models.openai_model";

test.each([
  ["adaptiv", "must be adaptive, a whole number from 1, or null (no limit)"],
  ["0", "must be 1 or more, or adaptive"],
])("max_concurrent_requests %s is told in a sentence at its key, in a dry run and by ng-validate", async (value, said) => {
  const words = [...OPENAI, ...ENDPOINT, `++${BLOCK}.max_concurrent_requests=${value}`];
  const dry = await runIn({}, ["ng-run", ...words, "+dry_run=true"]);
  expect(dry.exitCode).toBe(1);
  expect(dry.stderr).toContain(`  ${BLOCK}.max_concurrent_requests: ${said}`);
  expect(dry.stderr).not.toContain('"origin"');
  const checked = await runIn({}, ["ng-validate", ...words, "--offline"]);
  expect(checked.stdout + checked.stderr).toContain(`'${BLOCK}.max_concurrent_requests': ${said}`);
});

test("a dry run refuses a limit that the copies cannot share", async () => {
  const words = [...OPENAI, ...ENDPOINT, `++${BLOCK}.max_concurrent_requests=2`, "+dry_run=true"];
  const { exitCode, stderr } = await runIn({}, ["ng-run", ...words, "+num_hosts=3"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("policy_model: max_concurrent_requests 2 is for all 3 processes");
  expect((await runIn({}, ["ng-run", ...words, "+num_hosts=2"])).exitCode).toBe(0);
});
