/** The language of a configuration against the reference: YAML in and out, merge, interpolation, override tokens, secrets. */
import { describeGolden } from "@ng-gym/testing";
import { expect } from "vitest";
import { loadText } from "../../src/config/files.ts";
import { applyOverrides, maskOverrides, maskSecrets, parseOverride } from "../../src/config/index.ts";
import { InterpolationFailure, Interpolator } from "../../src/config/interpolate.ts";
import { MergeConflict, merge } from "../../src/config/merge.ts";
import type { ConfigNode } from "../../src/config/node.ts";
import { OverrideSyntaxError } from "../../src/config/override-value.ts";
import { Problems } from "../../src/config/problems.ts";
import { maskNode } from "../../src/config/secrets.ts";
import { emitYaml } from "../../src/config/yaml-emit.ts";
import { normaliseText } from "../../src/config/yaml-read.ts";
import { bytesOf, encode, expectValue, grow, toNode } from "./golden-values.ts";

function load(input: unknown): { root: ConfigNode | undefined; problems: Problems } {
  const problems = new Problems();
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOf(input));
  } catch {
    problems.add({ message: "not UTF-8" });
    return { root: undefined, problems };
  }
  return { root: loadText({ kind: "file", name: "c.yaml", text: normaliseText(text) }, problems), problems };
}

function loaded(input: unknown): ConfigNode {
  const { root, problems } = load(input);
  problems.throwIfAny();
  if (root === undefined) throw new Error("no root");
  return root;
}

describeGolden("config/yaml-load.jsonl", {
  check: ({ input, expected }) => {
    const { root, problems } = load(input.yaml);
    if (expected.error === undefined) {
      problems.throwIfAny();
      if (root !== undefined) expectValue(root, expected.value, { keyOrder: false });
      return;
    }
    expect(problems.list).toHaveLength(1);
    const place = /at line (\d+), column (\d+)/.exec(expected.error.message);
    if (place !== null) expect([problems.list[0]?.line, problems.list[0]?.column]).toEqual([Number(place[1]), Number(place[2])]);
  },
});

describeGolden("config/yaml-dump.jsonl", {
  check: ({ input, expected }) => expect(emitYaml(toNode(input.value))).toBe(expected.text),
});

describeGolden("config/merge.jsonl", {
  check: ({ input, expected }) => {
    const run = (): ConfigNode => input.files.map(loaded).reduce((left: ConfigNode, right: ConfigNode) => merge(left, right, {}));
    if (expected.error === undefined) return expectValue(run(), expected.value, { keyOrder: true });
    let error: unknown;
    try {
      run();
    } catch (caught) {
      error = caught;
    }
    if (!(error instanceof MergeConflict)) expect(error).toHaveProperty("code", "NG_ERR_CONFIG_SYNTAX");
  },
});

describeGolden("config/interpolation.jsonl", {
  check: ({ input, expected }) => {
    const { root, problems } = load(input.yaml);
    if (expected.error !== undefined) {
      expect(problems.list.map((problem) => problem.code)).toEqual(["NG_ERR_INTERPOLATION"]);
      return;
    }
    problems.throwIfAny();
    if (root === undefined) throw new Error("no root");
    const interpolator = new Interpolator(root, input.env ?? {});
    for (const read of expected.reads) {
      const path = read.path.replace(/\[(\d+)\]/g, ".$1").split(".");
      if (read.error === undefined) expectValue(interpolator.read(path), read.value, { keyOrder: false });
      else expect(() => interpolator.read(path), read.path).toThrow(InterpolationFailure);
    }
    const whole = (): ConfigNode => interpolator.whole({ node: root, path: [] });
    if (expected.whole === "resolves") whole();
    else expect(whole).toThrow(InterpolationFailure);
  },
});

/** A sweep inside a list is a sweep: the golden shows Hydra's own object there. */
function holdsSweep(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes('"$other":"ChoiceSweep"');
}

describeGolden("config/override-grammar.jsonl", {
  check: ({ input, expected }) => {
    const token = grow(input.override);
    if (expected.error !== undefined) {
      expect(() => parseOverride(token)).toThrow(OverrideSyntaxError);
      return;
    }
    const override = parseOverride(token);
    expect({ type: override.type, key: override.key, package: override.package }).toEqual({
      type: expected.type,
      key: expected.key,
      package: expected.package,
    });
    expect(override.sweep !== undefined).toBe(expected.sweep === true || holdsSweep(expected.value));
    if (override.sweep !== undefined) return;
    expect(override.value !== undefined).toBe("value" in expected);
    if (override.value !== undefined) expectValue(override.value, expected.value, { keyOrder: true });
  },
});

describeGolden("config/override-lines.jsonl", {
  check: ({ input, expected }) => {
    const problems = new Problems();
    if (expected.exit_code !== undefined) {
      expect(() => applyOverrides(input.argv, problems)).toThrow(expect.objectContaining({ exitCode: expected.exit_code }));
      return;
    }
    if (expected.error === undefined) {
      const tree = applyOverrides(input.argv, problems);
      problems.throwIfAny();
      expectValue(tree, expected.value, { keyOrder: true });
      return;
    }
    expect(() => {
      applyOverrides(input.argv, problems);
      problems.throwIfAny();
    }).toThrow(expect.objectContaining({ name: "GymError" }));
  },
});

const CASE = "decisions.md, Config, secrets: keys with these words are masked; a word is the same in capitals";

describeGolden("config/secrets.jsonl", {
  check: ({ input, expected }) => {
    if (input.tokens !== undefined) {
      return expect(maskOverrides(input.tokens)).toEqual(expected.tokens);
    }
    const masked = encode(maskNode(toNode(input.config)));
    const wanted = expected.ours ?? expected;
    for (const secret of wanted.must_not_contain ?? []) expect(JSON.stringify(masked)).not.toContain(secret);
    if (wanted.config !== undefined) {
      expectValue(maskNode(toNode(input.config)), wanted.config, { keyOrder: true });
      if (input.config.$map === undefined && !JSON.stringify(input.config).includes("$"))
        expect(maskSecrets(input.config)).toEqual(wanted.config);
    }
  },
  exceptions: {
    "key-TOKEN": CASE,
    "key-API_KEY": CASE,
    "key-Key": CASE,
    "key-Headers": CASE,
    "key-authorization": "decisions.md, Config, secrets: Authorization headers are masked",
    server: "decisions.md, Config, secrets: whole words, so max_tokens stays, and Authorization headers are masked",
    "tok-plain":
      "decisions.md, Config, secrets: whole words, so max_tokens stays; every spelling of a secret on the command line is masked",
  },
});
