/** Prompt templates: a YAML file with `user` and optionally `system`, filled from a row's top-level fields into `responses_create_params.input`. */

import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { GymError, messageOf } from "../errors/index.ts";
import { fileError } from "../jsonl/index.ts";
import { formatTemplate } from "./python-format.ts";
import { isRecord, isTruthy, type Row } from "./row.ts";

export interface PromptTemplate {
  path: string;
  user: string;
  system: string | null;
}

/** @throws GymError NG_ERR_FILE, NG_ERR_CONFIG_SYNTAX, NG_ERR_CONFIG */
export async function loadPrompt(path: string): Promise<PromptTemplate> {
  let source: string;
  try {
    source = await readFile(path, "utf8");
  } catch (error) {
    throw fileError(path, "read", error);
  }
  let value: unknown;
  try {
    value = parse(source, { version: "1.1" });
  } catch (error) {
    throw new GymError("NG_ERR_CONFIG_SYNTAX", `${path} is not YAML: ${messageOf(error)}`, { cause: error });
  }
  const template = isRecord(value) ? value : {};
  const { user, system = null } = template;
  if (typeof user !== "string")
    throw new GymError("NG_ERR_CONFIG", `${path}: a prompt needs 'user', a text; got ${JSON.stringify(user) ?? "nothing"}`);
  if (system !== null && typeof system !== "string")
    throw new GymError("NG_ERR_CONFIG", `${path}: 'system' must be a text; got ${JSON.stringify(system)}`);
  return { path, user, system };
}

/** Whether a row already has an input, which a prompt would overwrite. */
export function hasInput(row: Row): boolean {
  return isRecord(row.responses_create_params) && isTruthy(row.responses_create_params.input);
}

/**
 * A copy of the row with the filled input; params that are absent, null or no map are replaced.
 * `fields` are the row's values with Python's number kinds (`parsePython` of the same line).
 * @throws Error, see formatTemplate
 */
export function fillPrompt(template: PromptTemplate, row: Row, fields: Row = row): Row {
  const input = [];
  if (template.system !== null) input.push({ role: "system", content: formatTemplate(template.system, fields) });
  input.push({ role: "user", content: formatTemplate(template.user, fields) });
  const params = isRecord(row.responses_create_params) ? row.responses_create_params : {};
  return { ...row, responses_create_params: { ...params, input } };
}
