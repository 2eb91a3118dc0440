/**
 * Typed sessions of a resources server: which episode an id belongs to, and which cookie sessions were seeded under it. An id may be seeded again by
 * its own episode (an answer can get lost), is closed once with all that was seeded under it, and is never seeded after that.
 */
import { isDeepStrictEqual } from "node:util";
import { GymError } from "../errors/index.ts";
import { CookieJar, kindName } from "../http/index.ts";
import type { CloseSessionRequest, SeedRequest } from "../protocol/index.ts";
import type { Log } from "./gym-server.ts";
import { held, wasHeld } from "./held-session.ts";
import type { RequestContext } from "./route.ts";
import type { Session } from "./session.ts";
import { createSessionStore } from "./session-store.ts";

export interface ResourcesSessionsOptions {
  name: string;
  /** Seeds the context's session; what it answers is answered again to the same session. */
  seed(seed: SeedRequest, context: RequestContext): Promise<unknown>;
  /** Frees the context's session; what it throws leaves it open. */
  close(context: RequestContext): Promise<unknown>;
  log: Log;
}

export interface ResourcesSessions extends Disposable {
  /** @throws GymError NG_ERR_SESSION for an id of another episode or task, or a closed one; what seeding throws. */
  seed(seed: SeedRequest, context: RequestContext): Promise<unknown>;
  /** @throws GymError NG_ERR_SESSION for an id of another episode; what freeing throws. */
  close(request: CloseSessionRequest, context: RequestContext): Promise<void>;
}

/** Ids that were closed before they were seeded: such a seed is on its way still, or never was. */
const MAX_CLOSED_UNSEEN = 50_000;
const CLOSED_UNSEEN_MS = 3_600_000;

interface Seeded {
  session: Session;
  answer: Promise<unknown>;
  failed: boolean;
}

interface Open {
  seed: SeedRequest;
  /** By the id of the cookie session. */
  sessions: Map<string, Seeded>;
  closing?: Promise<void>;
}

const NEVER_ABORTED = new AbortController().signal;

/** For a session that nobody closed in time. */
function background(session: Session): RequestContext {
  return { session, jar: new CookieJar(), headers: {}, signal: NEVER_ABORTED, rolloutId: undefined, prefix: "", setCookies: [] };
}

export function createResourcesSessions(options: ResourcesSessionsOptions): ResourcesSessions {
  const { name, log } = options;
  const open = createSessionStore<Open>({ name: `${name}: typed sessions`, onEvict: (entry) => release(entry, background), log });
  const closedUnseen = createSessionStore<true>({
    name: `${name}: closed sessions`,
    maxSessions: MAX_CLOSED_UNSEEN,
    ttlMs: CLOSED_UNSEEN_MS,
    reclaimAfterMs: 0,
  });

  function refused(reason: string): GymError {
    return new GymError("NG_ERR_SESSION", reason, {
      details: { failure_kind: `${kindName(name)}:session_refused`, boundary: name, message: reason },
    });
  }

  function isClosed(id: string): boolean {
    return wasHeld(open, id) || held(closedUnseen, id) === true || wasHeld(closedUnseen, id);
  }

  async function seed(request: SeedRequest, context: RequestContext): Promise<unknown> {
    const id = request.resources_session_id;
    let entry = held(open, id);
    if (entry?.closing !== undefined || (entry === undefined && isClosed(id)))
      throw refused(`the resources session ${JSON.stringify(id)} is closed`);
    if (entry === undefined) {
      entry = { seed: { ...request, task_data: {} }, sessions: new Map() };
      open.set(id, entry);
    } else if (!isDeepStrictEqual([entry.seed.episode_id, entry.seed.task_id], [request.episode_id, request.task_id])) {
      throw refused(`the resources session ${JSON.stringify(id)} belongs to another episode or task`);
    }
    const { session } = context;
    const before = entry.sessions.get(session.id);
    if (before !== undefined && !before.failed) return before.answer;
    const seeded: Seeded = { session, answer: options.seed(request, context), failed: false };
    entry.sessions.set(session.id, seeded);
    seeded.answer.catch(() => {
      seeded.failed = true;
    });
    return seeded.answer;
  }

  async function close(request: CloseSessionRequest, context: RequestContext): Promise<void> {
    const id = request.resources_session_id;
    const entry = held(open, id);
    if (entry !== undefined) {
      if (!isDeepStrictEqual(entry.seed.episode_id, request.episode_id))
        throw refused(`the resources session ${JSON.stringify(id)} was seeded by another episode`);
      entry.closing ??= release(entry, (session) => ({ ...context, session, signal: NEVER_ABORTED })).then(
        () => void open.delete(id),
        (error) => {
          delete entry.closing;
          throw error;
        },
      );
      return entry.closing;
    }
    if (!isClosed(id)) closedUnseen.set(id, true);
    // Seeded by a row: only its cookie tells.
    if (!context.session.isNew) await options.close({ ...context, signal: NEVER_ABORTED });
  }

  /** Frees all that was seeded, whoever asked for it may leave meanwhile. @throws the first error, once everything was tried. */
  async function release({ sessions }: Open, contextOf: (session: Session) => RequestContext): Promise<void> {
    await Promise.allSettled([...sessions.values()].map(({ answer }) => answer));
    const results = await Promise.allSettled(
      [...sessions.values()].map(async ({ session }) => {
        await options.close(contextOf(session));
        sessions.delete(session.id);
      }),
    );
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  return {
    seed,
    close,
    [Symbol.dispose]() {
      open[Symbol.dispose]();
      closedUnseen[Symbol.dispose]();
    },
  };
}
