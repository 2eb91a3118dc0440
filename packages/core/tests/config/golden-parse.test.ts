/** Whole loads, data set entries and routing against the reference. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describeGolden, type GoldenCase } from "@ng-gym/testing";
import { expect } from "vitest";
import { exportedVariables } from "../../src/config/compat-exports.ts";
import {
  checkDatasetEntry,
  environmentServerAgents,
  environmentServerAttributedAgent,
  type LoadedConfig,
  loadConfig,
  pickPort,
  resolveDatasetAgent,
  runLabels,
} from "../../src/config/index.ts";
import type { ConfigNode } from "../../src/config/node.ts";
import { emitYaml } from "../../src/config/yaml-emit.ts";
import { isGymError } from "../../src/protocol/index.ts";
import { decode, encode, grow } from "./golden-values.ts";

// biome-ignore lint/suspicious/noExplicitAny: golden JSON
type Json = any;

/** Keys that a golden leaves out where they have these values. */
const STANDARD: Record<string, Json> = {
  use_absolute_ip: false,
  port_range_low: 10001,
  port_range_high: 20000,
  head_server: { host: "127.0.0.1", port: 11000 },
  allow_openai_version_skew: false,
  head_server_deps: "<any>",
  python_version: "<any>",
  skip_venv_if_present: false,
  dry_run: false,
  server_spinup_timeout_seconds: 600,
  model_endpoint_readiness_timeout_seconds: 600,
  results_dir: "<cwd>/results",
  cache_dir: "<cwd>/cache",
  uv_cache_dir: "<cwd>/cache/uv",
  uv_lock_timeout_seconds: 1800,
  uv_venv_dir: "<cwd>",
};

interface Run {
  config: LoadedConfig | undefined;
  error: Json;
  allocated: number;
  ports: number[];
  env: Record<string, string>;
}

async function inFolder(golden: GoldenCase, check: (run: Run, cwd: string) => void): Promise<void> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "ng-config-")));
  const cwd = join(top, "cwd");
  const install = join(top, "install");
  const place = (value: string): string => value.replaceAll("<cwd>", cwd).replaceAll("<install>", install);
  try {
    mkdirSync(cwd);
    mkdirSync(install);
    const { input } = golden;
    for (const [name, text] of Object.entries(input.files ?? {})) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), place(grow(text)));
    }
    const env: Record<string, string> = { HOME: join(cwd, "home") };
    for (const [name, value] of Object.entries(input.env ?? {})) env[name] = place(String(value));
    const run: Run = { config: undefined, error: undefined, allocated: 0, ports: [], env };
    const occupied: number[] = input.occupy ?? [];
    try {
      run.config = await loadConfig({
        argv: (input.argv ?? []).map(place),
        cwd,
        env,
        initial: input.initial,
        noModel: input.no_model,
        offline: input.offline,
        installRoot: install,
        ownAddress: () => "10.11.12.13",
        allocatePort: async (range, disallowed) => {
          run.allocated++;
          const port = await pickPort(range, disallowed, async (candidate) => !occupied.includes(candidate));
          run.ports.push(port);
          return port;
        },
      });
    } catch (error) {
      run.error = error;
    }
    check(run, top);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** The comparable result: paths as placeholders, standard values left out. */
function comparable(node: ConfigNode, full: boolean, top: string): Json {
  const value = encode(node);
  const short = JSON.parse(JSON.stringify(value).replaceAll(join(top, "cwd"), "<cwd>").replaceAll(join(top, "install"), "<install>"));
  if (full) return short;
  const standard = new Map(Object.entries(STANDARD).map(([key, item]) => [key, JSON.stringify(decode(item))]));
  return {
    map: short.map.filter(([key, item]: [string, Json]) => standard.get(key) !== '"<any>"' && standard.get(key) !== JSON.stringify(item)),
  };
}

/** Replaces in `got` whatever `want` calls `<any>`; mappings in the order of `want`. */
function align(got: Json, want: Json): Json {
  if (want === "<any>") return got === undefined ? undefined : "<any>";
  if (Array.isArray(want) && Array.isArray(got)) return got.map((item: Json, index: number) => align(item, want[index]));
  if (want?.map === undefined || got?.map === undefined) return got;
  const left = new Map<string, [Json, Json]>(got.map.map((entry: [Json, Json]) => [JSON.stringify(entry[0]), entry]));
  const out: Json[] = [];
  for (const [key, item] of want.map) {
    const entry = left.get(JSON.stringify(key));
    if (entry !== undefined) out.push([key, align(entry[1], item)]);
    left.delete(JSON.stringify(key));
  }
  return { map: [...out, ...left.values()] };
}

function expectConfig(config: LoadedConfig, expected: Json, options: { full: boolean; top: string }): void {
  const want = decode(expected);
  expect(align(comparable(config.tree, options.full, options.top), want)).toEqual(want);
}

/** The part of a location that a person recognises: the field. */
function fieldOf(problem: string): string {
  const [location = ""] = problem.split(": ");
  return (
    location
      .split(" -> ")
      .filter((step) => !/[[(]|^\d+$|DatasetConfig/.test(step))
      .at(-1) ?? location
  );
}

describeGolden("config/parse.jsonl", {
  check: (golden) =>
    inFolder(golden, ({ config, error, allocated, ports, env }, top) => {
      const { input, expected } = golden;
      const ours = expected.ours ?? {};
      if (expected.error !== undefined && ours.config === undefined) {
        expect(isGymError(error), `expected an error: ${error}`).toBe(true);
        expect(error.message).not.toMatch(/sk-secret/);
        const text = `${error.message}\n${error.hint ?? ""}`
          .replaceAll(join(top, "cwd"), "<cwd>")
          .replaceAll(join(top, "install"), "<install>");
        for (const mention of expected.error.mentions ?? []) if (mention !== "None") expect(text).toContain(mention);
        const place = /at line (\d+), column (\d+)/.exec(expected.error.message);
        if (place !== null) expect(text).toContain(`:${place[1]}:${place[2]}`);
        for (const { name, problems } of expected.almost_servers ?? []) {
          if (expected.error.kind !== "AlmostServerError") continue;
          expect(text).toContain(String(name));
          for (const problem of problems.filter((item: string) => !item.includes("BenchmarkDatasetConfig")))
            expect(text).toMatch(new RegExp(fieldOf(problem).replace(/^Assertion.*/, "domain")));
        }
        return;
      }
      if (ours.error !== undefined) {
        expect(isGymError(error), `${error}`).toBe(true);
        return;
      }
      if (ours.note !== undefined) return expect(error?.message).toContain("'ab'");
      if (error !== undefined) throw error;
      if (config === undefined) throw new Error("no configuration");
      if (ours.config !== undefined) {
        const want = decode(ours.config);
        const got = align(comparable(config.tree, input.full === true, top), want);
        expect({ map: got.map.slice(0, want.map.length) }).toEqual(want);
        return;
      }
      expectConfig(config, expected.config, { full: input.full === true, top });
      if (expected.allocated_ports !== undefined) expect(allocated).toBe(expected.allocated_ports);
      if (input.port_range !== undefined)
        for (const port of ports) expect(port >= input.port_range[0] && port <= input.port_range[1]).toBe(true);
      if (expected.resolved !== undefined) {
        const text = emitYaml(config.tree);
        expect(text.length).toBeGreaterThan(0);
        const resolved = config.resolved() as Record<string, Json>;
        for (const [key, value] of Object.entries(expected.resolved))
          if (!JSON.stringify(value).includes("<any>") && !JSON.stringify(value).includes("<cwd>") && !JSON.stringify(value).includes("$"))
            expect(resolved[key]).toEqual(value);
      }
      if (expected.resolve_error !== undefined) expect(() => config.resolved()).toThrow();
      for (const duplicate of expected.duplicate_config_paths ?? []) expect(config.notices.join("\n")).toContain(duplicate);
      for (const { name } of expected.almost_servers ?? []) expect(config.notices.join("\n")).toContain(String(name));
      if (expected.exports !== undefined) {
        const exports = Object.fromEntries(
          Object.entries(exportedVariables(config, { env, offline: input.offline === true })).map(([key, value]) => [
            key,
            value.replaceAll(join(top, "cwd"), "<cwd>"),
          ]),
        );
        expect(exports).toEqual(expected.exports);
      }
    }),
  exceptions: {
    "inh-own-parent": "decisions.md, Config, _inherit_from: transitive, and a cycle is an error naming the chain",
    "int-server-block": "decisions.md, Servers: two servers on one address are an error",
    "set-telemetry-bad": "decisions.md, Servers: a telemetry block is never an error",
    "set-telemetry-interval": "decisions.md, Servers: a telemetry block is never an error",
  },
});

describeGolden("config/datasets.jsonl", {
  check: ({ input, expected }) => {
    const { entry, problems } = checkDatasetEntry(input.entry);
    if (expected.error === undefined) {
      expect(problems).toEqual([]);
      expect(entry?.kind).toBe(expected.class);
      expect(entry?.value).toEqual(expected.value);
      expect(Object.keys(entry?.value ?? {})).toEqual(Object.keys(expected.value));
      expect(entry?.deprecated).toEqual(expected.deprecated ?? []);
      return;
    }
    const locations = new Set(
      expected.error.problems.map((problem: Json) => problem.loc.filter((step: string) => !step.startsWith("literal[")).join(".")),
    );
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) expect([...locations]).toContain(problem.path.join("."));
  },
});

describeGolden("config/routing.jsonl", {
  check: ({ input, expected }) => {
    if (input.call === "labels") return expect(runLabels(input.runs)).toEqual(expected.labels);
    if (input.call === "environment_agents") {
      return expect({ agents: environmentServerAgents(input.server), attributed: environmentServerAttributedAgent(input.server) }).toEqual(
        expected,
      );
    }
    const route = (): string | null => resolveDatasetAgent(input.config, input);
    if (expected.error !== undefined) return expect(route).toThrow(expect.objectContaining({ code: "NG_ERR_CONFIG" }));
    expect({ agent: route() }).toEqual(expected);
  },
});
