/** A call through a grant: to the address that an environment server gave, with the headers it gave. */
import type { Call, Reply, ServerClient } from "../http/index.ts";
import type { DirectToolAccess } from "../protocol/index.ts";

/**
 * Calls `call.path` below the grant's address; the jar is the caller's, opened with the grant's cookies. A server of this configuration is called by
 * its name, so that the call stays inside the process where it can.
 * @throws GymError when no reply can be had.
 */
export function callGranted(client: ServerClient, access: DirectToolAccess, call: Call): Promise<Reply> {
  const granted = { ...call, headers: { ...call.headers, ...access.headers } };
  const server = serverBehind(client, access);
  if (server !== undefined) return client.call(server, granted);
  return client.fetch({ name: access.name, url: access.base_url.replace(/\/+$/, "") + call.path }, { ...granted, inner: true });
}

/** A grant is named `<server>.<transport>`; the address says whether that name means a server of ours. */
function serverBehind(client: ServerClient, { name, base_url }: DirectToolAccess): string | undefined {
  const server = name.slice(0, Math.max(name.lastIndexOf("."), 0)) || name;
  try {
    return new URL(client.addressOf(server).url).href === new URL(base_url).href ? server : undefined;
  } catch {
    return undefined;
  }
}
