/** Standard output, standard error and the status line: the one place that writes to them. */
export { createTerminal, type ProcessTerminal, type Streams, type Terminal } from "./terminal.ts";
