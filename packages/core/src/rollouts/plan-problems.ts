/** Collects everything that keeps rows from being dispatched, so that all of it is told at once. */
import { GymError } from "../errors/index.ts";
import { LISTED_PROBLEMS } from "./limits.ts";

export interface PlanProblems {
  /** One problem of one line; equal problems are told once with their lines. */
  add(line: number, problem: string, hint?: string): void;
  /** @throws GymError NG_ERR_CONFIG naming every problem and its lines */
  throwIfAny(path: string): void;
}

export function collectProblems(): PlanProblems {
  const lines = new Map<string, { lines: number[]; count: number; hint: string | undefined }>();
  return {
    add(line, problem, hint) {
      const seen = lines.get(problem) ?? { lines: [], count: 0, hint };
      if (seen.count === 0) lines.set(problem, seen);
      seen.count++;
      if (seen.lines.length < LISTED_PROBLEMS) seen.lines.push(line);
    },
    throwIfAny(path) {
      if (lines.size === 0) return;
      const told = [...lines].map(([problem, { lines: at, count }]) => {
        const more = count > at.length ? ` and ${count - at.length} more` : "";
        return `${problem} (line${count > 1 ? "s" : ""} ${at.join(", ")}${more})`;
      });
      const hints = [...new Set([...lines.values()].map(({ hint }) => hint).filter((hint) => hint !== undefined))];
      throw new GymError("NG_ERR_CONFIG", `${path}: ${told.length === 1 ? told[0] : `${told.length} problems:\n  ${told.join("\n  ")}`}`, {
        hint: hints.length > 0 ? hints.join(" ") : undefined,
        details: { path, problems: told },
      });
    },
  };
}
