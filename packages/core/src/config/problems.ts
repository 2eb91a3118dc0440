/**
 * Everything that is wrong with a configuration, collected so that it can be told at once: each problem with its place, the line and a
 * caret, what was expected and got, and what to write instead. The text is free of secrets, and hostile input cannot make it large.
 */
import { type ErrorCode, GymError } from "../errors/index.ts";
import { excerptOf } from "./excerpt.ts";
import { MAX_PRINTED_PROBLEMS, MAX_PROBLEMS } from "./limits.ts";
import { isSecretKey, maskText } from "./secrets.ts";
import { type Origin, placeOf } from "./source.ts";
import { didYouMean } from "./suggest.ts";

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

export interface ProblemInput extends Omit<Problem, "source" | "line" | "column" | "excerpt" | "code" | "suggestion"> {
  code?: ErrorCode;
  at?: Origin | undefined;
  suggestion?: string | undefined;
}

/** Longest text of one part of a problem. */
const MAX_PART_LENGTH = 4_000;

export class Problems {
  readonly list: Problem[] = [];
  /** Problems past the limit, counted only. */
  more = 0;
  private readonly seen = new Set<string>();

  add(input: ProblemInput): void {
    const { at, code = "NG_ERR_CONFIG", ...rest } = input;
    const identity = `${rest.key ?? ""}\n${rest.message}\n${at?.offset ?? ""}\n${at?.source.name ?? ""}`;
    if (this.seen.has(identity)) return;
    this.seen.add(identity);
    if (this.list.length >= MAX_PROBLEMS) {
      this.more++;
      return;
    }
    const problem: Problem = { code, ...maskAll(rest), message: maskText(input.message).slice(0, MAX_PART_LENGTH) };
    if (at !== undefined) Object.assign(problem, placed(at, rest.key ?? "", this.list.length < MAX_PRINTED_PROBLEMS));
    this.list.push(problem);
  }

  /** Takes over what another step found. */
  addAll(other: Problems): void {
    for (const problem of other.list) if (this.list.length < MAX_PROBLEMS) this.list.push(problem);
    this.more += other.more;
  }

  /** `Did you mean 'x'?`, for problems that will be printed: comparing names takes time. */
  suggestion(name: string, names: () => Iterable<string>): string | undefined {
    return this.list.length < MAX_PRINTED_PROBLEMS ? didYouMean(name, names()) : undefined;
  }

  get any(): boolean {
    return this.list.length > 0;
  }

  /** Throws one `GymError` with all problems; its code is theirs if they share one, else NG_ERR_CONFIG. */
  throwIfAny(): void {
    if (this.any) throw problemsError(this.list, this.more);
  }
}

export function problemsError(list: readonly Problem[], more = 0): GymError {
  const [first] = list;
  const code = first !== undefined && list.every((problem) => problem.code === first.code) ? first.code : "NG_ERR_CONFIG";
  const total = list.length + more;
  const printed = list.slice(0, MAX_PRINTED_PROBLEMS).map((problem, index) => renderProblem(problem, total > 1 ? `${index + 1}. ` : ""));
  if (total > printed.length) printed.push(`... and ${total - printed.length} more`);
  const head = total > 1 ? `${total} problems in the configuration:\n\n` : "";
  return new GymError(code, head + printed.join("\n\n"), { details: { problems: list } });
}

/** A problem as a person reads it: one block of lines. */
export function renderProblem(problem: Problem, label = ""): string {
  const lines = [`${label}${problem.message}`];
  if (problem.source !== undefined) {
    lines.push(`  --> ${problem.source}${problem.line === undefined ? "" : `:${problem.line}:${problem.column}`}`);
  }
  if (problem.excerpt !== undefined) lines.push(...problem.excerpt.split("\n").map((line) => `    ${line}`));
  if (problem.expected !== undefined) lines.push(`  expected: ${problem.expected}`);
  if (problem.got !== undefined) lines.push(`  got: ${problem.got}`);
  if (problem.suggestion !== undefined) lines.push(`  ${problem.suggestion}`);
  if (problem.fix !== undefined) lines.push(`  fix: ${problem.fix}`);
  return lines.join("\n");
}

function placed(at: Origin, key: string, withExcerpt: boolean): Pick<Problem, "source" | "line" | "column" | "excerpt"> {
  const { source } = at;
  if (source.text === "") return { source: source.name };
  const secret = key.split(/[.[]/).some(isSecretKey);
  const excerpt = withExcerpt ? { excerpt: excerptOf(at, secret) } : {};
  return source.kind === "override" ? { source: source.name, ...excerpt } : { source: source.name, ...placeOf(at), ...excerpt };
}

/** Present texts, masked and of bounded length. */
function maskAll<T extends object>(value: T): T {
  const present = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(present.map(([key, item]) => [key, maskText(String(item).slice(0, MAX_PART_LENGTH))])) as T;
}
