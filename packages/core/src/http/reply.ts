/** The two makers of replies: from the text of a socket, and from the value of a server in the same process. */
import { messageOf } from "../errors/index.ts";
import { jsonBody, parseJson, parseJsonBytes, stringifyJson } from "../json/index.ts";
import { hopError, kindName } from "./failure.ts";
import type { EndpointReply, Reply } from "./message.ts";

interface ReplyHead {
  server: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  setCookies: string[];
}

/** `checked`: whoever sent the content has looked at the numbers of large arrays. */
export function textReply(head: ReplyHead & { text: string | Buffer; checked?: boolean | undefined }): Reply {
  const { text: content, checked } = head;
  let decoded = typeof content === "string" ? content : undefined;
  const text = (): string => (decoded ??= content.toString("utf8"));
  let value: unknown;
  let parsed = false;
  return {
    form: "text",
    status: head.status,
    headers: head.headers,
    setCookies: head.setCookies,
    content: () => content,
    text,
    json() {
      if (!parsed) {
        try {
          value = typeof content === "string" ? parseJson(content) : parseJsonBytes(content, { checked });
        } catch (cause) {
          throw badResponse(head, `a body that is not JSON (${messageOf(cause)}): ${text().slice(0, 200)}`, cause);
        }
        parsed = true;
      }
      return value;
    },
  };
}

/** Wraps what a local endpoint answered: `json()` is the very object. */
export function localReply(head: Pick<ReplyHead, "server" | "path">, reply: EndpointReply): Reply {
  if (reply.text !== undefined) {
    return textReply({
      ...head,
      status: reply.status,
      headers: reply.headers ?? {},
      setCookies: reply.setCookies ?? [],
      text: reply.text,
    });
  }
  return {
    form: "value",
    status: reply.status,
    headers: { "content-type": "application/json", ...reply.headers },
    setCookies: reply.setCookies ?? [],
    json: () => reply.body,
    content: () => jsonBody(reply.body),
    text: () => stringifyJson(reply.body),
  };
}

export function badResponse(head: Pick<ReplyHead, "server" | "path" | "status">, what: string, cause?: unknown): Error {
  const facts = { failure_kind: `${kindName(head.server)}:bad_response`, boundary: head.server, url: head.path, status: head.status };
  return hopError("NG_ERR_BAD_RESPONSE", `${head.server} answered ${head.path} with ${what}`, { facts, cause });
}
