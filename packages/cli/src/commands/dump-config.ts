/** `ng-dump-config`: the configuration as a run would have it, or where one value comes from. */
import { parseConfigYaml, type ValueLayer } from "@ng-gym/core/config";
import { GymError } from "@ng-gym/core/errors";
import type { CommandModule } from "../contract/index.ts";
import { layersText } from "../reporters/index.ts";
import { freePort } from "./free-port.ts";
import { loadSettings } from "./settings.ts";

interface DumpReport {
  notices: string[];
  /** Resolved, secrets masked; a blank line follows, as in the reference. */
  yaml: string;
  value: unknown;
  /** With `--explain`. */
  explained?: { key: string; layers: ValueLayer[] };
}

export const dumpConfigCommand: CommandModule<DumpReport> = {
  async execute(input) {
    const config = await loadSettings(input, { allocatePort: freePort });
    const { notices } = config;
    const key = input.values.get("--explain")?.[0];
    if (key === undefined) {
      // Masked before it is resolved: a secret that another key refers to is masked there too.
      const yaml = config.yaml({ resolve: true, mask: true });
      return { notices, yaml: `${yaml}\n`, value: parseConfigYaml(yaml) };
    }
    const layers = config.explainKey(key);
    if (layers.length === 0) {
      throw new GymError("NG_ERR_CONFIG", `nothing sets ${key}`, { hint: "`ng-dump-config` prints all keys." });
    }
    return { notices, yaml: "", value: undefined, explained: { key, layers } };
  },
  notices: (result) => result.notices,
  text: ({ yaml, explained }) => (explained === undefined ? yaml : layersText(explained.key, explained.layers)),
  json: ({ value, explained }) => explained ?? value,
};
