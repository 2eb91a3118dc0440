/** How an episode ends whose result is a row: rows have keys of the collector, which an episode's result may not have, and tell failures by them. */
import { type EpisodeAnswer, type EpisodeStage, episodeFailure, isCollectorKey, ROW_KEYS } from "../../protocol/index.ts";

export type EpisodeEnd = Pick<EpisodeAnswer, "result" | "failure">;

/** `stage`: where the row came from. A row with a failure class is no result, whatever reward it brings. */
export function endOfRow(row: Record<string, unknown>, stage: EpisodeStage): EpisodeEnd {
  const failureClass = row[ROW_KEYS.failureClass];
  if (failureClass === undefined || failureClass === null)
    return { result: Object.fromEntries(Object.entries(row).filter(([key]) => !isCollectorKey(key))), failure: null };
  const { failure_kind: kind, failure_reason: reason, response } = row;
  const failure = episodeFailure({
    failure_reason: String(row[ROW_KEYS.failureMessage] ?? reason ?? row[ROW_KEYS.failureJudgeError] ?? failureClass),
    terminal: row[ROW_KEYS.failureTerminal] === true,
    stage,
    partial_response: response,
    ...(typeof kind === "string" ? { failure_kind: kind } : {}),
  });
  return { result: null, failure };
}
