/**
 * The embedded model: answers without key, network or download, the same way on every run. It knows what its answer key says and
 * guesses the rest; every answer is marked as simulated. Good for a first run, for tests and for load.
 */
import type { ChatCompletion, ChatRequest, ModelResponse, ResponsesRequest } from "@ng-gym/core/protocol";
import { ModelServer, type RequestContext, serve } from "@ng-gym/core/servers";
import type { AnswerKey } from "./answer-key.ts";
import { type AnswerOptions, chatAnswer, responsesAnswer } from "./answers.ts";
import { type SimulatedModelConfig, simulatedModelConfig } from "./config.ts";
import { misbehave } from "./faults.ts";
import { chatQuestion, responsesQuestion } from "./question.ts";
import { readAnswerKey } from "./read-answer-key.ts";
import { drawsFor } from "./repeat.ts";
import { type Question, type Reply, think } from "./think.ts";

type Request = Readonly<Record<string, unknown>>;

export default class SimulatedModel extends ModelServer<SimulatedModelConfig> {
  static override readonly configSchema = simulatedModelConfig;
  #answerKey: AnswerKey = new Map();

  override async start(): Promise<void> {
    const paths = this.config.answer_key ?? [];
    this.#answerKey = await readAnswerKey([paths].flat());
    this.log(`simulated_model: every answer is simulated; ${this.#answerKey.size} questions known, skill ${this.config.skill}`);
  }

  override async responses(request: ResponsesRequest, context: RequestContext): Promise<ModelResponse> {
    const { reply, options } = await this.#reply(responsesQuestion(request as Request), request as Request, context);
    return responsesAnswer(reply, request as Request, options) as ModelResponse;
  }

  override async chatCompletions(request: ChatRequest, context: RequestContext): Promise<ChatCompletion> {
    const { reply, options } = await this.#reply(chatQuestion(request as Request), request as Request, context);
    return chatAnswer(reply, options) as ChatCompletion;
  }

  async #reply(question: Question, request: Request, context: RequestContext): Promise<{ reply: Reply; options: AnswerOptions }> {
    const { all, question: asked } = question.conversation;
    const draws = drawsFor({ seed: this.config.seed, question: asked, conversation: all, rolloutId: context.rolloutId, request });
    await misbehave(this.config, draws.fault, context.signal);
    const mind = { skill: this.config.skill, toolRounds: this.config.tool_rounds, answerKey: this.#answerKey };
    return { reply: think(question, mind, draws), options: { draw: draws.call, prompt: all } };
  }
}

await serve(import.meta, SimulatedModel);
