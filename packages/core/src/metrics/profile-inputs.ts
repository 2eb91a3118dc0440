/** What a reward profile keeps of an input row, and under which name it is reported. */
import { type AgentLabelRunner, agentLabels } from "./agent-labels.ts";
import { ENVIRONMENT_SERVER, isMap } from "./row-fields.ts";
import type { Id, Row } from "./types.ts";

export interface ProfileInput<Ref> {
  task: Id;
  /** Text of the runner: inputs with the same server and agent share it. */
  runner: string;
  ref: Ref;
}

export interface InputLabels {
  /** Text of a runner -> agent label, undefined where the row names neither server nor agent. */
  labels: Map<string, string | undefined>;
  /** Some task is run under more than one label. */
  fanOut: boolean;
}

export function readRunner(row: Row): string {
  const agent = isMap(row.agent_ref) ? row.agent_ref.name : undefined;
  return JSON.stringify([textOrNull(row[ENVIRONMENT_SERVER]), textOrNull(agent)]);
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function labelInputs(inputs: Iterable<ProfileInput<unknown>>): InputLabels {
  const labelsOfTask = new Map<Id, string>();
  const runners = new Set<string>();
  const severalRunners = new Map<Id, Set<string>>();
  for (const { task, runner } of inputs) {
    runners.add(runner);
    const first = labelsOfTask.get(task);
    if (first === undefined) labelsOfTask.set(task, runner);
    else if (first !== runner) severalRunners.set(task, (severalRunners.get(task) ?? new Set([first])).add(runner));
  }
  const texts = [...runners];
  const found = agentLabels(texts.map(parseRunner));
  const labels = new Map(texts.map((text, index) => [text, found[index]]));
  const fanOut = [...severalRunners.values()].some((own) => new Set([...own].map((runner) => labels.get(runner))).size > 1);
  return { labels, fanOut };
}

function parseRunner(text: string): AgentLabelRunner {
  const [environmentServer, agent] = JSON.parse(text) as [string | null, string | null];
  return { environmentServer: environmentServer ?? undefined, agent: agent ?? undefined };
}
