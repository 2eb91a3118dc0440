/**
 * What a collector keeps of a row while its rollout is under way: who it is, and its text on the way out. The row itself, which may hold a long
 * conversation, is let go before the wait begins; tens of thousands of them may be out at once.
 */

import { TextBody } from "../http/index.ts";
import { stringifyJson } from "../json/index.ts";
import { isTaskRow } from "./assign.ts";
import { episodeRequest } from "./episode.ts";
import type { Row } from "./row.ts";

export interface SentRow {
  /** The keys that results and reports need; a task row is still one. */
  identity: Row;
  /** What `/run` is sent, or why the row cannot be sent. */
  body: TextBody | Error;
}

const IDENTITY = [
  "_ng_task_index",
  "_ng_rollout_index",
  "_ng_rollout_id",
  "_ng_attempt_index",
  "_ng_environment_server",
  "agent_ref",
  "task_source",
  "skills_ref",
] as const;

export function sentRow(row: Row): SentRow {
  const identity: Row = {};
  for (const key of IDENTITY) if (row[key] !== undefined) identity[key] = row[key];
  if (isTaskRow(row)) Object.assign(identity, { task_id: row.task_id, task_input: null });
  else if (row.task_input !== undefined) identity.task_input = null;
  return { identity, body: bodyOf(row) };
}

function bodyOf(row: Row): SentRow["body"] {
  try {
    return new TextBody(stringifyJson(isTaskRow(row) ? episodeRequest(row) : row));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
