/** Seeded draws. A draw depends on what it is for and on nothing else: not on time, order, process or how many draws came before. */
import { hash } from "node:crypto";

export interface Draw {
  /** In [0, 1), the same for the same label. */
  unit(label: string): number;
  /** One of the options, which must not be empty. */
  pick<T>(label: string, options: readonly T[]): T;
  /** Hexadecimal digits for an id. */
  id(label: string): string;
}

/** Draws for one subject, for example one call: seed, what is asked, and which repeat it is. */
export function createDraw(...subject: (string | number)[]): Draw {
  const key = digest(subject.map((part) => `${part}`.replaceAll("\u0000", "")).join("\u0000"));
  const unit = (label: string): number => Number.parseInt(digest(`${key}:${label}`).slice(0, 13), 16) / 2 ** 52;
  return {
    unit,
    pick: (label, options) => options[Math.floor(unit(label) * options.length)] as (typeof options)[number],
    id: (label) => digest(`${key}:id:${label}`).slice(0, 32),
  };
}

function digest(text: string): string {
  return hash("sha256", text, "hex");
}
