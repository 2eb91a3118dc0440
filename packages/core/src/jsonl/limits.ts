/** Every bound of this folder, by name. */

/** Block size for reading JSONL files. */
export const READ_CHUNK_BYTES = 256 * 1024;
/** Longest line of a JSONL file that is read; longer ones are an error that names the line. */
export const LINE_LIMIT_BYTES = 256 * 1024 * 1024;
/** A writer that holds more than this makes its producer wait. */
export const WRITE_BUFFER_BYTES = 1024 * 1024;
