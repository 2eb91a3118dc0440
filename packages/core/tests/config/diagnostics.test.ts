/** What a person is told: everything at once, where it is, what to write instead, and never a secret. */
import { expect, test } from "vitest";
import { isSecretKey, maskLine, type Problem, suggest } from "./doors.ts";
import { load, refusal } from "./playground.ts";

function problemsOf(error: { details: Record<string, unknown> }): Problem[] {
  return error.details.problems as Problem[];
}

const BROKEN = [
  "srv:",
  "  resources_servers:",
  "    demo:",
  "      entrypoitn: app.py",
  "      domain: mathz",
  "m:",
  "  responses_api_models:",
  "    vllm_model:",
  "      entrypoint: app.py",
  "      num_worker: 2",
  "      port: 99999",
  `      api_key: "\${policy_api_keyy}"`,
  "agent:",
  "  responses_api_agents:",
  "    simple_agent:",
  "      entrypoint: app.py",
  "      resources_server: {type: resources_servers, name: srvv}",
  "      nested: [{x: {type: responses_api_models, name: mm}}]",
  `      setup: "cd \${HOME} && ls \${x:-1}"`,
  "dry_runn: true",
  "need: ???",
  "",
].join("\n");

test("all problems of a configuration come in one error", async () => {
  const error = await refusal(BROKEN);
  expect(error.code).toBe("NG_ERR_CONFIG");
  expect(error.exitCode).toBe(1);
  const found = problemsOf(error).map(({ key, line, column }) => `${key} ${line}:${column}`);
  expect(found.sort()).toEqual(
    [
      "need 21:7",
      "srv.resources_servers.demo.domain 5:15",
      "srv.resources_servers.demo.entrypoint 4:7",
      "m.responses_api_models.vllm_model.port 11:13",
      "m.responses_api_models.vllm_model.num_worker 10:7",
      "m.responses_api_models.vllm_model.api_key 12:19",
      "agent.responses_api_agents.simple_agent.setup 19:20",
      "agent.responses_api_agents.simple_agent.setup 19:34",
      "agent.responses_api_agents.simple_agent.resources_server 17:57",
      "agent.responses_api_agents.simple_agent.nested[0].x 18:55",
      "dry_runn 20:1",
    ].sort(),
  );
  expect(error.message).toContain("      entrypoitn: app.py\n          ^");
  for (const meant of [
    "did you mean 'entrypoint'",
    "Did you mean 'math'?",
    "'policy_api_key'",
    "Did you mean 'num_workers'?",
    "Did you mean 'srv'?",
    "Did you mean 'dry_run'?",
  ]) {
    expect(error.message).toContain(meant);
  }
  expect(error.message).toContain("write \\${HOME}");
  expect(error.message).toContain("write \\${x:-1}");
});

test("problems of one kind give their own code", async () => {
  expect((await refusal({ "c.yaml": "config_paths: [a.yaml, b.yaml]\n" })).code).toBe("NG_ERR_CONFIG_NOT_FOUND");
  expect((await refusal({ "c.yaml": "config_paths: [d.yaml]\na: [1\n" })).code).toBe("NG_ERR_CONFIG_SYNTAX");
  expect((await refusal("a: ${b}\n")).code).toBe("NG_ERR_INTERPOLATION");
  expect((await refusal("a: 1\n", { argv: ["b=1", "+c=x;"] })).code).toBe("NG_ERR_OVERRIDE");
  expect((await refusal("a: 1\n", { argv: ["--nope"] })).exitCode).toBe(2);
});

test("several files with syntax errors are all told", async () => {
  const error = await refusal({ "c.yaml": "config_paths: [d.yaml, e.yaml]\n", "d.yaml": "a: [1\nb: 2\n", "e.yaml": "x: {{ name }}\n" });
  expect(problemsOf(error).map(({ source, line }) => [source?.split("/").at(-1), line])).toEqual([
    ["d.yaml", 2],
    ["e.yaml", 1],
  ]);
  expect(error.message).toContain("in quotes");
});

test("template text in a shell command is a notice, elsewhere nothing", async () => {
  const config = await load(`run: "cd /x && {% if y %}ls{% endif %}"\nprompt: "{{ question }}"\n`);
  expect(config.notices).toHaveLength(1);
  expect(config.notices[0]).toContain("run (");
  expect(config.notices[0]).toContain("{% raw %}");
});

test("keys of a block are checked against the schema of its server; x- keys and --allow-unknown pass", async () => {
  const text =
    "m: {responses_api_models: {mine: {entrypoint: app.py, temprature: 1, x-note: 2}}}\nfar: {responses_api_models: {other: {entrypoint: app.py, whatever: 1}}}\n";
  const schemaFor = ({ implementation }: { implementation: string }): string[] | undefined =>
    implementation === "mine" ? ["temperature", "base_url"] : undefined;
  const error = await refusal(text, { schemaFor });
  expect(problemsOf(error).map(({ key, suggestion }) => [key, suggestion])).toEqual([
    ["m.responses_api_models.mine.temprature", "Did you mean 'temperature'?"],
  ]);
  await load(text, { schemaFor, allowUnknown: true });
  expect((await load(text.replace("temprature", "temperature"), { schemaFor })).notices.join()).toContain("far");
});

test("a variable that looks like a known key is fine where an interpolation reads it", async () => {
  expect((await refusal("policy_api_keys: x\n")).message).toContain("policy_api_key");
  await load("policy_api_keys: x\nm: ${policy_api_keys}\n");
  await load("output_jsonl_fpat: x\n");
  expect((await refusal("output_jsonl_fpat: x\n", { parameters: ["output_jsonl_fpath"] })).message).toContain("output_jsonl_fpath");
});

test("secrets are in no message", async () => {
  const secrets = ["sk-aaaaaaaaaaaaaaaaaaaa", "topsecret1", "topsecret2", "topsecret3", "topsecret4", "topsecret5"];
  const text = [
    `api_key: topsecret1`,
    `m: {responses_api_models: {v: {entrypoint: app.py, password: topsecret2, port: abc, url: "http://u:topsecret3@h/\${nope}", h: "Bearer topsecret4 \${nope2}", n: "${secrets[0]} \${nope3}"}}}`,
    `hf_token: "topsecret5 \${nope4}"`,
  ].join("\n");
  const error = await refusal(text, { argv: ["+x.api_key=topsecret1;"] });
  const second = await refusal(text);
  for (const shown of [error, second].map((item) => JSON.stringify([item.message, item.hint, item.details])))
    for (const secret of secrets) expect(shown).not.toContain(secret);
  expect(second.message).toContain("nope4");
});

test("secret words are whole words, in any spelling", () => {
  for (const key of ["api_key", "OPENAI_API_KEY", "apiKey", "hf-token", "db.password", "extra_headers", "Authorization"])
    expect(isSecretKey(key), key).toBe(true);
  for (const key of ["max_tokens", "tokenizer", "monkey", "keyboard", "secretary", "key_value_store".replace("key_", "keyed_")])
    expect(isSecretKey(key), key).toBe(false);
  expect(maskLine(`{"api_key": "abc", "x": 1, 'token': 'd''e', password: pw}`)).toBe(
    `{"api_key": ****, "x": 1, 'token': ****, password: ****}`,
  );
});

test("the missing policy key names the order in which it is looked for", async () => {
  const error = await refusal("m: {responses_api_models: {v: {entrypoint: app.py, k: '${policy_api_key}'}}}\n");
  expect(error.message).toMatch(/\+\+policy_api_key=.*env\.yaml.*files.*OPENAI_API_KEY/);
});

test("suggestions are the reference's: ratio 0.6, best first", () => {
  expect(suggest("resource", ["resources", "other", "resource_x"])).toEqual(["resources", "resource_x"]);
  expect(suggest("zzz", ["resources"])).toEqual([]);
});
