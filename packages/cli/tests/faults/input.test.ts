/** Wrong input, wrong names, wrong places: said before anything is sent, with the place and what to do, and no file is left or changed. */
import { mkdir, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { runCommand, startFakeUpstream } from "@ng-gym/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer, closedPort, modelCalls, ROUTE } from "./endpoint.ts";
import { binary, collectWords, expectClean, folderWith, openScene, question, questions, type Scene, surroundings } from "./scene.ts";

describe("rows", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const good = JSON.stringify(question(0));
  const WRONG: { what: string; text: string; code: string; says: (string | RegExp)[]; words?: string[] }[] = [
    {
      what: "a line that is not JSON",
      text: `${good}\n{"responses_create_params": \n${good}\n`,
      code: "NG_ERR_DATA",
      says: [/bad\.jsonl:2: the line is not JSON/],
    },
    {
      what: "a last line that is cut",
      text: `${good}\n${good.slice(0, 40)}`,
      code: "NG_ERR_DATA",
      says: [/bad\.jsonl:2: the line is not JSON/],
    },
    {
      what: "a line that is a list",
      text: `${good}\n[]\n`,
      code: "NG_ERR_DATA",
      says: [/bad\.jsonl:2: expected a JSON object, got a list/],
    },
    { what: "a blank line", text: `${good}\n\n${good}\n`, code: "NG_ERR_DATA", says: [/bad\.jsonl:2: the line is blank/] },
    {
      what: "no JSON Lines at all",
      text: "\u0000\u0001PK\u0003\u0004\u001b[2J",
      code: "NG_ERR_DATA",
      says: [/bad\.jsonl:1: the line is not JSON/],
    },
    {
      what: "rows without agent and task source",
      text: `${good}\n${JSON.stringify(question(1, { task_source: undefined }))}\n${JSON.stringify(question(2, { task_source: undefined }))}\n`,
      code: "NG_ERR_CONFIG",
      says: [/lines 2, 3/, "agent_ref", "task_source", "--agent"],
    },
    {
      what: "an agent that does not exist",
      text: `${good}\n${JSON.stringify(question(1, { task_source: undefined, agent_ref: { name: "mcqa_simple_agnet" } }))}\n`,
      code: "NG_ERR_CONFIG",
      says: [/line 2/, "mcqa_simple_agnet", "mcqa_simple_agent"],
    },
    {
      what: "a task source that does not exist",
      text: `${JSON.stringify(question(1, { task_source: "mcpa" }))}\n`,
      code: "NG_ERR_CONFIG",
      says: ["mcpa", "mcqa"],
    },
    {
      what: "an agent of the command line that does not exist",
      text: `${good}\n`,
      code: "NG_ERR_CONFIG",
      says: ["nobody"],
      words: ["--agent", "nobody"],
    },
  ];

  test.each(WRONG.map((wrong) => [wrong.what, wrong] as const))("%s", async (_what, { text, code, says, words = [] }) => {
    await scene.project.write("bad.jsonl", text);
    const before = await scene.project.list();
    const { exitCode, stdout, stderr } = await scene.collect(["-i", "bad.jsonl", "-o", "new/folder/r.jsonl", ...words]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/^Error: /m);
    expect(stderr).toContain(`[${code}]`);
    for (const said of says)
      expect(stderr).toMatch(typeof said === "string" ? new RegExp(said.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")) : said);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    expect(await scene.project.list()).toEqual(before);
  });

  test("a file that is not there, a folder in its place, an output below a file", async () => {
    const before = await scene.project.list();
    const cases: [string[], RegExp][] = [
      [["-i", "nope.jsonl"], /^Error: input file not found: 'nope\.jsonl'/m],
      [["-i", "tmp"], /^Error: cannot read .*tmp: EISDIR/m],
      [["-o", "in.jsonl/r.jsonl"], /^Error: cannot write .*in\.jsonl\/r\.jsonl: (EEXIST|ENOTDIR)/m],
    ];
    for (const [words, says] of cases) {
      const { exitCode, stdout, stderr } = await scene.collect(words);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toMatch(says);
      expect(stderr).toContain("[NG_ERR_FILE]");
    }
    expect(await scene.project.list()).toEqual(before);
  });

  test("an output that is a folder or a device, or the input itself", async () => {
    const { project } = scene;
    await mkdir(project.file("places/folder.jsonl"), { recursive: true });
    await mkdir(project.file("places/beside_failures.jsonl"));
    await symlink("/dev/null", project.file("places/device.jsonl"));
    await project.write("places/in.jsonl", questions(1));
    const input = await project.read("places/in.jsonl");
    const cases: [string[], RegExp][] = [
      [["-o", "places/folder.jsonl"], /^Error: cannot write .*folder\.jsonl: it is a folder/m],
      [["-o", "places/beside.jsonl"], /^Error: cannot write .*beside_failures\.jsonl: it is a folder/m],
      [["-o", "places/device.jsonl"], /^Error: cannot write .*device\.jsonl: it is a device/m],
      [["-i", "places/in.jsonl", "-o", "places/in.jsonl"], /^Error: the input .*in\.jsonl is a file that this run would write itself/m],
      [
        ["-i", "places/in.jsonl", "-o", "places/../places/in.jsonl"],
        /^Error: the input .*in\.jsonl is a file that this run would write itself/m,
      ],
    ];
    const before = await project.list();
    for (const [words, says] of cases) {
      const { exitCode, stdout, stderr } = await scene.collect(words);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toMatch(says);
      expect(stderr).toContain("[NG_ERR_FILE]");
    }
    expect(await project.list()).toEqual(before);
    expect(await project.read("places/in.jsonl")).toBe(input);
  });

  test("results that cannot be printed are an error; remarks that cannot be printed are none", async () => {
    const { project, head } = scene;
    const run = (redirection: string, words: string[]) =>
      runCommand(["/bin/sh", "-c", `"$@" ${redirection}`, "sh", ...collectWords(head, words)], surroundings(project));
    const full = await run("> /dev/full", ["-o", "out/full.jsonl", "--json"]);
    expect(full).toMatchObject({ exitCode: 1, stdout: "" });
    expect(full.stderr).toMatch(/^Error: the results could not be written to standard output: ENOSPC/m);
    expect(await scene.rows("full.jsonl")).toHaveLength(4);
    const silent = await run("2> /dev/full", ["-o", "out/silent.jsonl", "--json"]);
    expect(silent).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(silent.stdout)).toMatchObject({ scored: 4 });
    expect(await run(">&- 2>&-", ["-o", "out/closed.jsonl"])).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("an empty input is a run of nothing, and says so", async () => {
    await scene.project.write("empty.jsonl", "");
    const { exitCode, stdout, stderr } = await scene.collect(["-i", "empty.jsonl", "-o", "out/empty.jsonl"]);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^0 rollouts, 0 to run/m);
    expect(stderr).toMatch(/^empty\.jsonl gives no rows/m);
    expect(stdout).toMatch(/expected +0\n +scored +0\n/);
  });
});

describe.each(["shared", "process"] as const)("%s hosting", (hosting) => {
  test("rows of 5 MB go through every hop, in what the model reads and beside it", async () => {
    const filler = "x".repeat(5 * 1024 * 1024);
    const content = `${filler} Answer with \\boxed{X}.`;
    const rows = [question(0, { metadata: { filler } }), question(1, { responses_create_params: { input: [{ role: "user", content }] } })];
    await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [answer("\\boxed{B}")] } });
    await using scene = await openScene({ upstream: upstream.url, hosting, rows });
    const { exitCode, stderr } = await scene.collect(["--strict"]);
    expect(stderr).not.toMatch(/^(Error|first)/m);
    expect(exitCode).toBe(0);
    expect(modelCalls(upstream)).toBe(2);
    expect(Math.max(...upstream.requests.map(({ text }) => text.length))).toBeGreaterThan(filler.length);
    const results = await scene.rows();
    expect(results.map((row) => row.reward)).toEqual([1, 1]);
    const sent = results.find((row) => row._ng_task_index === 1)?.responses_create_params as { input: { content: string }[] };
    expect(sent.input[0]?.content === content).toBe(true);
  });
});

test("servers that are not there: every command that needs them says where it looked and what to start", async () => {
  await using project = await folderWith({ "in.jsonl": questions(1) });
  const head = `+head_server.port=${await closedPort()}`;
  const collected = await runCommand(collectWords(head), surroundings(project));
  expect(collected).toMatchObject({ exitCode: 1, stdout: "" });
  expect(collected.stderr).toMatch(
    /^Error: no head server answers at http:\/\/127\.0\.0\.1:\d+[\s\S]*ng-run[\s\S]*\[NG_ERR_HEAD_UNREACHABLE\]/m,
  );
  const status = await runCommand([binary("ng-status"), head], surroundings(project));
  expect(status).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^No servers are running/) });
  expect(await project.list()).toEqual(["in.jsonl"]);
  await expectClean(project, [collected, status]);
});

test("something else than a head server at that port", async () => {
  await using other = await startFakeUpstream({ unscripted: "not found" });
  await using project = await folderWith({ "in.jsonl": questions(1) });
  const collected = await runCommand(collectWords(`+head_server.port=${other.port}`), surroundings(project));
  expect(collected).toMatchObject({ exitCode: 1, stdout: "" });
  expect(collected.stderr).toMatch(new RegExp(`^Error: .*${other.port}[\\s\\S]*\\[NG_ERR_HEAD_UNREACHABLE\\]`, "m"));
});

test("a fixed port of a server that somebody else has: who, and nothing stays running", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as { port: number };
  await using project = await folderWith({});
  for (const [name, words] of [
    ["mcqa", [`++mcqa.resources_servers.mcqa.port=${port}`]],
    ["the head server", [`++head_server.port=${port}`]],
  ] as const) {
    const base = [
      "--resources-server",
      "mcqa",
      "--model-type",
      "simulated_model",
      "+policy_model_name=m",
      "+head_server.port=0",
      "+hosting=process",
    ];
    const result = await runCommand([binary("ng-run"), ...base, ...words], surroundings(project));
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(
      new RegExp(`^Error: ${name} cannot listen on 127\\.0\\.0\\.1:${port}: .* process ${process.pid} \\(`, "m"),
    );
    expect(result.stderr).toContain("[NG_ERR_PORT_IN_USE]");
    await expectClean(project, [result]);
  }
  taken.close();
});

test("a server that refers to one that is not configured, and one whose folder does not exist", async () => {
  await using project = await folderWith({
    "agent.yaml": JSON.stringify({
      alone: {
        responses_api_agents: {
          simple_agent: { entrypoint: "app.ts", model_server: { type: "responses_api_models", name: "policy_modle" } },
        },
      },
    }),
    "server.yaml": JSON.stringify({ thing: { resources_servers: { mcqaa: { entrypoint: "app.ts", domain: "other" } } } }),
  });
  for (const [file, says] of [
    ["agent.yaml", "policy_modle"],
    ["server.yaml", "mcqaa"],
  ] as const) {
    const words = ["--config", file, "--model-type", "simulated_model", "+policy_model_name=m", "+head_server.port=0"];
    const result = await runCommand([binary("ng-run"), ...words], surroundings(project));
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(/^Error: /m);
    expect(result.stderr).toContain(says);
    expect(result.stderr).not.toMatch(/^ {4}at /m);
    await expectClean(project, [result]);
  }
});
