/** Lines that a command itself says beside the events of what it calls. */
import type { Terminal } from "../terminal/index.ts";

export interface Remark {
  type: "remark";
  message: string;
}

/** A follower that also shows remarks. */
export function withRemarks<Event extends { type: string }>(
  terminal: Terminal,
  follow: (event: Event) => void,
): (event: Event | Remark) => void {
  return (event) => (event.type === "remark" ? terminal.note((event as Remark).message) : follow(event as Event));
}
