/** What the simulated model says to a conversation: a tool call, or a text. Pure: the same request and draw give the same reply. */
import { isObject } from "@ng-gym/core/protocol";
import { type AnswerKey, questionKey } from "./answer-key.ts";
import { answerLine, findChoices } from "./choices.ts";
import type { Conversation } from "./conversation.ts";
import type { Draw } from "./draw.ts";
import { valueForSchema } from "./schema-value.ts";

export type Reply = { kind: "text"; text: string } | { kind: "call"; name: string; arguments: string };

export interface FunctionTool {
  name: string;
  parameters: unknown;
}

export interface Question {
  conversation: Conversation;
  tools: FunctionTool[];
  /** `none` forbids calls; an object with a name asks for that tool. */
  toolChoice: unknown;
  /** JSON schema that the answer must fit, if one was asked for. */
  outputSchema: unknown;
}

export interface Mind {
  skill: number;
  toolRounds: number;
  answerKey: AnswerKey;
}

/** Longest part of a question or tool result that an answer quotes. */
const QUOTE_CHARS = 120;

export function think(question: Question, mind: Mind, draw: { call: Draw; question: Draw }): Reply {
  const { conversation } = question;
  if (question.tools.length > 0 && question.toolChoice !== "none" && conversation.toolRounds < mind.toolRounds) {
    return callTool(question, draw.call);
  }
  if (question.outputSchema !== undefined) {
    const value = valueForSchema(question.outputSchema, { draw: draw.call, text: conversation.question });
    return { kind: "text", text: JSON.stringify(value) };
  }
  const choices = findChoices(conversation.question);
  const gold = mind.answerKey.get(questionKey(conversation.question));
  const letters = choices.length > 0 ? choices.map((choice) => choice.letter) : gold === undefined ? [] : [gold, "A", "B", "C", "D"];
  if (letters.length > 0) {
    const letter = chooseLetter([...new Set(letters)], gold, mind.skill, draw);
    const text = choices.find((choice) => choice.letter === letter)?.text;
    return {
      kind: "text",
      text: `${text ? `Option ${letter} fits best: ${text}.` : `Option ${letter} fits best.`}\n\n${answerLine(conversation.question, letter)}`,
    };
  }
  const result = conversation.toolOutputs.at(-1);
  if (result !== undefined) return { kind: "text", text: `The tool says: ${quote(result)}` };
  return { kind: "text", text: `This is a simulated answer to: ${quote(conversation.question)}` };
}

/**
 * The known answer with the probability of `skill`, else one of the others; a guess among all where nothing is known. Questions differ in
 * difficulty: the probability is spread evenly around the skill, by question, as far as 0 and 1 allow, so that the mean over questions is the skill.
 */
function chooseLetter(letters: string[], gold: string | undefined, skill: number, draw: { call: Draw; question: Draw }): string {
  if (gold === undefined) return draw.call.pick("guess", letters);
  const spread = Math.min(skill, 1 - skill);
  const chance = skill + (2 * draw.question.unit("difficulty") - 1) * spread;
  if (draw.call.unit("knows") < chance) return gold;
  const wrong = letters.filter((letter) => letter !== gold);
  return wrong.length > 0 ? draw.call.pick("wrong", wrong) : gold;
}

function callTool({ conversation, tools, toolChoice }: Question, draw: Draw): Reply {
  const asked = isObject(toolChoice)
    ? (toolChoice.name ?? (isObject(toolChoice.function) ? toolChoice.function.name : undefined))
    : undefined;
  const tool = tools.find(({ name }) => name === asked) ?? draw.pick("tool", tools);
  const filled = valueForSchema(tool.parameters ?? { type: "object" }, { draw, text: conversation.question });
  return { kind: "call", name: tool.name, arguments: JSON.stringify(filled) };
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > QUOTE_CHARS ? `${[...line].slice(0, QUOTE_CHARS).join("")}...` : line;
}
