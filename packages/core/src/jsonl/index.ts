/** `jsonl`: files of one JSON object a line: read as a stream, appended, repaired; errors name file and line. */
export { fileError, lineError } from "./file-errors.ts";
export { READ_CHUNK_BYTES, WRITE_BUFFER_BYTES } from "./limits.ts";
export { type LineWriter, openLineWriter } from "./line-writer.ts";
export { isBlank, type Line, type NumberedRow, parseRow, type ReadRowsOptions, readLines, readRows } from "./lines.ts";
export { makeFolder } from "./make-folder.ts";
export { isRecord, type Row } from "./row.ts";
export { repairTail } from "./tail.ts";
