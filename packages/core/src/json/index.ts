/** `json`: reading and writing of JSON texts whose large arrays of numbers stay text. Pure. */
export { JSON_DEPTH_LIMIT, positionBeyondDepth } from "./depth.ts";
export { isRaw, RawJson, rawToArray } from "./raw.ts";
export { ENGINE_RAW_KEYS, RAW_KEYS, RAW_THRESHOLD_CHARS } from "./raw-keys.ts";
export { stringifyStrict } from "./strict-json.ts";
export { jsonBody, jsonParts, type ParseOptions, parseJson, parseJsonBytes, stringifyJson } from "./wire-json.ts";
