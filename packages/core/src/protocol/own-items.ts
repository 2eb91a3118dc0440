/**
 * Items whose shape the protocol itself defines: messages, function calls and their outputs, reasoning. Unknown keys are dropped.
 * Each item that a model produces exists a second time with token fields.
 */
import { z } from "zod";
import { anyObject, type Form, nullish, pick, textOrList, withDefault } from "./fields.ts";
import { laxFloat } from "./lax.ts";
import { tokenShape } from "./token-fields.ts";

export const itemStatus: z.ZodEnum<{ in_progress: "in_progress"; completed: "completed"; incomplete: "incomplete" }> = z.enum([
  "in_progress",
  "completed",
  "incomplete",
]);
const phase = z.enum(["commentary", "final_answer"]);
const str = z.string();

const inputText = z.object({ text: str, type: z.literal("input_text") });
const imageDetail = z.enum(["low", "high", "auto", "original"]);
const fileDetail = z.enum(["low", "high"]).optional();
const inputImage = z.object({
  detail: imageDetail,
  type: z.literal("input_image"),
  file_id: str.nullish(),
  image_url: str.nullish(),
});
const inputFile = z.object({
  type: z.literal("input_file"),
  detail: fileDetail,
  file_data: str.optional(),
  file_id: str.nullish(),
  file_url: str.optional(),
  filename: str.optional(),
});
const videoSource = z.union([str, z.object({ url: str })]);
const inputVideo = z
  .object({ type: z.literal("input_video"), video_url: videoSource.nullish(), video: videoSource.nullish() })
  .superRefine((part, ctx) => {
    const sources = [part.video_url, part.video].filter((source) => source !== undefined && source !== null);
    const url = typeof sources[0] === "object" ? sources[0].url : sources[0];
    if (sources.length !== 1) ctx.addIssue("input_video requires exactly one of video_url or video");
    else if (url?.trim() === "") ctx.addIssue("input_video needs a non-empty URL");
  });

/** A part of a message that goes to a model. */
export const inputPart: z.ZodType<InputPart> = z.discriminatedUnion("type", [inputText, inputImage, inputFile, inputVideo]);
export type InputPart = z.output<typeof inputText> | z.output<typeof inputImage> | z.output<typeof inputFile> | z.output<typeof inputVideo>;

/** A part of a tool's output: null is allowed where a message part must leave the key out, and an image needs no detail. */
const outputPart = z.discriminatedUnion("type", [
  inputText,
  z.object({ type: z.literal("input_image"), detail: imageDetail.nullish(), file_id: str.nullish(), image_url: str.nullish() }),
  z.object({
    type: z.literal("input_file"),
    detail: fileDetail,
    file_data: str.nullish(),
    file_id: str.nullish(),
    file_url: str.nullish(),
    filename: str.nullish(),
  }),
]);

const logprob = z.looseObject({ token: str, bytes: z.array(z.unknown()), logprob: laxFloat, top_logprobs: z.array(anyObject) });
const refusalPart = z.object({ refusal: str, type: z.literal("refusal") });
const annotation = z.looseObject({ type: z.enum(["file_citation", "url_citation", "container_file_citation", "file_path"]) });

export function ownItems(form: Form) {
  const outputText = z.object({
    annotations: z.array(annotation),
    text: str,
    type: z.literal("output_text"),
    logprobs: nullish(form, z.array(logprob)),
  });
  const easy = {
    content: textOrList(inputPart),
    role: z.enum(["user", "assistant", "system", "developer"]),
    type: withDefault(form, z.literal("message"), "message"),
    phase: nullish(form, phase),
  };
  const input = {
    content: z.array(inputPart),
    role: z.enum(["user", "system", "developer"]),
    status: withDefault(form, itemStatus, "completed"),
    type: withDefault(form, z.literal("message"), "message"),
  };
  const output = {
    id: str,
    content: z.array(
      pick<z.output<typeof outputText> | z.output<typeof refusalPart>>((part) => (isRefusalPart(part) ? refusalPart : outputText) as never),
    ),
    role: withDefault(form, z.literal("assistant"), "assistant"),
    status: withDefault(form, itemStatus, "completed"),
    type: withDefault(form, z.literal("message"), "message"),
    phase: nullish(form, phase),
  };
  const call = {
    arguments: str,
    call_id: str,
    name: str,
    type: withDefault(form, z.literal("function_call"), "function_call"),
    id: nullish(form, str),
    status: nullish(form, itemStatus),
    namespace: nullish(form, str),
  };
  const reasoning = {
    id: str,
    summary: z.array(z.object({ text: str, type: withDefault(form, z.literal("summary_text"), "summary_text") })),
    type: withDefault(form, z.literal("reasoning"), "reasoning"),
    encrypted_content: nullish(form, str),
    content: nullish(form, z.array(z.object({ text: str, type: withDefault(form, z.literal("reasoning_text"), "reasoning_text") }))),
  };
  const callOutput = z.object({
    call_id: str,
    output: textOrList(outputPart),
    type: withDefault(form, z.literal("function_call_output"), "function_call_output"),
    id: nullish(form, str),
    status: nullish(form, itemStatus),
  });
  const tokens = tokenShape(form);
  return {
    easy: z.object(easy),
    input: z.object(input),
    output: z.object(output),
    call: z.object(call),
    reasoning: z.object(reasoning),
    callOutput,
    tokens: {
      easy: z.object({ ...tokens, ...easy }),
      input: z.object({ ...tokens, ...input }),
      output: z.object({ ...tokens, ...output }),
      call: z.object({ ...tokens, ...call }),
      reasoning: z.object({ ...tokens, ...reasoning }),
    },
  };
}

export type OwnItems = ReturnType<typeof ownItems>;

function isRefusalPart(part: unknown): boolean {
  return typeof part === "object" && part !== null && "refusal" in part && !("text" in part);
}
