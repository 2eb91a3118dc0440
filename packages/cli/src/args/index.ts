/** From argv to one command and its override tokens; help text. Loads commander and the table, nothing else. */
export { type CommandRoute, type Parsed, parse } from "./parse.ts";
export { helpOf } from "./program.ts";
export { type Route, route } from "./route.ts";
export { catalogueFor, treeHelp } from "./tree-help.ts";
export { UsageProblem } from "./usage-problem.ts";
