import { modelServerConfig } from "@ng-gym/core/servers";
import { z } from "zod";

const share = z.number().min(0).max(1);

/** Keys of a `simulated_model` block. Every default makes a fast, faultless model. */
export const simulatedModelConfig = modelServerConfig.extend({
  /** Another seed gives other answers; the same seed gives the same answers on every run. */
  seed: z.int().default(0),
  /** Share of the questions in `answer_key` that are answered right. Questions without a known answer are guessed. */
  skill: share.default(0.7),
  /** JSONL files whose rows hold `responses_create_params.input` and `expected_answer`: what the model "knows". */
  answer_key: z.union([z.string(), z.array(z.string())]).nullish(),
  /** Rounds of tool calls before the answer, where the request offers function tools. */
  tool_rounds: z.int().min(0).max(100).default(1),
  /** Waits this long before an answer, plus up to `jitter_ms`. */
  latency_ms: z.number().min(0).default(0),
  jitter_ms: z.number().min(0).default(0),
  /** Share of the calls that are answered with `fail_status`. */
  fail_rate: share.default(0),
  fail_status: z.int().min(400).max(599).default(500),
  /** Share of the calls that are never answered: the caller has to give up. */
  silent_rate: share.default(0),
});

export type SimulatedModelConfig = z.infer<typeof simulatedModelConfig>;
