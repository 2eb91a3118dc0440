/** Error texts of the reference: what of them is binding. Its exceptions' own wording is not. */

const INNER = /^Hit an exception in (\S+) calling an inner server: (b(?:'[\s\S]*'|"[\s\S]*"))$/;

export interface InnerError {
  /** `<Class>___<instance>`. */
  server: string;
  /** The body of the inner answer. */
  body: string;
}

/** The parts of the text that wraps an inner server's answer; undefined for any other text. */
export function innerErrorOf(text: string): InnerError | undefined {
  const match = INNER.exec(text);
  const body = match?.[2] === undefined ? undefined : fromBytesRepr(match[2]);
  return match?.[1] === undefined || body === undefined ? undefined : { server: match[1], body };
}

const ESCAPES: Record<string, number> = { "\\": 92, "'": 39, '"': 34, n: 10, r: 13, t: 9 };

/** Python's `repr` of bytes, read back as UTF-8. */
function fromBytesRepr(repr: string): string | undefined {
  const bytes: number[] = [];
  const inside = repr.slice(2, -1);
  for (const [piece, , sign, hex] of inside.matchAll(/(\\(?:([\\'"nrt])|x([0-9a-f]{2})))|[^\\]/g)) {
    if (sign !== undefined) bytes.push(ESCAPES[sign] ?? 63);
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else bytes.push(...Buffer.from(piece));
  }
  return Buffer.from(bytes).toString("utf8");
}

const PYTHON_ERROR = /\b\w*(?:Error|Exception)\(|\b\d{3}, message='|\b\d+ validation errors? for /;

/** What stands before the wording of an exception of the reference; undefined where there is no such wording. */
export function bindingPrefix(text: string): string | undefined {
  const at = text.search(PYTHON_ERROR);
  return at < 0 ? undefined : text.slice(0, at);
}
