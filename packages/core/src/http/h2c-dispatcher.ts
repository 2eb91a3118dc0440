/**
 * Calls over few HTTP/2 connections without TLS, in the form of an undici dispatcher. Undici's own HTTP/2 client cannot raise the memory that Node
 * grants a session (10 MB): beyond it, with some hundred long bodies under way, streams are reset although their calls were carried out.
 */
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import type { Dispatcher } from "undici";
import { type H2cSession, openH2cSession } from "./h2c-session.ts";
import type { ClientLimits } from "./limits.ts";

type Options = Dispatcher.DispatchOptions;
type Handler = Dispatcher.DispatchHandler;

export interface H2cDispatcher {
  dispatch(options: Options, handler: Handler): boolean;
  destroy(): void;
}

export function createH2cDispatcher(origin: string, limits: ClientLimits): H2cDispatcher {
  let sessions: H2cSession[] = [];

  /** The first connection with room; a new one where all are full; the emptiest where no more may be opened. */
  function pick(): H2cSession {
    sessions = sessions.filter((session) => session.usable());
    const roomy = sessions.find((session) => session.open() < limits.h2cStreamsPerConnection);
    if (roomy) return roomy;
    if (sessions.length >= limits.h2cConnectionsPerOrigin) return sessions.reduce((a, b) => (b.open() < a.open() ? b : a));
    const session = openH2cSession(origin, limits);
    sessions.push(session);
    return session;
  }

  return {
    dispatch(options, handler) {
      const session = pick();
      const leave = session.enter();
      session.connected.then(
        (connection) => stream(() => connection.request(headersOf(options), { endStream: !options.body }), { options, handler, leave }),
        (error: Error) => {
          leave();
          handler.onResponseError?.(
            controllerOf(() => {}),
            error,
          );
        },
      );
      return true;
    },
    destroy() {
      for (const session of sessions) session.destroy();
      sessions = [];
    },
  };
}

function headersOf({ origin, path, method, headers }: Options): Record<string, string> {
  return {
    ":authority": String(origin).replace(/^\w+:\/\//, ""),
    ":path": path,
    ":method": method,
    ...(headers as Record<string, string>),
  };
}

interface StreamCall {
  options: Options;
  handler: Handler;
  leave: () => void;
}

/** Plays one stream to its handler: exactly one of end and error is told, and nothing after it. */
function stream(open: () => ClientHttp2Stream, { options, handler, leave }: StreamCall): void {
  let over = false;
  let answered = false;
  let request: ClientHttp2Stream | undefined;

  const finish = (error?: Error): void => {
    if (over) return;
    over = true;
    leave();
    if (error === undefined) handler.onResponseEnd?.(controller, {});
    else handler.onResponseError?.(controller, error);
  };
  const controller = controllerOf((reason) => {
    request?.close(constants.NGHTTP2_CANCEL);
    finish(reason);
  });

  handler.onRequestStart?.(controller, {});
  if (over) return;
  try {
    request = open();
  } catch (error) {
    finish(error as Error);
    return;
  }
  request.on("response", (headers) => {
    if (over) return;
    answered = true;
    handler.onResponseStart?.(controller, Number(headers[":status"]), plainHeaders(headers));
  });
  request.on("data", (chunk: Buffer) => {
    if (!over) handler.onResponseData?.(controller, chunk);
  });
  request.on("error", (error) => finish(request?.rstCode === constants.NGHTTP2_REFUSED_STREAM ? refused(error) : error));
  // The end of the data says nothing: a stream that was reset ends too. Only its closing tells whether it was whole.
  request.on("close", () => {
    const code = request?.rstCode ?? constants.NGHTTP2_NO_ERROR;
    if (code === constants.NGHTTP2_NO_ERROR && answered && request?.readableEnded) return finish();
    const cause = Object.assign(new Error(closingText(code)), { code: "ERR_HTTP2_STREAM_ERROR" });
    finish(code === constants.NGHTTP2_REFUSED_STREAM ? refused(cause) : cause);
  });
  if (options.body) request.end(options.body);
}

/** What a peer that ends a stream early means by its code; most often it is gone altogether. */
function closingText(code: number): string {
  const gone = code === constants.NGHTTP2_NO_ERROR || code === constants.NGHTTP2_CANCEL;
  return gone ? "the connection ended" : `the connection's other side broke the call off (HTTP/2 error ${code})`;
}

/** A refused stream was not looked at: its call may always be made again. */
function refused(cause: Error): Error {
  return Object.assign(new Error("the server takes no more streams on this connection", { cause }), { code: "NG_H2_REFUSED" });
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const plain: Record<string, string | string[]> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (!name.startsWith(":") && value !== undefined) plain[name] = value;
  }
  return plain;
}

/** `abort` is all that a call of ours uses. */
function controllerOf(abort: (reason: Error) => void): Dispatcher.DispatchController {
  return { abort } as Dispatcher.DispatchController;
}
