/** Bounds of the config stage. Each is far above what a real configuration needs and low enough that hostile input costs little. */

/** Levels of mappings and lists in one another, in a file, a value of the command line or a result. */
export const MAX_DEPTH = 128;
/** Mappings, lists and scalars in one tree, aliases and copies counted as often as they appear. */
export const MAX_NODES = 250_000;
/** Characters of one configuration file. */
export const MAX_FILE_LENGTH = 8 * 1024 * 1024;
/** Files that one configuration reaches. */
export const MAX_FILES = 2_000;
/** Characters of one text that interpolations make. */
export const MAX_TEXT_LENGTH = 1024 * 1024;
/** Characters of all texts that interpolations make in one tree. */
export const MAX_TOTAL_TEXT_LENGTH = 16 * 1024 * 1024;
/** Evaluations of interpolations in one tree. */
export const MAX_INTERPOLATIONS = 250_000;
/** Interpolations that wait for one another. */
export const MAX_WAITING = 200;
/** Nesting inside one `${...}`. */
export const MAX_INTERPOLATION_DEPTH = 64;
/** Server instances of one configuration. */
export const MAX_SERVERS = 2_000;
/** Top-level keys that are compared with the known ones. */
export const MAX_COMPARED_KEYS = 1_000;
/** Override tokens of one command line. */
export const MAX_OVERRIDES = 5_000;
/** Characters of one override token. */
export const MAX_OVERRIDE_LENGTH = 1024 * 1024;
/** Tokens of one file; the parser takes about 5 microseconds for each. */
export const MAX_TOKENS = 200_000;
/** Problems that one load keeps; the rest is counted. */
export const MAX_PROBLEMS = 1_000;
/** Problems that one error prints; the rest is counted. */
export const MAX_PRINTED_PROBLEMS = 50;
/** Digits of an integer in a file; JavaScript and Python both take quadratic time for larger ones. */
export const MAX_INTEGER_DIGITS = 4_300;
