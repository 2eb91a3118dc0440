/** Descriptors of this process: how many it may have, how many it has. Linux tells; elsewhere both are unknown. */
import { readdirSync, readFileSync, statSync } from "node:fs";

export function descriptorLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

export function openDescriptors(): number | undefined {
  try {
    // Newer kernels tell the number as the folder's size; listing it takes long where there are tens of thousands.
    return statSync("/proc/self/fd").size || readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
