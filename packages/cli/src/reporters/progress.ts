/** Progress of a collection: one refreshed line on a terminal, plain lines at a bounded rate elsewhere. */
import type { TargetLoad } from "@ng-gym/core/head";
import type { CollectEvent } from "@ng-gym/core/rollouts";
import type { Terminal } from "../terminal/index.ts";
import { counted, duration, oneLine, percent, rate, score } from "./format.ts";

/** Shortest time between two plain progress lines. */
export const PLAIN_PROGRESS_MS = 10_000;
/** Shortest time between two lines about retries of one server. */
export const RETRY_NOTE_MS = 10_000;
/** Cells of the bar. */
const BAR_WIDTH = 20;

/** A rollout that is out this long is named. */
const LONG_FLIGHT_S = 20;

type Progress = Extract<CollectEvent, { type: "progress" }>;

/** What the servers tell about what they call, now and then. */
export interface LoadEvent {
  type: "load";
  targets: ReadonlyMap<string, TargetLoad>;
}

export function followCollection(terminal: Terminal): (event: CollectEvent | LoadEvent) => void {
  let load: LoadEvent["targets"] = new Map();
  let nextPlain = terminal.now() + PLAIN_PROGRESS_MS;
  const firstRepeats = createRepeatWatch();
  const nextRetryNote = new Map<string, number>();
  return (event) => {
    switch (event.type) {
      case "notice":
        terminal.note(oneLine(event.message));
        break;
      case "planned":
        terminal.note(plan(event));
        break;
      case "load":
        load = event.targets;
        for (const name of firstRepeats(load)) terminal.note(`calls of ${name} are being sent again; the lines of ng-run say why`);
        break;
      case "progress":
        if (terminal.live) terminal.status(progressLine(event, load, true));
        else if (terminal.now() >= nextPlain) {
          nextPlain = terminal.now() + PLAIN_PROGRESS_MS;
          terminal.note(progressLine(event, load, false));
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

function progressLine(event: Progress, load: LoadEvent["targets"], withBar: boolean): string {
  const share = event.total === 0 ? 1 : event.done / event.total;
  const parts = [
    `${event.done}/${event.total} ${percent(share)}`,
    ...(event.failed > 0 ? [`failed ${event.failed}`] : []),
    ...(event.masked > 0 ? [`masked ${event.masked}`] : []),
    rate(event.rate),
    ...(event.done < event.total ? [`ETA ${event.etaS === undefined ? "?" : duration(event.etaS)}`] : [`took ${duration(event.elapsedS)}`]),
    ...(event.meanReward === undefined ? [] : [`reward ${score(event.meanReward)}`]),
    ...(event.inFlight > 0 ? [`${event.inFlight} in flight, ${oldestText(event)}`] : []),
    ...(event.inFlight > 0 ? limitTexts(load) : []),
  ];
  return `${withBar ? `${bar(share)} ` : ""}${parts.join(" | ")}`;
}

/** Whose calls are being sent again since the first look, each told once. */
function createRepeatWatch(): (load: LoadEvent["targets"]) => string[] {
  let before: ReadonlyMap<string, number> | undefined;
  const told = new Set<string>();
  return (load) => {
    before ??= new Map([...load].map(([name, { retries }]) => [name, retries]));
    const found = [...load].flatMap(([name, { retries }]) => (retries > (before?.get(name) ?? 0) && !told.has(name) ? [name] : []));
    for (const name of found) told.add(name);
    return found;
  };
}

/** Once rollouts are out long, which they are and where. */
function oldestText({ oldest = [], oldestInFlightS }: Progress): string {
  const long = oldest.filter(({ ageS }) => ageS >= LONG_FLIGHT_S);
  if (long.length === 0) return `oldest ${duration(oldestInFlightS)}`;
  return `oldest ${long.map(({ rollout, server, ageS }) => `${rollout ?? "?"} at ${server} ${duration(ageS)}`).join(", ")}`;
}

/** How many calls at once the endpoints are given, and which refuse. */
function limitTexts(load: LoadEvent["targets"]): string[] {
  return [...load].flatMap(([name, { limit, waiting, circuit, retries, inFlight }]) => {
    if (circuit !== undefined && circuit.state !== "closed")
      return [`${name} refuses${circuit.reason === undefined ? "" : `: ${oneLine(circuit.reason)}`}`];
    const facts = [
      ...(limit !== undefined && (limit.kind === "adaptive" || waiting > 0) ? [`limit ${limit.current}`] : []),
      ...(waiting > 0 ? [`${waiting} wait`] : []),
      ...(retries > 0 && inFlight > 0 ? [`${retries} sent again`] : []),
    ];
    return facts.length === 0 ? [] : [`${name}: ${facts.join(", ")}`];
  });
}

function bar(share: number): string {
  const full = Math.floor(Math.min(1, share) * BAR_WIDTH);
  return `[${"#".repeat(full)}${".".repeat(BAR_WIDTH - full)}]`;
}
