/** `protocol`: what travels and what is stored. Pure: no I/O, no dependency on any other folder. */
export * from "./errors.ts";
