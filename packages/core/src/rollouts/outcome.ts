/** What became of a row: exactly one of completed, failed, unresolved. A bad rollout is data; nothing here throws for what a server did. */

import { isGymError, messageOf } from "../errors/index.ts";
import { type FailureFacts, failureFacts, type Reply } from "../http/index.ts";
import { isTaskRow } from "./assign.ts";
import { episodeRecord } from "./episode.ts";
import { contractCause, errorCause, type FailureCause, failureRow, statusCause } from "./failure-row.ts";
import type { EnvironmentServer } from "./routing.ts";
import { isMasked, isRecord, isTruthy, type Row } from "./row.ts";
import { stamped } from "./stamp.ts";

export type Outcome =
  /** A line of the main file. `reward` is undefined for a masked row or an episode without a score. */
  | { kind: "completed"; row: Row; reward: number | undefined; masked: boolean }
  /** A line of the sidecar. `cause` is absent where the server itself put the class on its answer; `innerStatus`: what the hop that broke was answered, if it said so. */
  | { kind: "failed"; row: Row; failureClass: string; cause: FailureCause | undefined; innerStatus?: number }
  /** No line: the next resume runs the row. */
  | { kind: "unresolved"; reason: "cancelled" | "not_persisted" | "drained" };

export function outcomeOfReply(reply: Reply, row: Row, server: EnvironmentServer): Outcome {
  if (reply.status < 200 || reply.status > 299) return failed(statusCause(reply, server.name), row, server);
  let value: unknown;
  try {
    value = reply.json();
  } catch (error) {
    return failed({ ...errorCause(error, server.name), failureClass: "agent_run_error", status: reply.status }, row, server);
  }
  let record: Row;
  if (isTaskRow(row)) {
    try {
      record = episodeRecord(value);
    } catch (error) {
      return failed(contractCause(`an episode that breaks its contract: ${messageOf(error)}`, server.name, reply.text()), row, server);
    }
  } else if (isRecord(value)) {
    record = value;
  } else {
    return failed(
      contractCause(
        `${Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`} instead of an object`,
        server.name,
        reply.text(),
      ),
      row,
      server,
    );
  }
  const facts = isFailed(record) ? failureFacts(reply.headers) : undefined;
  const outcome = outcomeOfRecord(withFacts(record, facts), { row, server, body: () => reply.text() });
  return outcome.kind === "failed" && facts?.status !== undefined ? { ...outcome, innerStatus: facts.status } : outcome;
}

/** A failure that an environment server answers with status 200 has its facts in headers, as every failed call of ours. What the record says wins. */
function withFacts(record: Row, facts: FailureFacts | undefined): Row {
  if (facts === undefined) return record;
  return {
    ...record,
    failure_kind: record.failure_kind ?? facts.failure_kind,
    _ng_failure_boundary: record._ng_failure_boundary ?? facts.boundary,
    _ng_failure_attempts: record._ng_failure_attempts ?? facts.attempts ?? 1,
  };
}

function isFailed(record: Row): boolean {
  return record._ng_failure_class !== undefined && record._ng_failure_class !== null;
}

function outcomeOfRecord(record: Row, { row, server, body }: { row: Row; server: EnvironmentServer; body: () => string }): Outcome {
  if (isTruthy(record._ng_no_persist)) return { kind: "unresolved", reason: "not_persisted" };
  if (isFailed(record)) {
    return { kind: "failed", row: stamped(record, row, server), failureClass: String(record._ng_failure_class), cause: undefined };
  }
  const masked = isMasked(record);
  const problem = masked || (isTaskRow(row) && record.reward === undefined) ? undefined : rewardProblem(record);
  if (problem !== undefined) return failed(contractCause(problem, server.name, body()), row, server);
  return { kind: "completed", row: stamped(record, row, server), reward: masked ? undefined : rewardOf(record), masked };
}

export function outcomeOfError(error: unknown, context: { row: Row; server: EnvironmentServer; stopped: boolean }): Outcome {
  if (context.stopped || isGymError(error, "NG_ERR_CANCELLED")) return { kind: "unresolved", reason: "cancelled" };
  return failed(atHome(errorCause(error, context.server.name), context.server), context.row, context.server);
}

/** An environment server has no process of its own: who looks for a dead one must look for its agent. */
function atHome(cause: FailureCause, { name, agent }: EnvironmentServer): FailureCause {
  const gone = cause.kind === "transport_peer_drop" || cause.kind === "transport_unreachable";
  if (!gone || cause.boundary !== name || agent === undefined) return cause;
  return { ...cause, message: `${cause.message} (${name} lives in the process of ${agent}, which may have ended)` };
}

function failed(cause: FailureCause, row: Row, server: EnvironmentServer): Outcome {
  return { kind: "failed", row: stamped(failureRow(cause), row, server), failureClass: cause.failureClass, cause };
}

/** The reward as a number (a truth value counts as 1 or 0), undefined where the row has none that can be used. */
export function rewardOf(record: Row): number | undefined {
  if (typeof record.reward === "boolean") return Number(record.reward);
  return typeof record.reward === "number" && Number.isFinite(record.reward) ? record.reward : undefined;
}

function rewardProblem(record: Row): string | undefined {
  if (rewardOf(record) !== undefined) return undefined;
  const { reward } = record;
  if (reward === undefined) return "no reward";
  if (reward === null) return "a null reward";
  return typeof reward === "number"
    ? `a reward that is not finite (${reward})`
    : `a reward that is a ${Array.isArray(reward) ? "list" : typeof reward}`;
}
