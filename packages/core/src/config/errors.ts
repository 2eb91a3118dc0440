/** The project's error, from the one module of `protocol` that loads nothing else: schemas cost a command that only reads a configuration 0.2 s. */
export { type ErrorCode, GymError, isGymError, messageOf } from "../protocol/errors.ts";
