/** How a letter is found in an answer: one file for each place it can stand in. Pure. */
export * from "./answer-line.ts";
export * from "./boxed.ts";
export * from "./choices.ts";
export * from "./markdown-answer.ts";
export * from "./python-regex.ts";
export * from "./python-text.ts";
export * from "./template.ts";
export * from "./thinking.ts";
