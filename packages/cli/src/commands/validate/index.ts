/** `ng-validate`. */
export { validateCommand } from "./command.ts";
