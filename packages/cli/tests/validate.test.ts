/** `ng-validate`: ten configurations that are wrong, the data files, the settings and endpoints of models. */
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Outcome, run, temporaryFolder } from "./run-command.ts";

interface Call extends Outcome {
  folder: string;
}

async function validate(files: Record<string, string>, words: readonly string[] = []): Promise<Call> {
  using folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  return { ...(await run(["ng-validate", "--config", "c.yaml", ...words], { cwd: folder.path })), folder: folder.path };
}

/** Starts an interpolation. */
const REF = "$" + "{";

const AGENT = (more: string): string =>
  `agent:\n  responses_api_agents:\n    simple_agent:\n      entrypoint: app.ts\n      model_server: {type: responses_api_models, name: policy_model}\n${more}`;

interface Broken {
  what: string;
  yaml: string;
  /** Line and column of the caret. */
  at: `${number}:${number}`;
  /** The line with the caret below what is wrong. */
  shows: string;
  /** What the caret stands under. */
  under: string;
  says: (string | RegExp)[];
}

const BROKEN: Broken[] = [
  {
    what: "a misspelt entrypoint",
    yaml: "mine:\n  resources_servers:\n    mcqa:\n      entrypoitn: app.ts\n      domain: knowledge\n",
    at: "4:7",
    shows: "      entrypoitn: app.ts",
    under: "entrypoitn",
    says: ["did you mean 'entrypoint'", "fix: ++mine.resources_servers.mcqa.entrypoint=app.py"],
  },
  {
    what: "a domain that does not exist",
    yaml: "mine:\n  resources_servers:\n    mcqa:\n      entrypoint: app.ts\n      domain: knowlege\n",
    at: "5:15",
    shows: "      domain: knowlege",
    under: "knowlege",
    says: ["Did you mean 'knowledge'?", "expected: math, coding,"],
  },
  {
    what: "a setting that the server does not have",
    yaml: "mine:\n  resources_servers:\n    mcqa:\n      entrypoint: app.ts\n      domain: knowledge\n      grading_mod: lenient_boxed\n",
    at: "6:7",
    shows: "      grading_mod: lenient_boxed",
    under: "grading_mod",
    says: ["Did you mean 'grading_mode'", "fix: correct or remove it, name it x-grading_mod"],
  },
  {
    what: "a setting of the wrong kind",
    yaml: "policy_model:\n  responses_api_models:\n    simulated_model:\n      entrypoint: app.ts\n      skill: high\n",
    at: "5:14",
    shows: "      skill: high",
    under: "high",
    says: ["expected number"],
  },
  {
    what: "a reference to a server that is not there",
    yaml: `policy_modle:\n  responses_api_models:\n    simulated_model: {entrypoint: app.ts}\n${AGENT("")}`,
    at: "8:56",
    shows: "      model_server: {type: responses_api_models, name: policy_model}",
    under: "policy_model}",
    says: ["Did you mean 'policy_modle'?", "fix: "],
  },
  {
    what: "a misspelt top-level key",
    yaml: "default_host: 127.0.0.1\ndefault_hots: 127.0.0.1\n",
    at: "2:1",
    shows: "default_hots: 127.0.0.1",
    under: "default_hots",
    says: ["Did you mean 'default_host'?", "fix: correct it, name it x-default_hots"],
  },
  {
    what: "a top-level key of the wrong kind",
    yaml: "port_range_low: 12000\nmodel_endpoint_readiness_timeout_seconds: soon\n",
    at: "2:43",
    shows: "model_endpoint_readiness_timeout_seconds: soon",
    under: "soon",
    says: ["must be a number", "got: 'soon'"],
  },
  {
    what: "a value that refers to nothing",
    yaml: `judge_url: http://127.0.0.1:9\nurl: ${REF}judge_ulr}/v1\n`,
    at: "2:8",
    shows: `url: ${REF}judge_ulr}/v1`,
    under: "judge_ulr}/v1",
    says: ["Did you mean 'judge_url'?", "fix: ++judge_ulr=<value>"],
  },
  {
    what: "a variable of the shell",
    yaml: `setup: cd ${REF}HOME}/work && ls\n`,
    at: "1:13",
    shows: `setup: cd ${REF}HOME}/work && ls`,
    under: "HOME}/work && ls",
    says: ["fix: ", `write \\${REF}HOME}`],
  },
  {
    what: "a template that YAML takes for a mapping",
    yaml: "title: x\nprompt: {{ question }}\n",
    at: "2:10",
    shows: "prompt: {{ question }}",
    under: "{ question }}",
    says: ["fix: put the whole text", "in quotes"],
  },
];

describe.concurrent("ten broken configurations", () => {
  test.each(BROKEN.map((broken) => [broken.what, broken] as const))("%s", async (_what, broken) => {
    const { exitCode, stdout, stderr, folder } = await validate({ "c.yaml": broken.yaml }, ["--strict", "--offline"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    const indent = " ".repeat(4);
    const caret = " ".repeat(broken.shows.indexOf(broken.under));
    expect(stderr).toContain(`  --> ${folder}/c.yaml:${broken.at}\n${indent}${broken.shows}\n${indent}${caret}^\n`);
    for (const said of broken.says)
      expect(stderr).toMatch(typeof said === "string" ? new RegExp(said.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")) : said);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  test("all in one file are told at once", async () => {
    const yaml = `default_hots: x\nsetup: ls ${REF}HOME}\nneed: ???\nport_range_low: low\n`;
    const { stdout } = await validate({ "c.yaml": yaml }, ["--json"]);
    const { valid, problems } = JSON.parse(stdout);
    expect(valid).toBe(false);
    expect(
      problems.map((one: { line: number; column: number; severity: string }) => `${one.line}:${one.column} ${one.severity}`).sort(),
    ).toEqual(["1:1 error", "2:13 error", "3:7 error", "4:17 error"].sort());
  });
});

const DATA = (...paths: string[]): string =>
  `mine:\n  resources_servers:\n    mcqa:\n      entrypoint: app.ts\n      domain: knowledge\n      datasets:\n${paths
    .map((path) => `        - {name: ${path}, type: example, jsonl_fpath: data/${path}.jsonl}\n`)
    .join("")}`;

describe.concurrent("data files", () => {
  test("each wrong line is told with file and line", async () => {
    const files = {
      "c.yaml": DATA("good", "bad"),
      "data/good.jsonl": '{"responses_create_params":{"input":"x"}}\n{"prompt":"made by a template"}\n',
      "data/bad.jsonl": '{"responses_create_params":{}}\n{"a":\n[1]\n{"responses_create_params":"x"}\n',
    };
    const { exitCode, stdout, stderr, folder } = await validate(files);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    for (const [line, what] of [
      [2, "not JSON"],
      [3, "a list"],
      [4, "responses_create_params must be an object"],
    ])
      expect(stderr).toMatch(new RegExp(`${what}.*\\n  --> ${folder}/data/bad.jsonl:${line}:1`));
    expect(stderr).toMatch(/^Error: 3 problems/m);
    expect(stderr).not.toContain("good.jsonl");
  });

  test("many wrong lines are counted", async () => {
    const { stderr, exitCode } = await validate({ "c.yaml": DATA("bad"), "data/bad.jsonl": "x\n".repeat(50) });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/bad\.jsonl: 40 more lines are wrong/);
  });

  test("a file that is not there is named; it is an error where it must be complete", async () => {
    const { exitCode, stdout, stderr, folder } = await validate({ "c.yaml": DATA("gone") });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "✓ Config is valid.\n" });
    expect(stderr).toMatch(
      new RegExp(`Warning: The data set 'gone' of mine has no file: data/gone\\.jsonl.*\\n  --> ${folder}/c\\.yaml:7:\\d+\\n`),
    );
    expect(stderr).toContain(`${folder}/data/gone.jsonl`);
    const strict = await validate({ "c.yaml": DATA("gone") }, ["--strict"]);
    expect(strict).toMatchObject({ exitCode: 1, stdout: "" });
    expect(strict.stderr).toContain("data/gone.jsonl does not exist");
  });
});

const MODEL = (url: string, key = "k"): string =>
  `policy_model:\n  responses_api_models:\n    openai_model:\n      entrypoint: app.ts\n      openai_base_url: ${url}\n      openai_api_key: "${key}"\n      openai_model: m\n`;

describe.concurrent("models", () => {
  test("an endpoint that answers, whatever it answers", async () => {
    const server = createServer((_request, response) => void response.writeHead(401).end());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const { exitCode, stdout } = await validate({ "c.yaml": MODEL(url) }, ["--strict", "--json"]);
    server.close();
    expect(exitCode).toBe(0);
    const endpoint = { url, keys: ["policy_model.openai_base_url"], outcome: "answering" };
    expect(JSON.parse(stdout)).toMatchObject({ valid: true, problems: [], endpoints: [endpoint] });
  });

  test("an endpoint that does not: a warning, an error with --strict, not asked with --offline", async () => {
    const files = { "c.yaml": MODEL("http://127.0.0.1:1/v1") };
    const lax = await validate(files);
    expect(lax).toMatchObject({ exitCode: 0, stdout: "✓ Config is valid.\n" });
    expect(lax.stderr).toMatch(/Warning: The model endpoint http:\/\/127\.0\.0\.1:1\/v1 does not answer.*\n {2}--> .*c\.yaml:5:24/);
    const strict = await validate(files, ["--strict"]);
    expect(strict).toMatchObject({ exitCode: 1, stdout: "" });
    expect(strict.stderr).toContain("[NG_ERR_UNREACHABLE]");
    expect(await validate(files, ["--strict", "--offline"])).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("a setting that is there and empty", async () => {
    const { exitCode, stdout } = await validate({ "c.yaml": MODEL("http://127.0.0.1:1/v1", "") }, ["--offline", "--json"]);
    expect(exitCode).toBe(0);
    const [problem, ...more] = JSON.parse(stdout).problems;
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ severity: "warning", key: "policy_model.responses_api_models.openai_model.openai_api_key", line: 6 });
    expect(problem.fix).toMatch(/env\.yaml.*OPENAI_API_KEY/);
  });
});
