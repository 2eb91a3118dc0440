/** `json`: reading and writing of JSON texts whose large arrays of numbers stay text. Pure. */
export { isRaw, parseJson, RAW_KEYS, RAW_THRESHOLD_CHARS, RawJson, rawToArray, stringifyJson } from "./raw.ts";
export { stringifyStrict } from "./strict-json.ts";
