/** Keys of a server that keeps state for its sessions, and what its store makes of them. */
import { z } from "zod";
import { resourcesServerConfig } from "./resources-server.ts";
import { MAX_SESSIONS, SESSION_TTL_MS, type SessionStoreOptions } from "./session-store.ts";

/** Keys of a resources server with sessions; extend it with your own. */
export const sessionServerConfig = resourcesServerConfig.extend({
  max_sessions: z.number().int().positive().default(MAX_SESSIONS),
  session_ttl_seconds: z
    .number()
    .positive()
    .default(SESSION_TTL_MS / 1000),
});
export type SessionServerConfig = z.infer<typeof sessionServerConfig>;

/** The limits of a store, from the block of its server. */
export function sessionLimits(
  config: Pick<SessionServerConfig, "max_sessions" | "session_ttl_seconds">,
): Pick<SessionStoreOptions<unknown>, "maxSessions" | "ttlMs"> {
  return { maxSessions: config.max_sessions, ttlMs: config.session_ttl_seconds * 1000 };
}
