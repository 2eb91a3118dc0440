/**
 * Keys in five places: env.yaml, the command line, a configuration file, the user-info of an address, headers. None of them is in what a command
 * prints, in an error, in a file of a run, or in the arguments of a process that we start.
 */

import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { processTree, startCommand, type TempProject, tempProject } from "@ng-gym/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PACKAGE, run } from "./run-command.ts";

/** Each is found by its word, whatever surrounds it. */
const SECRET = /\b\w*c0ntraband\w*/g;
const secret = (place: string): string => `${place}c0ntraband`;

let project: TempProject;
let upstream: Server;
let seen: string[] = [];

beforeAll(async () => {
  // Refuses every call and repeats in its answer all that it was sent.
  upstream = createServer(async (request, response) => {
    const headers = JSON.stringify(request.headers);
    seen.push(headers);
    request.resume();
    await once(request, "end");
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${request.headers.authorization}`, headers } }));
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const { port } = upstream.address() as AddressInfo;
  const config = [
    "policy_model:",
    "  responses_api_models:",
    "    openai_model:",
    "      entrypoint: app.ts",
    `      openai_base_url: http://me:${secret("address")}@127.0.0.1:${port}/v1`,
    `      openai_api_key: $${"{policy_api_key}"}`,
    "      openai_model: m",
    "      openai_default_headers:",
    `        X-Gateway-Auth: ${secret("header")}`,
    `        Authorization: Bearer ${secret("bearer")}`,
    `my_password: ${secret("file")}`,
    `copied: "\${my_password}"`,
    "",
  ].join("\n");
  project = await tempProject({
    "c.yaml": config,
    "env.yaml": { policy_api_key: secret("environment"), hf_token: secret("hub"), head_server: { port: 0 } },
    "in.jsonl": [0, 1].map((index) => ({
      responses_create_params: { input: [{ role: "user", content: `Question ${index}\nA: no\nB: yes` }] },
      options: [{ A: "no" }, { B: "yes" }],
      expected_answer: "B",
      task_source: "mcqa",
    })),
  });
});

afterAll(async () => {
  upstream?.close();
  await project?.[Symbol.asyncDispose]();
});

const CONFIG = ["--config", "c.yaml", `+wandb_api_key=${secret("line")}`];

function expectNone(text: string, what: string): void {
  expect(text.match(SECRET), `${what}:\n${text}`).toBeNull();
}

describe("looking", () => {
  test.each([
    ["the configuration", ["ng-dump-config", ...CONFIG]],
    ["as JSON", ["ng-dump-config", ...CONFIG, "--json"]],
    ...[
      "policy_api_key",
      "wandb_api_key",
      "my_password",
      "copied",
      "policy_model.responses_api_models.openai_model",
      "policy_model.responses_api_models.openai_model.openai_default_headers",
      "policy_model.responses_api_models.openai_model.openai_default_headers.X-Gateway-Auth",
      "hf_token",
    ].map((key) => [`where ${key} comes from`, ["ng-dump-config", ...CONFIG, "--explain", key]]),
    ["a good configuration", ["ng-validate", ...CONFIG, "--resources-server", "mcqa", "--json"]],
    [
      "a header that the command line set",
      [
        "ng-dump-config",
        ...CONFIG,
        `++policy_model.responses_api_models.openai_model.openai_default_headers.X-A=${secret("near")}`,
        "--explain",
        "policy_model.responses_api_models.openai_model.openai_default_headers.X-A",
      ],
    ],
    ["its endpoint", ["ng-validate", ...CONFIG, "--strict"]],
    ["a dry run", ["ng-run", ...CONFIG, "+dry_run=true"]],
  ] as [string, string[]][])("%s", async (what, line) => {
    const { stdout, stderr } = await run(line, { cwd: project.path });
    expect(stdout + stderr).not.toBe("");
    expectNone(stdout + stderr, what);
  });

  test.each([
    ["a misspelt key beside it", ["++policy_model.responses_api_models.openai_model.openai_api_keyy=1"]],
    ["a value that does not resolve in it", [`+other_api_key='${secret("near")}\${nope}'`]],
    ["an override that does not read", [`+other_password=[${secret("near")}`]],
    ["a flag that does not exist", ["--model-api-ky", secret("near")]],
    [
      "a header in the same line",
      [`++policy_model.responses_api_models.openai_model={openai_default_headers:{X-A: ${secret("near")}},entrypoint:app.ts,port:x}`],
    ],
    ["a key in the same line", [`+m={responses_api_models:{x:{api_key:${secret("near")},entrypoint:app.py,port:x}}}`]],
    ["a header on the line", [`++policy_model.responses_api_models.openai_model.openai_default_headers.X-A=[${secret("near")}]`]],
    ["a flag with it", ["--model-api-key", secret("near"), "+need=???"]],
    ["a wrong setting under it", [`++policy_model.responses_api_models.openai_model.openai_api_key={a: ${secret("near")}}`]],
    ["a wrong address", [`++policy_model.responses_api_models.openai_model.openai_base_url='ftp://me:${secret("near")}@host/'`]],
  ] as [string, string[]][])("an error: %s", async (what, words) => {
    for (const more of [[], ["--json"]]) {
      const { exitCode, stdout, stderr } = await run(["ng-validate", ...CONFIG, "--offline", ...words, ...more], { cwd: project.path });
      expect(exitCode, what).not.toBe(0);
      expectNone(stdout + stderr, what);
    }
  });
});

describe("running", () => {
  test.each(["process", "shared"])("a run whose upstream refuses and repeats what it was sent (hosting: %s)", async (hosting) => {
    seen = [];
    const words = [...CONFIG, "--resources-server", "mcqa", `+hosting=${hosting}`, "--verbose"];
    await using servers = startCommand([process.execPath, join(PACKAGE, "bin/ng-run.js"), ...words], {
      cwd: project.path,
      env: { HOME: project.path, OPENAI_API_KEY: undefined },
    });
    const port = (await servers.waitForLine(/head server at http:\/\/127\.0\.0\.1:(\d+)/))[1];
    const children = processTree(servers.pid).filter(({ pid }) => pid !== servers.pid);
    if (hosting === "process") expect(children.length).toBeGreaterThan(2);
    for (const { pid } of children) expectNone(readFileSync(`/proc/${pid}/cmdline`, "utf8"), "arguments of a child");

    const output = `out-${hosting}/r.jsonl`;
    const collected = await run(
      ["ng-collect-rollouts", "-i", "in.jsonl", "-o", output, `+head_server.port=${port}`, `+wandb_api_key=${secret("line")}`, "--json"],
      { cwd: project.path },
    );
    expect(collected.exitCode).toBe(1);
    expect(collected.stdout + collected.stderr).toContain("401");
    const status = await run(["ng-status", `+head_server.port=${port}`, "--json"], { cwd: project.path });
    servers.kill("SIGINT");
    await servers.exited;

    // The endpoint did get them.
    expect(seen.join("\n")).toContain(secret("environment"));
    expect(seen.join("\n")).toContain(secret("header"));
    for (const [what, text] of Object.entries({
      servers: servers.stdout + servers.stderr,
      collected: collected.stdout + collected.stderr,
      status: status.stdout + status.stderr,
    }))
      expectNone(text, what);
    const files = filesBelow(join(project.path, `out-${hosting}`));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expectNone(readFileSync(file, "utf8"), file);
    const others = filesBelow(project.path).filter((file) => !/(?:c|env)\.yaml$/.test(file));
    for (const file of others) expectNone(readFileSync(file, "utf8"), file);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
