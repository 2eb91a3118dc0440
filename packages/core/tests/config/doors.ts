/** What the tests use of the folder beside its door. */
export { isSecretKey, type Problem, suggest } from "../../src/config/index.ts";
export { maskLine } from "../../src/config/secrets.ts";
