/** How an answer that holds neither a message nor a call is marked, with the metadata keys that readers of the reference's rollouts look for. */
import type { ModelResponse } from "@ng-gym/core/protocol";

const MESSAGE =
  "The rollout ended here: the model's answer holds no assistant message and no tool call, and the model did not report that it was cut off. " +
  "The model stopped by itself, so look at the model or at the engine's parsing of its output.";

export function endedWithoutAnswer(answer: ModelResponse): ModelResponse {
  const reason = answer.output.length === 0 ? "empty_output" : "incomplete_reasoning";
  return {
    ...answer,
    status: "incomplete",
    metadata: { ...answer.metadata, ng_termination_reason: reason, ng_termination_message: MESSAGE },
  };
}
