/** One number a session, in memory: lost at a restart, bounded by forgetting the session that was opened first. */

/** Sessions that are remembered at once. */
export const MAX_SESSIONS = 100_000;

export interface Counters {
  /** Starts a session at `initial`; a session that exists keeps its value. */
  open(session: string, initial: number): void;
  add(session: string, count: number): void;
  /** Undefined for a session that was never opened. */
  value(session: string): number | undefined;
  close(session: string): void;
}

export function createCounters(maxSessions: number = MAX_SESSIONS): Counters {
  const counts = new Map<string, number>();

  function open(session: string, initial: number): void {
    if (counts.has(session)) return;
    counts.set(session, initial);
    if (counts.size > maxSessions) counts.delete(counts.keys().next().value as string);
  }

  return {
    open,
    add(session, count) {
      open(session, 0);
      counts.set(session, (counts.get(session) ?? 0) + count);
    },
    value: (session) => counts.get(session),
    close: (session) => void counts.delete(session),
  };
}
