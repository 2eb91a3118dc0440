/** Bodies that are no JSON value: read from the text of a socket, and handed on as they came. */
import { messageOf } from "../errors/index.ts";
import { type ParseOptions, parseJson, parseJsonBytes } from "../json/index.ts";
import type { EndpointRequest } from "./message.ts";

/** As `body` of a call: sent as it is, under the content type of the call's headers, on either transport. */
export class TextBody {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const JSON_TYPE = /^application\/([\w.+-]*\+)?json\b/i;

/** What a server makes of the text, or of its bytes in UTF-8. A content type that is not JSON leaves it a text, which no schema of an object takes. */
export function readBody(
  content: string | Buffer,
  contentType: string | undefined,
  options: ParseOptions = {},
): Pick<EndpointRequest, "body" | "malformed" | "unread"> {
  if (content.length === 0) return { body: undefined };
  if (contentType !== undefined && contentType !== "application/json" && !JSON_TYPE.test(contentType)) {
    const text = content.toString();
    return { body: text, unread: text };
  }
  try {
    return { body: typeof content === "string" ? parseJson(content) : parseJsonBytes(content, options) };
  } catch (error) {
    const text = content.toString();
    const message = messageOf(error);
    const offset = /position (\d+)/.exec(message)?.[1];
    return { body: undefined, malformed: { offset: offset === undefined ? text.length : Number(offset), message }, unread: text };
  }
}
