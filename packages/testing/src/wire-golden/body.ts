import type { WireBody } from "./transcript.ts";

const KEEP_ALIVE = ": keep-alive";

/** A body in the form of the transcripts: JSON where it says and is that, frames of an event stream, text, else bytes. `rename` puts names for addresses. */
export function bodyOf(bytes: Buffer, contentType: string | undefined, rename: (text: string) => string): WireBody {
  if (bytes.length === 0) return null;
  let text: string;
  try {
    text = rename(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return { bytes_base64: bytes.toString("base64") };
  }
  if (contentType?.startsWith("text/event-stream") === true) return { sse: framesOf(text) };
  if (contentType?.includes("json") !== true) return { text };
  try {
    return { json: JSON.parse(text) };
  } catch {
    return { text };
  }
}

/** The frames of an event stream; a run of comments that keep the connection alive counts once. */
function framesOf(text: string): string[] {
  const frames = text
    .replaceAll("\r\n", "\n")
    .split("\n\n")
    .map((frame) => frame.replace(/\n$/, ""))
    .filter((frame) => frame !== "")
    .map((frame) => (frame.startsWith(":") && !frame.includes("\n") ? KEEP_ALIVE : frame));
  return frames.filter((frame, index) => frame !== KEEP_ALIVE || frames[index - 1] !== KEEP_ALIVE);
}
