/**
 * Starts rows in their order, at most `slots` at once, and hands each outcome on. A slot is free again when `settle` has returned, that is when the row's
 * line is on disk: a slow disk slows dispatch and nothing piles up. Stops on abort: nothing new starts, calls in flight are cancelled and end as unresolved.
 */
import { setMaxListeners } from "node:events";
import { messageOf } from "../errors/index.ts";
import type { ServerClient } from "../http/index.ts";
import { isTaskRow } from "./assign.ts";
import { type Budget, isDrained, type Latencies } from "./budget.ts";
import { episodeRequest } from "./episode.ts";
import { contractCause, failureRow } from "./failure-row.ts";
import { type Outcome, outcomeOfError, outcomeOfReply } from "./outcome.ts";
import type { EnvironmentServer } from "./routing.ts";
import type { Row } from "./row.ts";
import { stamped } from "./stamp.ts";

export interface Flights {
  readonly count: number;
  /** Start of the one that is out longest. */
  oldestStart(): number | undefined;
}

export interface DispatchOptions {
  rows: AsyncIterable<Row>;
  client: ServerClient;
  serverOf: (row: Row) => EnvironmentServer;
  slots: number;
  signal: AbortSignal;
  now: () => number;
  budget?: Budget;
  latencies: Latencies;
  /** Persists an outcome. What it throws ends the run and is thrown by `dispatch`. */
  settle: (outcome: Outcome, row: Row) => Promise<void>;
  onFlights?: (flights: Flights) => void;
}

/** @throws what reading rows or `settle` throws, once nothing is in flight any more */
export async function dispatch(options: DispatchOptions): Promise<void> {
  const { now, latencies } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  setMaxListeners(0, signal);
  const flights = new Set<{ start: number }>();
  const began = now();
  let wake: (() => void) | undefined;
  let broken: { error: unknown } | undefined;
  options.onFlights?.({
    get count() {
      return flights.size;
    },
    oldestStart: () => flights.values().next().value?.start,
  });

  async function fly(row: Row): Promise<void> {
    const flight = { start: now() };
    flights.add(flight);
    try {
      const outcome = await runRow(row, { client: options.client, server: options.serverOf(row), signal });
      if (outcome.kind !== "unresolved") latencies.add((now() - flight.start) / 1000);
      await options.settle(outcome, row);
    } catch (error) {
      broken ??= { error };
      stop.abort();
    } finally {
      flights.delete(flight);
      wake?.();
    }
  }

  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const onAbort = () => wake?.();
  signal.addEventListener("abort", onAbort);
  try {
    for await (const row of options.rows) {
      while (flights.size >= options.slots && !signal.aborted) await change();
      if (signal.aborted) break;
      if (options.budget !== undefined && isDrained(options.budget, (now() - began) / 1000, latencies))
        await options.settle({ kind: "unresolved", reason: "drained" }, row);
      else void fly(row);
    }
  } catch (error) {
    broken ??= { error };
    stop.abort();
  }
  while (flights.size > 0) await change();
  signal.removeEventListener("abort", onAbort);
  if (broken !== undefined) throw broken.error;
}

async function runRow(row: Row, to: { client: ServerClient; server: EnvironmentServer; signal: AbortSignal }): Promise<Outcome> {
  const { server, signal } = to;
  let body: Row;
  try {
    body = isTaskRow(row) ? episodeRequest(row) : row;
  } catch (error) {
    const cause = {
      ...contractCause("", server.name, ""),
      failureClass: "agent_request_failed",
      kind: "agent_request_failed",
      message: messageOf(error),
      status: null,
    };
    return { kind: "failed", row: stamped(failureRow(cause), row, server), failureClass: cause.failureClass, cause };
  }
  try {
    const reply = await to.client.call(server.name, { kind: "run", path: "/run", body, signal });
    return outcomeOfReply(reply, row, server);
  } catch (error) {
    return outcomeOfError(error, { row, server, stopped: signal.aborted });
  }
}
