import { laxBool, laxInt } from "@ng-gym/core/protocol";
import { agentConfig, serverRefSchema } from "@ng-gym/core/servers";
import { z } from "zod";

/** Keys of a `simple_agent` block. */
export const simpleAgentConfig = agentConfig.extend({
  /** Seeds, offers the tools, verifies. Without it the agent answers `/v1/responses` for requests without tool calls only. */
  resources_server: serverRefSchema.nullish(),
  model_server: serverRefSchema,
  /** Model calls in one rollout; null and 0 = no limit. */
  max_steps: laxInt.pipe(z.int().min(0)).nullish(),
  /** False: hand open tool calls back instead of running them. Only inside an agent session. */
  execute_tools: laxBool.default(true),
});

export type SimpleAgentConfig = z.infer<typeof simpleAgentConfig>;
