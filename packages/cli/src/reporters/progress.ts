/** Progress of a collection: one refreshed line on a terminal, plain lines at a bounded rate elsewhere. */
import type { CollectEvent } from "@ng-gym/core/rollouts";
import type { Terminal } from "../terminal/index.ts";
import { counted, duration, oneLine, percent, rate, score } from "./format.ts";

/** Shortest time between two plain progress lines. */
export const PLAIN_PROGRESS_MS = 10_000;
/** Shortest time between two lines about retries of one server. */
export const RETRY_NOTE_MS = 10_000;
/** Cells of the bar. */
const BAR_WIDTH = 20;

type Progress = Extract<CollectEvent, { type: "progress" }>;

export function followCollection(terminal: Terminal): (event: CollectEvent) => void {
  let nextPlain = terminal.now() + PLAIN_PROGRESS_MS;
  const nextRetryNote = new Map<string, number>();
  return (event) => {
    switch (event.type) {
      case "notice":
        terminal.note(oneLine(event.message));
        break;
      case "planned":
        terminal.note(plan(event));
        break;
      case "progress":
        if (terminal.live) terminal.status(progressLine(event, true));
        else if (terminal.now() >= nextPlain) {
          nextPlain = terminal.now() + PLAIN_PROGRESS_MS;
          terminal.note(progressLine(event, false));
        }
        break;
      case "failure":
        terminal.note(firstFailure(event));
        if (event.hint !== undefined) terminal.note(`  ${event.hint}`);
        break;
      case "retry-wait":
        if (terminal.now() >= (nextRetryNote.get(event.server) ?? 0)) {
          nextRetryNote.set(event.server, terminal.now() + RETRY_NOTE_MS);
          terminal.note(
            `waiting for ${event.server}: ${event.reason.replaceAll("_", " ")}; try ${event.attempt + 1} in ${duration(event.delayS)}`,
          );
        }
        break;
      case "aggregating":
        terminal.status("");
        terminal.note(`computing metrics: ${event.servers.join(", ")}`);
        break;
      case "finished":
        terminal.status("");
        break;
    }
  };
}

function plan(event: Extract<CollectEvent, { type: "planned" }>): string {
  const resumed = event.resumed ? `, ${event.cached} are there already` : "";
  return `${counted(event.expected, "rollout")}${resumed}, ${event.toRun} to run -> ${event.paths.rollouts}`;
}

function firstFailure({ failureClass, failureKind, boundary, message }: Extract<CollectEvent, { type: "failure" }>): string {
  const kind = failureKind === undefined ? "" : ` (${failureKind})`;
  return oneLine(`first ${failureClass}${kind}${boundary === undefined ? "" : ` at ${boundary}`}: ${message}`);
}

function progressLine(event: Progress, withBar: boolean): string {
  const share = event.total === 0 ? 1 : event.done / event.total;
  const parts = [
    `${event.done}/${event.total} ${percent(share)}`,
    ...(event.failed > 0 ? [`failed ${event.failed}`] : []),
    ...(event.masked > 0 ? [`masked ${event.masked}`] : []),
    rate(event.rate),
    ...(event.done < event.total ? [`ETA ${event.etaS === undefined ? "?" : duration(event.etaS)}`] : [`took ${duration(event.elapsedS)}`]),
    ...(event.meanReward === undefined ? [] : [`reward ${score(event.meanReward)}`]),
    ...(event.inFlight > 0 ? [`${event.inFlight} in flight, oldest ${duration(event.oldestInFlightS)}`] : []),
  ];
  return `${withBar ? `${bar(share)} ` : ""}${parts.join(" | ")}`;
}

function bar(share: number): string {
  const full = Math.floor(Math.min(1, share) * BAR_WIDTH);
  return `[${"#".repeat(full)}${".".repeat(BAR_WIDTH - full)}]`;
}
