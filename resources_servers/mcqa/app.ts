/** Multiple-choice questions: reads the letter that an answer chooses and compares it with the expected one. */
import { type AggregateHooks, computePassMajorityMetrics, highestKMetrics } from "@ng-gym/core/metrics";
import type { ModelResponse } from "@ng-gym/core/protocol";
import {
  type RequestContext,
  ResourcesServer,
  type ResourcesServerConfig,
  resourcesServerConfig,
  serve,
  type VerifyInput,
  type VerifyResult,
} from "@ng-gym/core/servers";
import { createVerifyLane, type VerifyLane, workerFile } from "@ng-gym/core/work";
import { z } from "zod";
import type { GradeTask } from "./grade-worker.ts";
import { GRADING_MODES, mcqaRow } from "./row.ts";
import { gradeMcqa, type McqaGrade } from "./verify.ts";

const mcqaConfig = resourcesServerConfig.extend({
  /** How answers are read; set here it wins over the row's own mode. */
  grading_mode: z.enum(GRADING_MODES).nullish(),
  /** Longest run of a row's own regular expressions; after it the row has no reward (`verifier_error`). */
  grading_timeout_seconds: z.number().positive().default(10),
});

type Config = ResourcesServerConfig & z.infer<typeof mcqaConfig>;
type Row = z.output<typeof mcqaRow>;

export default class MCQAResourcesServer extends ResourcesServer<Config, Row> {
  static override readonly configSchema = mcqaConfig;
  static override readonly rowSchema = mcqaRow;
  static override readonly reverifyMode = "stateless";

  /** For rows that bring a regular expression: on a hostile text one can run for ever, so it runs where it can be ended. */
  readonly #lane: VerifyLane<GradeTask, McqaGrade> = createVerifyLane({
    name: `${this.name} grading`,
    worker: workerFile(import.meta, "./grade-worker"),
    taskTimeoutMs: this.config.grading_timeout_seconds * 1000,
  });

  override async verify({ row, response }: VerifyInput<Row>, { signal }: RequestContext): Promise<VerifyResult> {
    const text = outputText(response);
    const config = { grading_mode: this.config.grading_mode };
    if (row.template_metadata?.output_regex === undefined) return { ...gradeMcqa(row, text, config) };
    return { ...(await this.#lane.run({ row, text, config }, signal)) };
  }

  override queued(): number {
    return this.#lane.stats().waiting;
  }

  override async stop(): Promise<void> {
    await this.#lane[Symbol.asyncDispose]();
  }

  override metricHooks(): AggregateHooks {
    return {
      computeMetrics: (tasks) => computePassMajorityMetrics(tasks, { answerKey: "extracted_answer" }).metrics,
      getKeyMetrics: (metrics) => ({
        "mean/reward": metrics["mean/reward"],
        ...highestKMetrics(metrics, "pass@1[avg-of-{k}]", { scoreNames: ["accuracy", "no_answer"] }),
        ...highestKMetrics(metrics, "pass@{k}", { scoreNames: ["no_answer"] }),
        ...highestKMetrics(metrics, "majority@{k}", { scoreNames: ["accuracy"] }),
        "pass@1/accuracy": metrics["pass@1/accuracy"],
      }),
    };
  }
}

/** All output texts of the answer's messages in a row, nothing between them. */
function outputText({ output }: ModelResponse): string {
  let text = "";
  for (const item of output) {
    if (item.type !== "message" || !Array.isArray(item.content)) continue;
    for (const part of item.content) if (part.type === "output_text" && typeof part.text === "string") text += part.text;
  }
  return text;
}

await serve(import.meta, MCQAResourcesServer);
