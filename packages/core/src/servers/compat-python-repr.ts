/** The one text of Python that clients match on: how it prints bytes inside the error string of a failed inner call. */

/** `b'...'` of a text's UTF-8 bytes, as Python 3 prints it. */
export function bytesRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = "";
  for (const byte of Buffer.from(text, "utf8")) {
    const char = String.fromCharCode(byte);
    if (char === quote || char === "\\") out += `\\${char}`;
    else if (byte === 9) out += "\\t";
    else if (byte === 10) out += "\\n";
    else if (byte === 13) out += "\\r";
    else if (byte < 32 || byte >= 127) out += `\\x${byte.toString(16).padStart(2, "0")}`;
    else out += char;
  }
  return `b${quote}${out}${quote}`;
}
