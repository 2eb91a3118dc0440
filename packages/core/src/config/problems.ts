/**
 * Everything that is wrong with a configuration, collected so that it can be told at once: each problem with its place, the line and a
 * caret, what was expected and got, and what to write instead. The text is free of secrets.
 */
import { type ErrorCode, GymError } from "../protocol/index.ts";
import { MAX_PRINTED_PROBLEMS } from "./limits.ts";
import { maskLine, maskText } from "./secrets.ts";
import { lineOf, type Origin, placeOf } from "./source.ts";

export interface Problem {
  code: ErrorCode;
  message: string;
  /** Dotted path of the value, where it has one. */
  key?: string;
  /** File path, or `command line: <token>` and the like. */
  source?: string;
  line?: number;
  column?: number;
  /** The line, masked, and below it a caret. */
  excerpt?: string;
  expected?: string;
  got?: string;
  suggestion?: string;
  /** What to write instead, or what to run. */
  fix?: string;
}

export interface ProblemInput extends Omit<Problem, "source" | "line" | "column" | "excerpt" | "code"> {
  code?: ErrorCode;
  at?: Origin | undefined;
}

/** Characters of the line that an excerpt shows around its caret. */
const EXCERPT_WIDTH = 120;

export class Problems {
  readonly list: Problem[] = [];

  add(input: ProblemInput): void {
    const { at, code = "NG_ERR_CONFIG", ...rest } = input;
    const problem: Problem = { code, ...stripUndefined(rest), message: maskText(input.message) };
    if (at !== undefined) Object.assign(problem, placed(at));
    const same = this.list.some((other) => other.message === problem.message && other.key === problem.key && other.line === problem.line && other.source === problem.source);
    if (!same) this.list.push(problem);
  }

  get any(): boolean {
    return this.list.length > 0;
  }

  /** Throws one `GymError` with all problems, in the order of files and lines; its code is theirs if they share one, else NG_ERR_CONFIG. */
  throwIfAny(): void {
    if (this.any) throw problemsError(this.list);
  }
}

export function problemsError(list: readonly Problem[]): GymError {
  const [first] = list;
  const code = first !== undefined && list.every((problem) => problem.code === first.code) ? first.code : "NG_ERR_CONFIG";
  const printed = list.slice(0, MAX_PRINTED_PROBLEMS).map((problem, index) => renderProblem(problem, list.length > 1 ? `${index + 1}. ` : ""));
  if (list.length > printed.length) printed.push(`... and ${list.length - printed.length} more`);
  const head = list.length > 1 ? `${list.length} problems in the configuration:\n\n` : "";
  return new GymError(code, head + printed.join("\n\n"), { details: { problems: list } });
}

/** A problem as a person reads it: one block of lines. */
export function renderProblem(problem: Problem, label = ""): string {
  const lines = [`${label}${problem.message}`];
  if (problem.source !== undefined) lines.push(`  --> ${problem.source}${problem.line === undefined ? "" : `:${problem.line}:${problem.column}`}`);
  if (problem.excerpt !== undefined) lines.push(...problem.excerpt.split("\n").map((line) => `    ${line}`));
  if (problem.expected !== undefined) lines.push(`  expected: ${problem.expected}`);
  if (problem.got !== undefined) lines.push(`  got: ${problem.got}`);
  if (problem.suggestion !== undefined) lines.push(`  ${problem.suggestion}`);
  if (problem.fix !== undefined) lines.push(`  fix: ${problem.fix}`);
  return lines.join("\n");
}

function placed(at: Origin): Pick<Problem, "source" | "line" | "column" | "excerpt"> {
  const { source } = at;
  if (source.text === "") return { source: source.name };
  const excerpt = excerptOf(at);
  if (source.kind === "override") return { source: source.name, excerpt };
  return { source: source.name, ...placeOf(at), excerpt };
}

function excerptOf(at: Origin): string {
  const whole = lineOf(at);
  const column = placeOf(at).column - 1;
  // The part before the caret is masked on its own, so that the caret stays under its character.
  const before = maskLine(whole.slice(0, column));
  const masked = maskLine(whole);
  const line = masked.startsWith(before) ? masked : before;
  const start = Math.max(0, before.length - EXCERPT_WIDTH / 2);
  const shown = line.slice(start, start + EXCERPT_WIDTH).replace(/\t/g, " ");
  const lead = start > 0 ? "..." : "";
  return `${lead}${shown}${line.length > start + EXCERPT_WIDTH ? "..." : ""}\n${" ".repeat(lead.length + before.length - start)}^`;
}

function stripUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;
}
