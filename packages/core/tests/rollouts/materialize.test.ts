import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describeGolden, GOLDEN_DIR } from "@ng-gym/testing";
import { expect } from "vitest";
import {
  buildRouting,
  type CollectEvent,
  fillPrompt,
  loadPrompt,
  loadSkills,
  parseCollectParameters,
  parsePython,
  parseSkill,
  planRun,
} from "../../src/rollouts/index.ts";
import { expand, expectSame, type Foreign, linesText, scratch, writeFiles } from "./recipes.ts";

const CODES = new Set(["agent_ref_overridden", "unused_num_repeats_entry", "legacy_agent_ref_routing"]);

async function plan(input: Foreign, folder: string): Promise<Foreign> {
  if (input.lines !== null) writeFiles(folder, { "in.jsonl": linesText(input.lines, input.last_newline ?? true) });
  const { parameters } = parseCollectParameters({ input_jsonl_fpath: "in.jsonl", output_jsonl_fpath: "out.jsonl", ...input.config });
  const warnings: string[] = [];
  const emit = (event: CollectEvent) => {
    if (event.type === "notice" && CODES.has(event.code)) warnings.push(event.code);
  };
  const routing = input.global_config === undefined ? undefined : buildRouting(input.global_config);
  const target = join(folder, "materialized.jsonl");
  const made = await planRun({ parameters, routing, target, around: { cwd: folder, env: {} }, emit });
  await made.commit();
  const text = readFileSync(target, "utf8");
  const rows = text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return warnings.length > 0 ? { rows, warnings: warnings.sort() } : { rows };
}

/** Rows of `resolve` and `validate_agents` are bare: give them what a row of a file must have, and take it off the answer. */
async function resolveRows(input: Foreign, folder: string): Promise<Foreign> {
  const lines = input.rows.map((row: Foreign) => ({ ...row, responses_create_params: {} }));
  // The step alone does not ask whether an agent that a row names is there.
  const named =
    input.op === "resolve"
      ? input.rows.flatMap((row: Foreign) =>
          row.agent_ref === undefined ? [] : [[row.agent_ref.name, { responses_api_agents: { x: {} } }]],
        )
      : [];
  const answer = await plan({ lines, global_config: withRelays({ ...input.global_config, ...Object.fromEntries(named) }) }, folder);
  answer.rows = answer.rows.map(({ responses_create_params, _ng_task_index, _ng_rollout_index, ...row }: Foreign) => row);
  return answer;
}

/** The running configuration has a relay in front of each agent. */
function withRelays(config: Foreign): Foreign {
  const agents = Object.entries(config).filter(([, value]) => (value as Foreign)?.responses_api_agents !== undefined);
  const relays = agents.map(([name]) => [
    `${name}_relay`,
    { environment_servers: { legacy_agent: { agent_server: { type: "responses_api_agents", name } } } },
  ]);
  return { ...config, ...Object.fromEntries(relays) };
}

const OPS: Record<string, (input: Foreign, folder: string) => Promise<Foreign>> = {
  plan,
  resolve: resolveRows,
  validate_agents: async (input, folder) => {
    await resolveRows(input, folder);
    return { ok: true };
  },
  config: async ({ config, show }) => {
    const { parameters, notices } = parseCollectParameters({ input_jsonl_fpath: "i", output_jsonl_fpath: "o", ...config });
    const shown = Object.fromEntries(show.map((key: string) => [key, (parameters as Foreign)[key]]));
    return notices.length > 0 ? { config: shown, warnings: ["deprecated_upload_flag"] } : { config: shown };
  },
  prompt: async ({ prompt, row, fields }) => ({ row: fillPrompt({ path: "p", system: null, ...prompt }, row, fields) }),
  prompt_file: async ({ files }, folder) => {
    writeFiles(folder, files);
    const { user, system } = await loadPrompt(join(folder, Object.keys(files)[0] as string));
    return { prompt: { user, system } };
  },
  skill: async ({ files }) => ({ skill: parseSkill(files["SKILL.md"], "SKILL.md") }),
  skills: async ({ files, path }, folder) => {
    writeFiles(folder, files);
    return { skills_ref: await loadSkills(path, join(folder, path)) };
  },
};

/** Rows of the prompt cases as Python sees them: 1.0 is no integer. */
const FIELDS = new Map(
  readFileSync(`${GOLDEN_DIR}rollouts/materialize.jsonl`, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => [JSON.parse(line).id, (parsePython(line) as Foreign).input.row]),
);

describeGolden("rollouts/materialize.jsonl", {
  pending: ({ input }) =>
    input.op === "examples"
      ? "rows handed over by a caller instead of a file"
      : input.op === "render"
        ? "the command that renders prompts"
        : undefined,
  exceptions: {
    cfg_defaults: "decisions.md, infrastructure failure: route_failures_to_sidecar is on by default",
  },
  check: async ({ id, input: raw, expected }) => {
    const input = { ...expand(raw), fields: FIELDS.get(id) };
    const folder = scratch();
    try {
      if (input.op !== "skills" && input.op !== "prompt_file" && input.op !== "skill") writeFiles(folder, input.files);
      const run = () => (OPS[input.op ?? "plan"] as (typeof OPS)[string])(input, folder);
      if (expected.error !== undefined && expected.reference_bug !== true) {
        await expect(run()).rejects.toThrow();
        return;
      }
      if (expected.reference_bug === true) return await checkOurs(expected, run);
      const { ours: _ours, ...wanted } = expected;
      if (wanted.warnings !== undefined) wanted.warnings.sort();
      expectSame(await run(), wanted);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

/** Where the reference is wrong the golden says in words what we give. */
async function checkOurs(expected: Foreign, run: () => Promise<Foreign>): Promise<void> {
  if (/line numbers 1 and 3/.test(expected.ours)) return expect(run()).rejects.toThrow(/lines 1, 3/);
  if (/null counts as absent/.test(expected.ours)) {
    const { rows } = await run();
    return expect(rows).toMatchObject([{ responses_create_params: { input: [{ role: "user", content: "2" }] } }]);
  }
  throw new Error(`no check for: ${expected.ours}`);
}
