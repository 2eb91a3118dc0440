/**
 * Sessions of an agent: opened by an environment server for one episode, found again by the agent's cookie, closed once. A close that is asked for
 * again within the retry window answers the same; one for a session that never was succeeds and keeps a seed that comes too late from opening it.
 */
import { isDeepStrictEqual } from "node:util";
import { GymError } from "../errors/index.ts";
import type { AgentSessionCloseAnswer, AgentSessionCloseRequest, AgentSessionRequest, EpisodeId } from "../protocol/index.ts";
import { SESSION_TEXTS } from "./compat-session-texts.ts";
import { HttpError } from "./error-reply.ts";
import type { Log } from "./gym-server.ts";
import { held, wasHeld } from "./held-session.ts";
import type { RequestContext } from "./route.ts";
import { createSessionStore } from "./session-store.ts";

/** What an agent says when its session ends. */
export interface AgentSessionEnd {
  agent_observations?: unknown;
  /** Cookies of the resources server as the session leaves them. */
  resources_cookies?: Record<string, string> | null;
}

/** What an agent does to have sessions. `S` is what it keeps for one. */
export interface AgentSessionHooks<S> {
  /** Gets ready for the episode. Throw where the agent cannot use what it is granted: nothing is open then. */
  open(seed: AgentSessionRequest, context: RequestContext): S | Promise<S>;
  /** Frees what the session holds, after its last call has ended. What it throws leaves the session open: the close may be asked for again. */
  close(state: S): AgentSessionEnd | Promise<AgentSessionEnd>;
}

export interface AgentSessionsOptions<S> {
  name: string;
  hooks: AgentSessionHooks<S>;
  closeRetryWindowSeconds?: number;
  log: Log;
}

export interface AgentSessions<S> extends Disposable {
  /** @throws HttpError 409 where the id is another episode's, is closed, or the cookie is another session's. */
  seed(seed: AgentSessionRequest, context: RequestContext): Promise<{ agent_session_id: string }>;
  /** @throws HttpError 409 for another episode or the cookie of another session. */
  close(request: AgentSessionCloseRequest, context: RequestContext): Promise<AgentSessionCloseAnswer>;
  /** Runs a call in the session of its cookie, undefined where it has none. @throws HttpError 409 where that session is not open. */
  activate<T>(context: RequestContext, work: (context: RequestContext, state: S | undefined) => Promise<T>): Promise<T>;
}

/** 0.7.0's default of `session_close_retry_window_seconds`. */
const CLOSE_RETRY_WINDOW_SECONDS = 300;
/** Answers to closes that are kept for a second asking. */
const MAX_CLOSE_RECEIPTS = 50_000;
/** A session that closes waits this long for a call that does not heed its signal. */
const CALLS_END_MS = 10_000;

const COOKIE_KEY = "agent_session_id";

interface Open<S> {
  seed: AgentSessionRequest;
  state: S;
  /** Ends the calls that are at work in the session. */
  ending: AbortController;
  calls: Set<Promise<unknown>>;
  closing?: Promise<AgentSessionCloseAnswer>;
}

interface Receipt {
  episode: EpisodeId;
  answer: AgentSessionCloseAnswer;
}

export function createAgentSessions<S>(options: AgentSessionsOptions<S>): AgentSessions<S> {
  const { name, hooks, log } = options;
  const open = createSessionStore<Open<S>>({
    name: `${name}: agent sessions`,
    onEvict: (session) => ended(session),
    log,
  });
  const receipts = createSessionStore<Receipt>({
    name: `${name}: closed agent sessions`,
    maxSessions: MAX_CLOSE_RECEIPTS,
    ttlMs: (options.closeRetryWindowSeconds ?? CLOSE_RETRY_WINDOW_SECONDS) * 1000,
    reclaimAfterMs: 0,
  });
  /** Seeds that are being answered. */
  const opening = new Map<string, { seed: AgentSessionRequest; done: Promise<unknown> }>();

  async function seed(request: AgentSessionRequest, context: RequestContext): Promise<{ agent_session_id: string }> {
    const { agent_session_id: id } = request;
    refuseForeign(id, context);
    if (held(receipts, id) !== undefined) throw conflict(SESSION_TEXTS.closed);
    const known = held(open, id) ?? opening.get(id);
    if (known !== undefined && !isDeepStrictEqual(known.seed, request)) throw conflict(SESSION_TEXTS.otherSeed);
    if (known !== undefined && "closing" in known) throw conflict(SESSION_TEXTS.closed);
    if (known === undefined) {
      const done = (async () => {
        if (wasHeld(open, id)) throw conflict(SESSION_TEXTS.closed);
        const state = await hooks.open(request, context);
        try {
          open.set(id, { seed: request, state, ending: new AbortController(), calls: new Set() });
        } catch (error) {
          await hooks.close(state);
          throw error;
        }
      })();
      opening.set(id, { seed: request, done });
      done.catch(() => {}).finally(() => opening.delete(id));
      await done;
    } else if ("done" in known) await known.done;
    context.session.set(COOKIE_KEY, id);
    return { agent_session_id: id };
  }

  async function close(request: AgentSessionCloseRequest, context: RequestContext): Promise<AgentSessionCloseAnswer> {
    const { agent_session_id: id, episode_id: episode } = request;
    refuseForeign(id, context);
    const receipt = held(receipts, id);
    if (receipt !== undefined) return sameEpisode(receipt.episode, episode) && receipt.answer;
    await opening.get(id)?.done.catch(() => {});
    const session = held(open, id);
    if (session !== undefined) return sameEpisode(session.seed.episode_id, episode) && closed(id, session);
    const answer = { agent_session_id: id, agent_observations: null, resources_cookies: null };
    keep(id, { episode, answer });
    context.session.set(COOKIE_KEY, id);
    return answer;
  }

  /** The one close of a session, however often it is asked for. */
  function closed(id: string, session: Open<S>): Promise<AgentSessionCloseAnswer> {
    session.closing ??= ended(session).then(
      (end) => {
        const answer = {
          agent_session_id: id,
          agent_observations: end.agent_observations ?? null,
          resources_cookies: end.resources_cookies ?? null,
        };
        keep(id, { episode: session.seed.episode_id, answer });
        open.delete(id);
        return answer;
      },
      (error) => {
        delete session.closing;
        throw error;
      },
    );
    return session.closing;
  }

  async function ended({ ending, calls, state }: Open<S>): Promise<AgentSessionEnd> {
    ending.abort(new GymError("NG_ERR_CANCELLED", `${name}: the agent session was closed`));
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, CALLS_END_MS);
    await Promise.race([Promise.allSettled(calls), timeout.promise]);
    clearTimeout(timer);
    return hooks.close(state);
  }

  function keep(id: string, receipt: Receipt): void {
    if (!wasHeld(receipts, id)) receipts.set(id, receipt);
  }

  async function activate<T>(context: RequestContext, work: (context: RequestContext, state: S | undefined) => Promise<T>): Promise<T> {
    const id = context.session.get(COOKIE_KEY);
    if (typeof id !== "string") return work(context, undefined);
    const session = held(open, id);
    if (session === undefined || session.closing !== undefined) throw conflict(SESSION_TEXTS.unknown, "session_lost");
    const signal = AbortSignal.any([context.signal, session.ending.signal]);
    const call = work({ ...context, signal }, session.state);
    session.calls.add(call);
    try {
      return await call;
    } finally {
      session.calls.delete(call);
    }
  }

  return {
    seed,
    close,
    activate,
    [Symbol.dispose]() {
      open[Symbol.dispose]();
      receipts[Symbol.dispose]();
    },
  };
}

function conflict(detail: string, kind?: string): HttpError {
  return new HttpError(409, detail, kind);
}

function sameEpisode(seeded: EpisodeId, asked: EpisodeId): true {
  if (!isDeepStrictEqual(seeded, asked)) throw conflict(SESSION_TEXTS.otherEpisode);
  return true;
}

/** A cookie says whose call it is; a body with another id is a mistake. */
function refuseForeign(id: string, { session }: RequestContext): void {
  const bound = session.get(COOKIE_KEY);
  if (bound !== undefined && bound !== id) throw conflict(`The session cookie belongs to another agent session than ${JSON.stringify(id)}`);
}
