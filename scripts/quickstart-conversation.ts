/** Prints rollouts as conversations: who said what, which tools were called, what the verifier found. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

interface Item {
  type?: string;
  role?: string;
  content?: string | { text?: string }[];
  name?: string;
  arguments?: string;
  output?: string;
}

interface Rollout {
  _ng_task_index: number;
  _ng_rollout_index: number;
  reward: number;
  expected_answer?: string;
  extracted_answer?: string | null;
  responses_create_params: { input: string | Item[] };
  response: { output: Item[] };
}

/** The first rollout with the highest reward seen and the first with the lowest. */
export async function showConversations(path: string, say: (line: string) => void): Promise<void> {
  let best: Rollout | undefined;
  let worst: Rollout | undefined;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const rollout = JSON.parse(line) as Rollout;
    if (best === undefined || rollout.reward > best.reward) best = rollout;
    if (worst === undefined || rollout.reward < worst.reward) worst = rollout;
  }
  for (const rollout of best === worst ? [best] : [best, worst]) if (rollout) showOne(rollout, say);
}

function showOne(rollout: Rollout, say: (line: string) => void): void {
  say(`\n--- task ${rollout._ng_task_index}, rollout ${rollout._ng_rollout_index} ${"-".repeat(48)}`);
  const { input } = rollout.responses_create_params;
  const turns: Item[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
  for (const item of [...turns, ...rollout.response.output]) for (const line of turn(item)) say(line);
  const found =
    rollout.extracted_answer === undefined ? "" : `; expected ${rollout.expected_answer}, found ${rollout.extracted_answer ?? "no answer"}`;
  say(`   verifier: reward ${rollout.reward}${found}`);
}

function turn(item: Item): string[] {
  if (item.type === "function_call") return labelled("calls", `${item.name}(${item.arguments})`);
  if (item.type === "function_call_output") return labelled("tool", item.output ?? "");
  const text = typeof item.content === "string" ? item.content : (item.content ?? []).map((part) => part.text ?? "").join("");
  return text === "" ? [] : labelled(item.role ?? item.type ?? "item", text);
}

function labelled(who: string, text: string): string[] {
  return text.split("\n").map((line, index) => `${(index === 0 ? `${who}:` : "").padStart(12)} ${line}`);
}
