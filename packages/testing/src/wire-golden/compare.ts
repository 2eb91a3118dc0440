/**
 * What differs between a replay and its transcript. Exchanges are compared one by one in their order; where the client made calls at once that
 * order means nothing, and neither does what lies inside what: then every recorded exchange must have one of ours, under one reading of the sessions.
 */
import { compareExchange, type Reading } from "./compare-exchange.ts";
import { cookieSetters } from "./cookie-owners.ts";
import { Sessions } from "./sessions.ts";
import type { Exchange, Replay, Transcript } from "./transcript.ts";
import { compareValue } from "./values.ts";

/** One sentence a difference; `[]` where the replay is equal within what the transcripts bind. */
export function compareTranscript(transcript: Transcript, replay: Replay): string[] {
  const { expected, input } = transcript;
  const sessions = new Sessions();
  const compareExchanges = input.steps.some((step) => "together" in step) ? compareAsSet : compareInOrder;
  return [
    ...compareValue(expected.client_status, replay.clientStatus, { name: "statuses the client saw", sessions }),
    ...compareExchanges(expected.exchanges, replay.exchanges, { sessions, setters: cookieSetters(expected.exchanges) }),
    ...(expected.capture_files === undefined
      ? []
      : compareValue(expected.capture_files, replay.captureFiles, { name: "capture files ", sessions })),
  ];
}

/** A call that is missing or too many shifts all that follow: from there on only the sequences are shown. */
function compareInOrder(expected: readonly Exchange[], actual: readonly Exchange[], reading: Reading): string[] {
  const line = (exchange: Exchange): string =>
    `${exchange.from} -> ${exchange.to} ${exchange.method} ${exchange.path} in ${exchange.inside ?? "none"}`;
  const [one, other] = [expected.map(line), actual.map(line)];
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const differences = expected.slice(0, same).flatMap((exchange, index) => compareExchange(exchange, actual[index] ?? exchange, reading));
  if (same === one.length && same === other.length) return differences;
  const rest = (list: string[]): string => list.slice(same).join("; ") || "nothing";
  return [...differences, `calls from ${same + 1} on: expected ${rest(one)}, got ${rest(other)}`];
}

/** How many pairs the search compares before it gives up. */
const MAX_TRIES = 20_000;

function compareAsSet(expected: readonly Exchange[], actual: readonly Exchange[], reading: Reading): string[] {
  const count = (list: readonly Exchange[]): string => list.map(kind).sort().join("; ");
  if (count(expected) !== count(actual)) return [`calls: expected ${count(expected)}, got ${count(actual)}`];
  let tries = 0;
  let closest: Attempt | undefined;

  function assign(index: number, free: readonly Exchange[], known: Sessions): boolean {
    const exchange = expected[index];
    if (exchange === undefined) return true;
    for (const ours of free.filter((candidate) => kind(candidate) === kind(exchange))) {
      if (++tries > MAX_TRIES) return false;
      const trial = known.copy();
      const differences = compareExchange(exchange, ours, { ...reading, sessions: trial });
      const rest = free.filter((other) => other !== ours);
      if (differences.length === 0 && assign(index + 1, rest, trial)) return true;
      if (differences.length > 0 && isCloser({ index, differences }, closest)) closest = { index, differences };
    }
    return false;
  }

  return assign(0, actual, reading.sessions)
    ? []
    : (closest?.differences ?? ["no assignment of our exchanges to the recorded ones was found"]);
}

interface Attempt {
  index: number;
  differences: string[];
}

/** The attempt that came further says more; then the one with fewer differences. */
function isCloser(attempt: Attempt, other: Attempt | undefined): boolean {
  if (other === undefined || attempt.index !== other.index) return attempt.index > (other?.index ?? -1);
  return attempt.differences.length < other.differences.length;
}

/** Who called is told by nesting, which means nothing here, unless it was the client. */
function kind(exchange: Exchange): string {
  return `${exchange.from === "client" ? "client -> " : ""}${exchange.to} ${exchange.method} ${exchange.path}`;
}
