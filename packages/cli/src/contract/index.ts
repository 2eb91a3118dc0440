/** The types that the folders of this package share. */
export * from "./command.ts";
export * from "./decision.ts";
export * from "./spec.ts";
