/** Reads what the simulated model knows, once at start, from JSONL rows as they are sent to a model. */
import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { candidatePaths } from "@ng-gym/core/config";
import { GymError, messageOf } from "@ng-gym/core/errors";
import { type AnswerKey, questionKey } from "./answer-key.ts";
import { conversationText } from "./conversation.ts";

/** Most questions that are kept; a longer file is an error, not a slow leak. */
export const MAX_KNOWN_QUESTIONS = 1_000_000;

/**
 * Reads the files one after the other; a later row about the same question wins. Rows without an answer are passed over.
 * @throws GymError NG_ERR_FILE for a file that is in no search root, NG_ERR_DATA with file and line for a line that is no JSON object.
 */
export async function readAnswerKey(paths: readonly string[]): Promise<AnswerKey> {
  const key = new Map<string, string>();
  for (const path of paths) await readFile(locate(path), key);
  return key;
}

function locate(path: string): string {
  const candidates = candidatePaths(path, { cwd: process.cwd(), env: process.env });
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found === undefined) {
    throw new GymError("NG_ERR_FILE", `simulated_model: answer_key names ${path}, which does not exist`, {
      hint: `Looked in ${candidates.join(", ")}. Give a path from the working folder, or leave answer_key out: then every answer is a guess.`,
    });
  }
  return found;
}

async function readFile(file: string, key: Map<string, string>): Promise<void> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.trim() === "") continue;
    const row = parseRow(line, `${file}:${number}`);
    const question = conversationText(row.responses_create_params?.input).question;
    if (typeof row.expected_answer !== "string" || question === "") continue;
    if (key.size >= MAX_KNOWN_QUESTIONS)
      throw new GymError("NG_ERR_DATA", `${file}:${number}: more than MAX_KNOWN_QUESTIONS (${MAX_KNOWN_QUESTIONS}) rows in answer_key`);
    key.set(questionKey(question), row.expected_answer.trim().toUpperCase());
  }
}

interface KeyRow {
  responses_create_params?: { input?: unknown };
  expected_answer?: unknown;
}

function parseRow(line: string, place: string): KeyRow {
  try {
    const row: unknown = JSON.parse(line);
    if (typeof row === "object" && row !== null && !Array.isArray(row)) return row;
  } catch (cause) {
    throw new GymError("NG_ERR_DATA", `${place}: not JSON: ${messageOf(cause)}`, { cause });
  }
  throw new GymError("NG_ERR_DATA", `${place}: expected a JSON object`);
}
