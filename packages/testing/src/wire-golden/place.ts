/** Where in a transcript a comparison is, and how a difference is told. */
import type { Sessions } from "./sessions.ts";

export interface Place {
  /** For the messages. */
  name: string;
  sessions: Sessions;
}

const SHOWN_CHARS = 200;

export function within(place: Place, part: string): Place {
  return { name: place.name + part, sessions: place.sessions };
}

export function differ(place: Place, expected: string, actual: string): string[] {
  return [`${place.name}: expected ${expected}, got ${actual}`];
}

export function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}...` : text;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
