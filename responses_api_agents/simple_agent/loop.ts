/** The loop between model and tools. Pure but for its two ports: the same answers give the same calls in the same order. */
import { addUsage, type FunctionCall, type Item, isFunctionCall, type ModelResponse, type ResponsesRequest } from "@ng-gym/core/protocol";
import { endedWithoutAnswer } from "./compat-termination.ts";

export interface LoopPorts {
  askModel(request: ResponsesRequest): Promise<ModelResponse>;
  /** What the model gets to read about the call. */
  callTool(call: FunctionCall): Promise<string>;
}

export interface LoopOptions {
  /** Model calls at most; 0 = no limit. */
  maxSteps: number;
  /** False: the first answer is the last, its calls stay open. */
  executeTools: boolean;
}

/**
 * Asks the model, runs the tools it calls one after the other, in the order it wrote them, and asks again, until it answers. The result is the
 * last answer with everything that was produced as its `output` and the usage of all answers added up.
 */
export async function runLoop(request: ResponsesRequest, ports: LoopPorts, options: LoopOptions): Promise<ModelResponse> {
  const input = typeof request.input === "string" ? [{ role: "user", content: request.input }] : request.input;
  const history: unknown[] = [...input];
  const output: Item[] = [];
  let usage: ModelResponse["usage"] = null;

  for (let step = 1; ; step++) {
    const answer = await ports.askModel({ ...request, input: [...history] } as ResponsesRequest);
    output.push(...answer.output);
    history.push(...answer.output);
    usage = addUsage(usage, answer.usage);
    const end = (last: ModelResponse): ModelResponse => ({ ...last, output, usage });

    if (answer.incomplete_details) return end(answer);
    const calls = answer.output.filter(isFunctionCall);
    if (calls.length === 0) return end(answer.output.some(isAssistantMessage) ? answer : endedWithoutAnswer(answer));
    if (!options.executeTools) return end(answer);

    for (const call of calls) {
      const result = { type: "function_call_output", call_id: call.call_id, output: await ports.callTool(call) };
      history.push(result);
      output.push({ ...result, id: null, status: null } as Item);
    }
    if (options.maxSteps > 0 && step >= options.maxSteps) return end(answer);
  }
}

function isAssistantMessage(item: Item): boolean {
  return item.type === "message" && item.role === "assistant";
}
