/**
 * Input file -> materialized rows. One pass: each input row is read, expanded and written to a temporary file, which takes its place by rename only when the
 * whole input is sound. Nothing has been sent by then.
 */

import { createHash } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { messageOf } from "../errors/index.ts";
import { stringifyJson } from "../json/index.ts";
import { fileError, type Line, type LineWriter, lineError, openLineWriter, parseRow, readLines } from "../jsonl/index.ts";
import { type Emit, notice } from "./events.ts";
import { findInRoots, requireInput, type Surroundings } from "./input-file.ts";
import { createRowPositions, eachInterleaved } from "./interleave.ts";
import { LISTED_PROBLEMS } from "./limits.ts";
import type { CollectParameters } from "./parameters.ts";
import { collectProblems } from "./plan-problems.ts";
import { createRowPlanner, type RowPlanner } from "./plan-row.ts";
import { fillPrompt, hasInput, loadPrompt, type PromptTemplate } from "./prompt.ts";
import { parsePython } from "./python-values.ts";
import type { Routing } from "./routing.ts";
import type { Row } from "./row.ts";
import { loadSkills, type SkillsRef } from "./skills.ts";
import { createTaskNumbers } from "./task-numbers.ts";

export interface PlanOptions {
  parameters: CollectParameters;
  /** Absent: names are not resolved. */
  routing?: Routing;
  /** Where the materialized rows go in the end. */
  target: string;
  around: Surroundings;
  emit: Emit;
}

export interface Plan {
  rows: number;
  /** SHA-256 over the lines of the input that were read. */
  inputDigest: string;
  /** SHA-256 over the materialized rows. */
  rowsDigest: string;
  prompt: PromptTemplate | undefined;
  skills: SkillsRef | undefined;
  /** Environment servers that rows go to. */
  servers: ReadonlySet<string>;
  /** Puts the file in its place. */
  commit(): Promise<void>;
  /** Throws the temporary file away. */
  discard(): Promise<void>;
}

/** @throws GymError NG_ERR_FILE, NG_ERR_DATA for a broken line, NG_ERR_CONFIG naming all names and rows that cannot be resolved */
export async function planRun(options: PlanOptions): Promise<Plan> {
  const { parameters, around, emit } = options;
  const input = requireInput(parameters.input_jsonl_fpath, "--input", around);
  const prompt =
    parameters.prompt_config === null
      ? undefined
      : await loadPrompt(findInRoots(parameters.prompt_config, around) ?? parameters.prompt_config);
  const skills =
    parameters.skills === null
      ? undefined
      : await loadSkills(parameters.skills.path, findInRoots(parameters.skills.path, around) ?? parameters.skills.path);
  const problems = collectProblems();
  const planner = createRowPlanner({ parameters, skills, routing: options.routing, problems });
  const temporary = `${options.target}.tmp`;
  const discard = () => rm(temporary, { force: true });
  const writer = await openLineWriter(temporary, "w");
  const positions = parameters.interleave_repeats ? createRowPositions() : undefined;
  try {
    const counted = await materialize({ input, parameters, prompt, planner, writer, positions });
    remark(planner, parameters, emit);
    problems.throwIfAny(input);
    if (positions !== undefined) counted.rowsDigest = await interleave(temporary, positions);
    return {
      ...counted,
      prompt,
      skills,
      servers: planner.remarks().servers,
      discard,
      commit: async () => {
        await rename(temporary, options.target).catch((error) => {
          throw fileError(options.target, "write", error);
        });
      },
    };
  } catch (error) {
    await writer.close().catch(() => undefined);
    await discard();
    throw error;
  }
}

interface Materialize {
  input: string;
  parameters: CollectParameters;
  prompt: PromptTemplate | undefined;
  planner: RowPlanner;
  writer: LineWriter;
  positions: ReturnType<typeof createRowPositions> | undefined;
}

async function materialize(options: Materialize): Promise<Pick<Plan, "rows" | "inputDigest" | "rowsDigest">> {
  const { input, parameters, writer } = options;
  const numbers = createTaskNumbers();
  const inputHash = createHash("sha256");
  const rowsHash = createHash("sha256");
  const conflicts: number[] = [];
  let conflictCount = 0;
  let rows = 0;
  const limit = parameters.limit ?? 0;
  for await (const line of readLines(input)) {
    if (limit !== 0 && line.number > limit) break;
    inputHash.update(line.text).update("\n");
    const parsed = parseRow(input, line);
    if (options.prompt !== undefined && hasInput(parsed)) {
      if (conflictCount++ < LISTED_PROBLEMS) conflicts.push(line.number);
      continue;
    }
    if (conflictCount > 0) continue;
    const row = options.prompt === undefined ? parsed : filled(options.prompt, parsed, { input, line });
    for (const made of options.planner.expand(row, { line: line.number, taskNumber: () => numbers.of(line) })) {
      const text = stringifyJson(made);
      rowsHash.update(text).update("\n");
      options.positions?.add(Number(made._ng_rollout_index), Buffer.byteLength(text));
      rows++;
      const wait = writer.push(text);
      if (wait !== undefined) await wait;
    }
  }
  await writer.close();
  if (conflictCount > 0) {
    const more = conflictCount > conflicts.length ? ` and ${conflictCount - conflicts.length} more` : "";
    throw lineError(
      input,
      conflicts[0] as number,
      `prompt_config and responses_create_params.input exclude each other; rows with an input: lines ${conflicts.join(", ")}${more}`,
      {
        hint: "Remove the input from these rows, or run without prompt_config.",
      },
    );
  }
  return { rows, inputDigest: inputHash.digest("hex"), rowsDigest: rowsHash.digest("hex") };
}

function filled(prompt: PromptTemplate, row: Row, at: { input: string; line: Line }): Row {
  try {
    return fillPrompt(prompt, row, parsePython(at.line.text) as Row);
  } catch (error) {
    throw lineError(at.input, at.line.number, `the template ${prompt.path} cannot be filled: ${messageOf(error)}`, { cause: error });
  }
}

/** The digest over the rows in their new order. */
async function interleave(path: string, positions: ReturnType<typeof createRowPositions>): Promise<string> {
  const hash = createHash("sha256");
  const ordered = `${path}.ordered`;
  const writer = await openLineWriter(ordered, "w");
  try {
    await eachInterleaved(path, positions, (text) => {
      hash.update(text).update("\n");
      return writer.push(text);
    });
    await writer.close();
    await rename(ordered, path);
    return hash.digest("hex");
  } catch (error) {
    await writer.close().catch(() => undefined);
    await rm(ordered, { force: true });
    throw error;
  }
}

function remark(planner: RowPlanner, parameters: CollectParameters, emit: Emit): void {
  const { rerouted, legacyRows, unusedRepeatKeys } = planner.remarks();
  if ((parameters.limit ?? 0) !== 0)
    notice(emit, "row_limit", `only the first ${Math.max(0, parameters.limit ?? 0)} rows of the input are used`);
  if (rerouted.size > 0) {
    notice(
      emit,
      "agent_ref_overridden",
      `rows were given another agent: ${[...rerouted].map(([pair, count]) => `${pair} (${count})`).join(", ")}`,
    );
  }
  if (unusedRepeatKeys.length > 0)
    notice(emit, "unused_num_repeats_entry", `no row uses these num_repeats entries: ${unusedRepeatKeys.join(", ")}`);
  if (legacyRows > 0) notice(emit, "legacy_agent_ref_routing", legacyRoutingText(legacyRows));
}

export function legacyRoutingText(rows: number): string {
  return `${rows} rows are routed by an agent_ref of their own; data sets are meant to name a task_source`;
}
