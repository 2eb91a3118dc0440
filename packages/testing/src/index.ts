/** `@ng-gym/testing`: what tests and benchmark authors use. Never imported by code that ships. */

export * from "./fake-upstream/index.ts";
export * from "./golden.ts";
export * from "./golden-recipes.ts";
export { plainResponse } from "./plain-response.ts";
export { type ProcessInfo, processesWithVariable, processTree, survivors } from "./process-table.ts";
export * from "./processes.ts";
export * from "./server-harness.ts";
export * from "./temp-project.ts";
export * from "./wire-golden/index.ts";
