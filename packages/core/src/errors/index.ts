/** `errors`: the one error class and its codes. Depends on nothing, so that whoever only reports an error loads nothing else. */
export {
  ERROR_CODES,
  type ErrorCode,
  EXIT_FAILED,
  EXIT_INTERRUPTED,
  EXIT_USAGE,
  GymError,
  type GymErrorOptions,
  isGymError,
  messageOf,
  printable,
} from "./errors.ts";
export { isSecretKey, MASK, maskText, wordsOf } from "./secrets.ts";
