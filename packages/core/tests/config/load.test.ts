/** What a load gives beside the goldens: layers, servers, addresses, children, folders. */
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  childEnvironment,
  findServerDir,
  loadChildConfig,
  pickPort,
  resolveEntrypoint,
  resolveReadPath,
  searchRoots,
  withAddresses,
} from "../../src/config/index.ts";
import { folderWith, load, refusal } from "./playground.ts";

const SERVERS = `
srv: {resources_servers: {demo: {entrypoint: app.py, domain: math}}}
policy_model: {responses_api_models: {vllm_model: {entrypoint: app.py, base_url: "\${policy_base_url}", scale: 1.0}}}
agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: srv}
      model_server: {type: responses_api_models, name: policy_model}
policy_base_url: http://h/v1
`;

test("servers carry resolved blocks; the relay of an agent is marked as generated", async () => {
  const config = await load(SERVERS);
  expect(config.servers.map(({ name, type, implementation, generated }) => [name, type, implementation, generated])).toEqual([
    ["srv", "resources_servers", "demo", undefined],
    ["policy_model", "responses_api_models", "vllm_model", undefined],
    ["agent", "responses_api_agents", "simple_agent", undefined],
    ["agent_environment_server", "environment_servers", "legacy_agent", true],
  ]);
  expect(config.servers[1]?.block).toEqual({ entrypoint: "app.py", base_url: "http://h/v1", scale: 1, host: "127.0.0.1" });
  expect(config.headServer).toEqual({ host: "127.0.0.1", port: 11000 });
  expect(config.get("srv.resources_servers.demo.domain")).toBe("math");
  expect(config.get("nothing.here")).toBeUndefined();
  expect(config.get("policy_base_url.deeper")).toBeUndefined();
  expect(config.notices.join()).toContain("agent_environment_server");
});

test("a child reads what the parent wrote: floats stay floats, interpolations stay interpolations, nothing is checked again", async () => {
  const config = await load(SERVERS);
  const environment = childEnvironment(config, "policy_model");
  expect(environment.NEMO_GYM_CONFIG_PATH).toBe("policy_model");
  expect(environment.NEMO_GYM_CONFIG_DICT).toContain("base_url: ${policy_base_url}\n      scale: 1.0\n");
  const child = loadChildConfig(environment);
  expect(child.instance.block.base_url).toBe("http://h/v1");
  expect(child.config.yaml()).toBe(config.yaml());
  expect(() => loadChildConfig({ ...environment, NEMO_GYM_CONFIG_PATH: "ghost" })).toThrow(
    expect.objectContaining({ code: "NG_ERR_SERVER_NOT_FOUND" }),
  );
  expect(() => loadChildConfig({})).toThrow(/NEMO_GYM_CONFIG_DICT/);
});

test("addresses that were bound are announced in a new configuration", async () => {
  const config = await load(SERVERS);
  const bound = withAddresses(config, {
    servers: { srv: { host: "127.0.0.1", port: 4001 }, agent: { port: 4002 } },
    headServer: { port: 4000 },
    env: {},
  });
  expect(bound.servers.map(({ block }) => block.port)).toEqual([4001, undefined, 4002, undefined]);
  expect(bound.headServer).toEqual({ host: "127.0.0.1", port: 4000 });
  expect(bound.get("disallowed_ports")).toEqual([4000, 4001, 4002]);
  expect(bound.servers.at(-1)?.generated).toBe(true);
  expect(config.servers[0]?.block.port).toBeUndefined();
});

test("every layer that set a value is told, the winner first, secrets masked", async () => {
  const files = {
    "c.yaml": "config_paths: [d.yaml]\na: 1\napi_key: k1\nm: {x: 1}\n",
    "d.yaml": "a: 0\nm: {x: 0, y: 5}\n",
    "env.yaml": "a: 2\napi_key: k2\n",
  };
  const config = await load(files, { argv: ["++a=3", "++m=7"] });
  expect(config.explainKey("a").map(({ from, value, wins }) => [from.replace(/^.*\//, ""), value, wins])).toEqual([
    ["command line: ++a=3", "3", true],
    ["env.yaml:1:4", "2", false],
    ["c.yaml:2:4", "1", false],
    ["d.yaml:1:4", "0", false],
  ]);
  expect(config.explainKey("api_key").map(({ value }) => value)).toEqual(["'****'", "'****'"]);
  expect(config.explainKey("port_range_low")).toEqual([{ from: "default", value: "10001", wins: true }]);
  expect(config.explainKey("nothing")).toEqual([]);
});

test("include_precedence: legacy lets included files win", async () => {
  const files = { "c.yaml": "config_paths: [d.yaml]\na: outer\n", "d.yaml": "a: inner\n" };
  expect((await load(files)).get("a")).toBe("outer");
  expect((await load(files, { argv: ["+include_precedence=legacy"] })).get("a")).toBe("inner");
  expect((await load({ ...files, "env.yaml": "include_precedence: legacy\n" })).get("a")).toBe("inner");
});

test("directives are transitive at any depth and in any order", async () => {
  const config = await load("d: {r: 3}\na: {m: {_copy: b.m, p: 1}}\nb: {_inherit_from: c, m: {q: 2}}\nc: {m: {_copy: d, s: 4}}\n");
  expect(config.get("a")).toEqual({ m: { r: 3, s: 4, q: 2, p: 1 } });
  expect(config.get("b")).toEqual({ m: { r: 3, s: 4, q: 2 } });
  expect(config.get("c")).toBeUndefined();
});

test("the policy key may come from the environment, last and by reference", async () => {
  const text = "m: {responses_api_models: {v: {entrypoint: app.py, key: '${policy_api_key}'}}}\n";
  const env = { OPENAI_API_KEY: "from-env" };
  const config = await load(text, { env });
  expect(config.servers[0]?.block.key).toBe("from-env");
  expect(config.yaml()).not.toContain("from-env");
  expect((await load({ "c.yaml": text, "env.yaml": "policy_api_key: own\n" }, { env })).servers[0]?.block.key).toBe("own");
  expect((await load("a: 1\n", { env })).get("policy_api_key")).toBeUndefined();
});

test("a stand-in model serves commands that need none", async () => {
  const config = await load("a: ${policy_model_name}\n", { noModel: true });
  expect(config.servers.map(({ name, implementation }) => [name, implementation])).toEqual([["policy_model", "dummy_model"]]);
});

test("two servers on one address are refused, wildcard addresses too", async () => {
  const server = (name: string, host: string): string =>
    `${name}: {responses_api_models: {v: {entrypoint: app.py, host: ${host}, port: 12001}}}\n`;
  expect((await refusal(server("a", "0.0.0.0") + server("b", "127.0.0.1"))).code).toBe("NG_ERR_PORT_IN_USE");
  await load(server("a", "127.0.0.2") + server("b", "127.0.0.1"));
});

test("an environment server that runs episodes needs its clean-up time", async () => {
  const front = (extra: string): string =>
    `${SERVERS}front: {environment_servers: {single_agent_turn: {entrypoint: app.py, agent_server: {type: responses_api_agents, name: agent}${extra}}}}\n`;
  expect((await refusal(front(""))).message).toContain("cleanup_timeout_seconds");
  expect((await refusal(front(", cleanup_timeout_seconds: 5, max_concurrent_episodes: 2"))).message).toContain("queue_timeout_seconds");
  await load(front(", cleanup_timeout_seconds: 5"));
});

test("pickPort names the range that has no port left", async () => {
  expect(await pickPort({ low: 5, high: 7 }, [5, 7], async () => true)).toBe(6);
  await expect(pickPort({ low: 5, high: 7 }, [5], async () => false)).rejects.toThrow(/5 to 7/);
});

test("folders: extra roots, working folder, install folder; a server folder has something to start or to install", () => {
  const cwd = folderWith({
    "r/x.yaml": "",
    "x.yaml": "",
    "install/y.yaml": "",
    "resources_servers/empty/README.md": "",
    "install/resources_servers/demo/app.ts": "",
    "resources_servers/py/requirements.txt": "",
  });
  const options = { cwd, env: { NEMO_GYM_EXTRA_ROOTS: `${cwd}/r::r` }, installRoot: join(cwd, "install") };
  expect(searchRoots(options)).toEqual([`${cwd}/r`, cwd, `${cwd}/install`]);
  expect(resolveReadPath("x.yaml", options)).toBe(`${cwd}/r/x.yaml`);
  expect(resolveReadPath("y.yaml", options)).toBe(`${cwd}/install/y.yaml`);
  expect(resolveReadPath("none.yaml", options)).toBe(`${cwd}/r/none.yaml`);
  expect(resolveReadPath("/abs.yaml", options)).toBe("/abs.yaml");
  expect(findServerDir("resources_servers", "demo", options)).toMatchObject({ dir: `${cwd}/install/resources_servers/demo`, exists: true });
  expect(findServerDir("resources_servers", "py", options).exists).toBe(true);
  expect(findServerDir("resources_servers", "empty", options)).toMatchObject({ dir: `${cwd}/r/resources_servers/empty`, exists: false });
});

test("entrypoint: a Python file that exists is Python; otherwise the TypeScript beside it", () => {
  const both = folderWith({ "app.py": "", "app.ts": "" });
  expect(resolveEntrypoint(both, "app.py")).toEqual({ file: join(both, "app.py"), language: "python" });
  expect(resolveEntrypoint(both, "app.ts")).toEqual({ file: join(both, "app.ts"), language: "typescript" });
  const ours = folderWith({ "app.ts": "" });
  expect(resolveEntrypoint(ours, "app.py")).toEqual({ file: join(ours, "app.ts"), language: "typescript" });
  expect(resolveEntrypoint(folderWith({ "app.js": "" }), "app.py")?.language).toBe("typescript");
  expect(resolveEntrypoint(folderWith({ x: "" }), "app.py")).toBeUndefined();
});

test("a dump hides secrets wherever they are and keeps the rest", async () => {
  const config = await load(
    'a: {api_key: s1, headers: {Authorization: "Bearer s2"}, list: [[{token: s3}]], url: "http://u:s4@h/x", note: "Bearer s5", max_tokens: 7}\nb: ${a.api_key}\n',
  );
  const dumps = [config.yaml({ mask: true }), config.yaml({ mask: true, resolve: true })];
  for (const dump of dumps) for (const secret of ["s1", "s2", "s3", "s4", "s5"]) expect(dump).not.toContain(secret);
  expect(dumps[1]).toContain("max_tokens: 7");
  expect(config.yaml({ resolve: true })).toContain("b: s1");
});
