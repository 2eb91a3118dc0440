/**
 * Starts rows in their order, at most `slots` at once, and hands each outcome on. A slot is free again when `settle` has returned, that is when the row's
 * line is on disk: a slow disk slows dispatch and nothing piles up. Stops on abort: nothing new starts, calls in flight are cancelled and end as unresolved.
 */
import { setImmediate as turn } from "node:timers/promises";
import { type GymError, messageOf } from "../errors/index.ts";
import type { ServerClient } from "../http/index.ts";
import { captureKey } from "../protocol/index.ts";
import { newCall, withCall } from "../telemetry/index.ts";
import { type Budget, isDrained, type Latencies } from "./budget.ts";
import { contractCause, failureRow } from "./failure-row.ts";
import { DISPATCH_BURST, SERVER_ABSENCE_MS } from "./limits.ts";
import { type Outcome, outcomeOfError, outcomeOfReply } from "./outcome.ts";
import type { EnvironmentServer } from "./routing.ts";
import type { Row } from "./row.ts";
import type { RunWatch } from "./run-watch.ts";
import { type SentRow, sentRow } from "./sent-row.ts";
import { stamped } from "./stamp.ts";

/** A row that was sent and has no outcome yet. */
export interface Flight {
  readonly start: number;
  /** As logs and traces name it. */
  readonly rollout: string | undefined;
  readonly server: string;
  /** A signal of its own: one that tens of thousands listen to would look through all of them with each that is added. */
  readonly stop: AbortController;
}

export interface Flights {
  readonly count: number;
  /** Those that are out longest, at most `count` of them. */
  oldest(count: number): Flight[];
}

/** Whose calls these are, in traces. */
const COLLECTOR = "collector";

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
  /** Is it the run that is over, and not the rollout that failed? Its error then ends dispatch; all that is under way is unresolved. */
  runWatch?: RunWatch;
}

/** @throws what reading rows or `settle` throws, once nothing is in flight any more */
export async function dispatch(options: DispatchOptions): Promise<void> {
  const { now, latencies } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const flights = new Set<Flight>();
  const began = now();
  let started = 0;
  let wake: (() => void) | undefined;
  let broken: { error: unknown } | undefined;
  options.onFlights?.({
    get count() {
      return flights.size;
    },
    oldest: (count) => firstOf(flights, count),
  });

  async function fly({ identity, body }: SentRow, server: EnvironmentServer): Promise<void> {
    const rollout = rolloutOf(identity);
    const flight: Flight = { start: now(), rollout, server: server.name, stop: new AbortController() };
    flights.add(flight);
    try {
      let outcome: Outcome;
      let over: GymError | undefined;
      // A row that was never taken in while the run goes on waits for its server, which is being started anew. It keeps its place: no others are sent after it.
      do {
        outcome = await withCall(newCall(COLLECTOR, rollout), () =>
          runRow(identity, body, { client: options.client, server, signal: flight.stop.signal }),
        );
        over = outcome.kind === "failed" ? await options.runWatch?.(outcome, server.name) : undefined;
      } while (options.runWatch && over === undefined && isRefusal(outcome, server.name) && now() - flight.start < SERVER_ABSENCE_MS);
      if (over !== undefined) {
        broken ??= { error: over };
        stop.abort();
        outcome = { kind: "unresolved", reason: "cancelled" };
      }
      if (outcome.kind !== "unresolved") latencies.add((now() - flight.start) / 1000);
      await options.settle(outcome, identity);
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
  const onAbort = () => {
    for (const { stop } of flights) stop.abort(signal.reason);
    wake?.();
  };
  signal.addEventListener("abort", onAbort);
  try {
    for await (const row of options.rows) {
      while (flights.size >= options.slots && !signal.aborted) await change();
      if (signal.aborted) break;
      if (options.budget !== undefined && isDrained(options.budget, (now() - began) / 1000, latencies))
        await options.settle({ kind: "unresolved", reason: "drained" }, row);
      else {
        void fly(sentRow(row), options.serverOf(row));
        // What was started is on its way before more is: nothing is sent while this loop runs.
        if (++started % DISPATCH_BURST === 0) await turn();
      }
    }
  } catch (error) {
    broken ??= { error };
    stop.abort();
  }
  while (flights.size > 0) await change();
  signal.removeEventListener("abort", onAbort);
  if (broken !== undefined) throw broken.error;
}

/** Did the environment server itself take no connection? */
function isRefusal(outcome: Outcome, server: string): boolean {
  return outcome.kind === "failed" && outcome.cause?.kind === "transport_unreachable" && outcome.cause.boundary === server;
}

function firstOf(flights: Iterable<Flight>, count: number): Flight[] {
  const first: Flight[] = [];
  for (const flight of flights) {
    if (first.length >= count) break;
    first.push(flight);
  }
  return first;
}

/** Undefined for an id that is none: its row fails for that by itself. */
function rolloutOf(row: Row): string | undefined {
  try {
    return captureKey(row);
  } catch {
    return undefined;
  }
}

interface RowTarget {
  client: ServerClient;
  server: EnvironmentServer;
  signal: AbortSignal;
}

const JSON_HEADERS = { "content-type": "application/json" };

async function runRow(row: Row, body: SentRow["body"], { client, server, signal }: RowTarget): Promise<Outcome> {
  if (body instanceof Error) {
    const cause = {
      ...contractCause("", server.name, ""),
      failureClass: "agent_request_failed",
      kind: "agent_request_failed",
      message: messageOf(body),
      status: null,
    };
    return { kind: "failed", row: stamped(failureRow(cause), row, server), failureClass: cause.failureClass, cause };
  }
  try {
    const reply = await client.call(server.name, { kind: "run", path: "/run", body, headers: JSON_HEADERS, signal });
    return outcomeOfReply(reply, row, server);
  } catch (error) {
    return outcomeOfError(error, { row, server, stopped: signal.aborted });
  }
}
