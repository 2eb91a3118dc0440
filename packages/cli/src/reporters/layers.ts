/** Where a value comes from: every layer that set it, the one that won first. */
import type { ValueLayer } from "@ng-gym/core/config";

export function layersText(key: string, layers: readonly ValueLayer[]): string {
  const width = Math.max(...layers.map((layer) => layer.from.length));
  const lines = layers.map((layer) => {
    const value = layer.value.trimEnd();
    const shown = value.includes("\n") ? `\n${value.replace(/^/gm, "      ")}` : value;
    return `  ${layer.wins ? "*" : " "} ${layer.from.padEnd(width)}  ${shown}\n`;
  });
  return `${key} (* wins)\n${lines.join("")}`;
}
