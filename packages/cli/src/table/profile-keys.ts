/** Every key of a reward profile and how it is reached from the command line. */
import type { ProfileParameters } from "@ng-gym/core/rollouts";
import type { Decisions } from "../contract/index.ts";

export const profileKeys = {
  materialized_inputs_jsonl_fpath: {
    flags: [{ flags: ["--inputs"], type: "path", required: true, help: "the rows as they were sent" }],
  },
  rollouts_jsonl_fpath: { flags: [{ flags: ["--rollouts"], type: "path", required: true, help: "their results" }] },
  allow_partial_rollouts: { flags: [{ flags: ["--allow-partial"], type: "switch", help: "profile a run that is not complete" }] },
} as const satisfies Decisions<ProfileParameters>;
