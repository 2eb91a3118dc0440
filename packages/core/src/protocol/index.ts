/** `protocol`: what travels and what is stored, with the errors and the JSON of the wire. Pure: no I/O. */
export * from "../errors/index.ts";
export * from "../json/index.ts";
export * from "./chat-answer.ts";
export * from "./chat-request.ts";
export * from "./episode-bodies.ts";
export * from "./failures.ts";
export { isObject } from "./fields.ts";
export * from "./ids.ts";
export { isChatShaped } from "./item-choice.ts";
export * from "./item-types.ts";
export { laxBool, laxFloat, laxInt } from "./lax.ts";
export { type InputPart, inputPart } from "./own-items.ts";
export { failureOfResponse } from "./response-failure.ts";
export {
  type FullResponsesRequest,
  materializeRequest,
  parseResponsesRequest,
  type ResponsesRequest,
  responsesRequestSchema,
  type Tool,
} from "./responses-request.ts";
export { type ModelResponse, modelResponseSchema, parseResponse } from "./responses-response.ts";
export * from "./rows.ts";
export * from "./run-bodies.ts";
export * from "./session-bodies.ts";
export * from "./split-items.ts";
export { hasTokenFields, TOKEN_KEYS, type TokenArray } from "./token-fields.ts";
export * from "./usage.ts";
export { type FieldIssue, fromZod, jsonInvalidIssue, missingBodyIssue, type Parser, type Validation, valueIssue } from "./validation.ts";
