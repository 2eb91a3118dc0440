/** One input row -> its materialized rows. The order of keys on a row is the order in which they are set here. */

import { messageOf } from "../errors/index.ts";
import { assignAgents, isTaskRow, repeatsFor } from "./assign.ts";
import { taskKey } from "./keys.ts";
import type { CollectParameters } from "./parameters.ts";
import type { PlanProblems } from "./plan-problems.ts";
import type { Routing } from "./routing.ts";
import { agentOf, isRecord, type Row, rolloutIdProblem } from "./row.ts";
import { withSeed } from "./seeds.ts";
import type { SkillsRef } from "./skills.ts";

export interface RowPlanner {
  /** Materialized rows of one input row; problems go to the collector and give no row. */
  expand(row: Row, at: { line: number; taskNumber: () => number }): Row[];
  /** What is worth telling afterwards. */
  remarks(): { rerouted: Map<string, number>; legacyRows: number; unusedRepeatKeys: string[]; servers: Set<string> };
}

export interface RowPlannerOptions {
  parameters: CollectParameters;
  skills: SkillsRef | undefined;
  /** Absent: task sources stay unresolved and names unchecked (rows are only being rendered). */
  routing: Routing | undefined;
  problems: PlanProblems;
}

const NO_AGENT = "no agent: the row has neither agent_ref nor task_source";
const NO_AGENT_HINT = "Give --agent (agent_name), or agent_map with a _default entry.";

export function createRowPlanner(options: RowPlannerOptions): RowPlanner {
  const { parameters, routing, problems } = options;
  const nextRollout = new Map<number | string, number>();
  const usedRepeatKeys = new Set<string>();
  const rerouted = new Map<string, number>();
  const servers = new Set<string>();
  let legacyRows = 0;

  function expand(input: Row, at: { line: number; taskNumber: () => number }): Row[] {
    const idProblem = rolloutIdProblem(input);
    if (idProblem !== undefined) problems.add(at.line, idProblem);
    const row: Row = { ...input };
    const targets = isTaskRow(row) ? taskTargets(row, at.line) : flatTargets(row, at.line);
    if (targets === undefined) return [];
    if (!Object.hasOwn(row, "_ng_task_index")) row._ng_task_index = at.taskNumber();
    const out: Row[] = [];
    for (const target of targets) {
      const repeats = repeatsFor(target.repeatKeys, parameters, usedRepeatKeys);
      if (repeats === undefined) {
        problems.add(
          at.line,
          `num_repeats has no entry for '${target.repeatKeys.join(" / ")}' and no _default`,
          "Add the entry or a _default.",
        );
        continue;
      }
      const copy: Row = { ...row };
      if (target.server !== undefined) copy._ng_environment_server = target.server;
      if (target.agent !== undefined && agentOf(copy) !== target.agent) copy.agent_ref = { name: target.agent };
      for (let repeat = 0; repeat < repeats; repeat++) {
        const made = repeated(copy, at.line);
        if (made !== undefined) out.push(made);
      }
    }
    return out;
  }

  function repeated(copy: Row, line: number): Row | undefined {
    const task = taskKey(copy._ng_task_index);
    const rollout = nextRollout.get(task) ?? 0;
    nextRollout.set(task, rollout + 1);
    const row: Row = { ...copy, _ng_rollout_index: rollout };
    if (parameters.num_repeats_add_seed) {
      try {
        row.responses_create_params = withSeed(row.responses_create_params as Row, rollout);
      } catch (error) {
        problems.add(line, messageOf(error));
        return undefined;
      }
    }
    if (routing !== undefined) resolve(row, line, routing);
    return row;
  }

  /** The last step before a row is written: its agent from its task source, and a server that can be reached. */
  function resolve(row: Row, line: number, through: Routing): void {
    if (agentOf(row) === undefined && row._ng_environment_server === undefined) {
      const agent = through.agentOfSource(String(row.task_source));
      if (!agent.ok) {
        problems.add(line, agent.problem);
        return;
      }
      row.agent_ref = { name: agent.name };
    }
    const server = through.serverOfRow(row);
    if (server.ok) servers.add(server.name);
    else problems.add(line, server.problem);
  }

  function taskTargets(row: Row, line: number): Target[] | undefined {
    const taskset = (row.task_id as Row).taskset;
    const server =
      typeof taskset === "string" && Object.hasOwn(parameters.environment_server_routes, taskset)
        ? parameters.environment_server_routes[taskset]
        : undefined;
    const refusals = [
      server === undefined ? `no entry of environment_server_routes for taskset ${JSON.stringify(taskset)}` : undefined,
      Object.keys(parameters.responses_create_params).length > 0
        ? "responses_create_params overrides cannot be applied to a task row"
        : undefined,
      parameters.num_repeats_add_seed ? "num_repeats_add_seed cannot be applied to a task row" : undefined,
      options.skills !== undefined ? "skills cannot be applied to a task row" : undefined,
    ].filter((problem) => problem !== undefined);
    for (const problem of refusals) problems.add(line, problem);
    return refusals.length > 0 ? undefined : [{ server, agent: undefined, repeatKeys: typeof taskset === "string" ? [taskset] : [] }];
  }

  function flatTargets(row: Row, line: number): Target[] | undefined {
    if (parameters.environment_routing_mode === "taskset") {
      problems.add(
        line,
        "taskset routing needs rows with task_id.taskset and task_input",
        "Use another environment_routing_mode for flat rows.",
      );
      return undefined;
    }
    const isLegacy = parameters.environment_routing_mode === "legacy";
    const before = agentOf(row);
    const targets: Target[] = isLegacy
      ? [
          {
            server: parameters.environment_server_name as string,
            agent: undefined,
            repeatKeys: [before, row.task_source].filter((key) => typeof key === "string"),
          },
        ]
      : assignAgents(row, parameters).map((assignment) => ({ ...assignment, server: undefined }));
    if (targets.length === 0) {
      problems.add(line, NO_AGENT, NO_AGENT_HINT);
      return undefined;
    }
    // A row with one target names it from here on; copies of a fan-out get their agent when they are made.
    const [only] = targets;
    if (targets.length === 1 && only?.agent !== undefined && only.agent !== before) {
      if (before !== undefined) countUp(rerouted, `${before} -> ${only.agent}`);
      row.agent_ref = { name: only.agent };
    }
    if (routing !== undefined && !isLegacy && agentOf(row) !== undefined && row.task_source === undefined) legacyRows++;
    if (!isRecord(row.responses_create_params)) {
      const got = row.responses_create_params;
      problems.add(
        line,
        got === undefined
          ? "responses_create_params is missing"
          : `responses_create_params must be a map, got ${got === null ? "null" : typeof got}`,
      );
      return undefined;
    }
    row.responses_create_params = { ...row.responses_create_params, ...parameters.responses_create_params };
    if (options.skills !== undefined) row.skills_ref = options.skills;
    return targets;
  }

  return {
    expand,
    remarks: () => ({
      rerouted,
      legacyRows,
      servers,
      unusedRepeatKeys:
        typeof parameters.num_repeats === "number"
          ? []
          : Object.keys(parameters.num_repeats).filter((key) => key !== "_default" && !usedRepeatKeys.has(key)),
    }),
  };
}

interface Target {
  server: string | undefined;
  agent: string | undefined;
  repeatKeys: string[];
}

function countUp(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
