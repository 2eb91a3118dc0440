/** What a schema refuses of a server's block, as one `place: sentence` line an issue: the start, the dry run and the validation all say it alike. */
import type { z } from "zod";
import { GymError } from "../errors/index.ts";

export interface BlockPlace {
  name: string;
  type: string;
  implementation: string;
  block: Record<string, unknown>;
}

export interface BlockIssue {
  /** Keys and indexes inside the block. */
  path: (string | number)[];
  message: string;
}

/** Empty for a block that the schema takes. */
export function blockIssues(schema: z.ZodType, block: Record<string, unknown>): BlockIssue[] {
  const { error } = schema.safeParse(block);
  return (error?.issues ?? []).map((issue) => ({
    path: issue.path.map((step) => (typeof step === "number" ? step : String(step))),
    message: sentenceOf(issue),
  }));
}

export function blockLines({ name, type, implementation }: BlockPlace, issues: readonly BlockIssue[]): string[] {
  return issues.map(({ path, message }) => `${[name, type, implementation, ...path].join(".")}: ${message}`);
}

/** The block as its schema gives it. @throws GymError NG_ERR_CONFIG with a line for each issue. */
export function parseBlock(schema: z.ZodType, place: BlockPlace): unknown {
  const parsed = schema.safeParse(place.block);
  if (parsed.success) return parsed.data;
  const lines = blockLines(place, blockIssues(schema, place.block)).map((line) => `  ${line}`);
  const what = `the block of ${place.name} is not what ${place.type}/${place.implementation} takes`;
  throw new GymError("NG_ERR_CONFIG", `${what}:\n${lines.join("\n")}`);
}

/** What Zod says of a union that takes none of its kinds and has no message of its own. */
const BARE_UNION = "Invalid input";

function sentenceOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== "invalid_union" || issue.message !== BARE_UNION || issue.errors.length === 0) return issue.message;
  return [...new Set(issue.errors.flatMap((branch) => branch.map(sentenceOf)))].join(", or ");
}
