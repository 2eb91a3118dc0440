/** Hostile input ends in a `GymError` of bounded size, in bounded time: never in a stack overflow, a hang or a raw exception. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { applyOverrides, dumpYaml, loadConfig, parseConfigYaml, parseOverride } from "../../src/config/index.ts";
import { MAX_DEPTH, MAX_PROBLEMS } from "../../src/config/limits.ts";
import { OverrideSyntaxError } from "../../src/config/override-value.ts";
import { Problems } from "../../src/config/problems.ts";
import { isGymError } from "../../src/protocol/index.ts";
import { folderWith, load, refusal } from "./playground.ts";

function repeat(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("");
}

describe("bombs", () => {
  const bombs: Record<string, string> = {
    "billion laughs": `a0: &a0 [x, x]\n${repeat(40, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]\n`)}`,
    "merge keys that multiply": `a0: &a0 {${repeat(300, (i) => `k${i}: 1, `)}}\nb:\n  <<: [${repeat(2000, () => "*a0, ")}*a0]\n`,
    "a huge anchor used often": `a: &a "${"x".repeat(1000)}"\nb: [${repeat(150_000, () => "*a, ")}*a]\n`,
    "flow nesting": `a: ${"[".repeat(100_000)}`,
    "block nesting": repeat(3000, (i) => `${" ".repeat(i)}a:\n`),
    dashes: `a:\n${"- ".repeat(50_000)}b\n`,
    "explicit keys": "? ".repeat(50_000),
    "many tokens": repeat(400_000, () => "- a\n"),
    tags: `a: ${"!x ".repeat(50_000)}`,
    "copies that double": `a0: {x: 1, y: 2}\n${repeat(40, (i) => `a${i + 1}: {x: '\${copy:a${i}}', y: '\${copy:a${i}}'}\n`)}`,
    "texts that double": `a0: xxxxxxxxxx\n${repeat(40, (i) => `a${i + 1}: '\${a${i}}\${a${i}}'\n`)}`,
    "blocks that double": `a0: {x: 1}\n${repeat(40, (i) => `a${i + 1}: {x: '\${a${i}}', y: '\${a${i}}'}\n`)}`,
    "blocks that hold one another": "a: {x: '${b}'}\nb: {y: '${a}'}\n",
    "a chain of blocks": `a0: {x: 1}\n${repeat(5000, (i) => `a${i + 1}: {x: '\${a${i}}'}\n`)}`,
    "a chain of copies": `a0: {x: 1}\n${repeat(3000, (i) => `a${i + 1}: {_copy: a${i}}\n`)}z: \${nope}\n`,
    "nested interpolations": `a: ${"${".repeat(20_000)}`,
    "nested interpolation arguments": `a: '${"${oc.env:".repeat(2000)}'\n`,
    "decoded nesting": `a: "\${oc.decode:'${"[".repeat(5000)}'}"\n`,
    "a container in many texts": `m: {${repeat(2000, (i) => `k${i}: v, `)}}\n${repeat(2000, (i) => `t${i}: 'x\${m}'\n`)}`,
    "a long integer": `a: ${"9".repeat(100_000)}\n`,
    "unset values": repeat(20_000, (i) => `k${i}: ???\n`),
    "dangling values": repeat(10_000, (i) => `key_number_${i}: \${nope_number_${i}}\n`),
    "one long line of problems": `{${repeat(5000, (i) => `"k${i}": "\${nope${i}}", `)}}`,
    "many servers": repeat(4000, (i) => `s${i}: {responses_api_models: {m: {entrypoint: app.py}}}\n`),
    "many files": `config_paths: [${repeat(20_000, (i) => `f${i}.yaml, `)}]\n`,
    "many inherits": `base: {x: 1}\n${repeat(8000, (i) => `t${i}: {_inherit_from: b${i}}\nb${i}: {y: 1}\n`)}z: \${nope}\n`,
    "near-known keys": repeat(20_000, (i) => `policy_base_ur${i}: 1\n`),
  };

  /** Seconds; the slowest takes well under two on one core, and a hang is what this guards against. */
  const LIMIT = 20;

  for (const [name, text] of Object.entries(bombs)) {
    test(name, { timeout: LIMIT * 1000 }, async () => {
      const error = await refusal(text);
      expect(error.message.length).toBeLessThan(400_000);
      expect((error.details.problems as unknown[] | undefined)?.length ?? 0).toBeLessThanOrEqual(MAX_PROBLEMS);
    });
  }
});

test("__proto__, constructor and toString are ordinary keys", async () => {
  const config = await load(
    "__proto__: {polluted: true}\nconstructor: {prototype: {x: 1}}\na: {__proto__: 5, toString: x}\nb: ${a.__proto__}\n",
  );
  expect(Object.hasOwn(config.raw, "__proto__")).toBe(true);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(config.get("b")).toBe(5);
  expect(Object.entries(config.get<object>("a") ?? {})).toEqual([
    ["__proto__", 5],
    ["toString", "x"],
  ]);
  expect(config.yaml()).toContain("__proto__:\n  polluted: true\n");
  expect(parseConfigYaml("a: ${toString}\n")).toEqual({ a: "${toString}" });
  expect((await refusal("a: ${toString}\nb: ${constructor:x}\n")).message).toContain("toString");
});

test("what only looks like a bomb loads", async () => {
  const empty = await load(`a0: ''\n${repeat(60, (i) => `a${i + 1}: '\${a${i}}\${a${i}}'\n`)}x: \${a60}\n`);
  expect(empty.get("x")).toBe("");
  const chain = await load(`a0: 1\n${repeat(150, (i) => `a${i + 1}: \${a${i}}\n`)}`);
  expect(chain.get("a150")).toBe(1);
});

test("the depth limit is a limit", async () => {
  const nested = (levels: number): string => `a: ${"[".repeat(levels)}1${"]".repeat(levels)}\n`;
  await load(nested(MAX_DEPTH - 2));
  expect((await refusal(nested(MAX_DEPTH + 1))).message).toContain(`${MAX_DEPTH} levels`);
});

test("override tokens are bounded", () => {
  const tokens = [
    `+a=${"[".repeat(100_000)}`,
    `+a=${"{a:".repeat(100_000)}`,
    `+${"a.".repeat(100_000)}b=1`,
    `+a=${"x".repeat(2_000_000)}`,
    `+a=${"\\".repeat(500_000)}'`,
    `+a='${"\\".repeat(500_000)}`,
    `+a=${"int(".repeat(50_000)}`,
    `+a=${"${".repeat(100_000)}`,
    `+${"a/".repeat(100_000)}=1`,
  ];
  for (const token of tokens) {
    const problems = new Problems();
    applyOverrides([token, token.replace("+", "++")], problems);
    expect(problems.any, token.slice(0, 20)).toBe(true);
  }
});

test("a value that was set ten thousand times dumps and explains", async () => {
  const problems = new Problems();
  const tree = applyOverrides(
    Array.from({ length: 4_000 }, (_, i) => `++a=${i}`),
    problems,
  );
  problems.throwIfAny();
  expect(dumpYaml(tree)).toBe("a: 3999\n");
});

/** A small generator of pseudo-random numbers, so that a failure can be run again. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const SEEDS = [
  "srv:\n  resources_servers:\n    demo: &d\n      entrypoint: app.py\n      domain: math\n      port: 12001\n      datasets:\n      - {name: t, type: train, jsonl_fpath: t.jsonl, license: MIT}\n",
  "a: &x {p: 1, q: [2, ~, 0x1F, 1:30]}\nb: {<<: *x, r: '${a.p}'}\nc: |\n  text\n   more\nd: >-\n  folded\n",
  "base: {p: 1, q: {r: 1}}\nx: {_inherit_from: base, q: {s: ${oc.env:HOME,'a b'}}}\ny: ${copy:base.q}\nz: {_delete_key: 'a, b', a: 1}\n",
  "agent:\n  responses_api_agents:\n    simple_agent:\n      entrypoint: app.py\n      resources_server: {type: resources_servers, name: ???}\n__proto__: {a: 1}\n",
];
const TOKENS = [
  "+a.b=[1,{c:'x y',d:${e}}]",
  "++policy_api_key='sk-\\'x'",
  "~a",
  "+a=int('3')",
  "+x=a\\,b c",
  "+k={a:[1,2.5e3,null,true]}",
  "+config_paths=[c.yaml,${x}]",
];
const PIECES = [
  "${",
  "}",
  "{",
  "[",
  "]",
  ":",
  ": ",
  "\n",
  "  ",
  "\t",
  "- ",
  "? ",
  "*x",
  "&x ",
  "<<: ",
  "'",
  '"',
  "\\",
  "???",
  "!!int ",
  "%",
  "#",
  "|",
  ">",
  ",",
  "=",
  "_copy: ",
  "__proto__",
  "\u2028",
  "é",
  "\u0000",
  "---\n",
  "0x",
  "1e999",
  "oc.env:",
];

function mutate(text: string, random: () => number): string {
  let out = text;
  const times = 1 + Math.floor(random() * 4);
  for (let i = 0; i < times; i++) {
    const at = Math.floor(random() * (out.length + 1));
    const piece = PIECES[Math.floor(random() * PIECES.length)] ?? "";
    const kind = random();
    if (kind < 0.5) out = out.slice(0, at) + piece + out.slice(at);
    else if (kind < 0.75) out = out.slice(0, at) + out.slice(at + 1 + Math.floor(random() * 6));
    else if (kind < 0.9)
      out = out.slice(0, at) + out.slice(Math.floor(random() * out.length), Math.floor(random() * out.length)) + out.slice(at);
    else out = out.slice(0, at) + piece.repeat(1 + Math.floor(random() * 50)) + out.slice(at);
  }
  return out;
}

/** Mutations per run; NG_FUZZ_CASES asks for more. */
const CASES = Number(process.env.NG_FUZZ_CASES ?? 2_000);

test(`${CASES} mutated files load or end in a GymError`, { timeout: 600_000 }, async () => {
  const random = mulberry(20260801);
  let refused = 0;
  // One folder for all: thousands of them would take longer to remove than to fill.
  const cwd = folderWith({});
  const options = { argv: ["+config_paths=[c.yaml]"], cwd, env: { HOME: "/h" }, installRoot: join(cwd, "install") };
  for (let i = 0; i < CASES; i++) {
    const text = mutate(SEEDS[i % SEEDS.length] ?? "", random);
    writeFileSync(join(cwd, "c.yaml"), text);
    try {
      const config = await loadConfig(options);
      parseConfigYaml(config.yaml());
      config.resolved();
    } catch (error) {
      if (!isGymError(error)) throw new Error(`case ${i}: ${JSON.stringify(text)}`, { cause: error });
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(CASES / 10);
  expect(refused).toBeLessThan(CASES);
});

test(`${CASES} mutated override tokens parse or are refused`, { timeout: 600_000 }, () => {
  const random = mulberry(7);
  let refused = 0;
  for (let i = 0; i < CASES; i++) {
    const token = mutate(TOKENS[i % TOKENS.length] ?? "", random);
    try {
      parseOverride(token);
      const problems = new Problems();
      applyOverrides(["+a.b.c=1", token, token], problems);
    } catch (error) {
      if (!(error instanceof OverrideSyntaxError) && !isGymError(error))
        throw new Error(`case ${i}: ${JSON.stringify(token)}`, { cause: error });
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(CASES / 10);
  expect(refused).toBeLessThan(CASES);
});
