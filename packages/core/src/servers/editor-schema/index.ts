/** `editor-schema`: the JSON Schema of configuration files. */
export type { JsonSchema } from "./parts.ts";
export { type EditorSchemaOptions, editorSchema } from "./schema.ts";
