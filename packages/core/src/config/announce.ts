/** Addresses that the launcher bound, written into a configuration before children and clients see it. */
import { finish } from "./finish.ts";
import { get, list, type MapNode, scalar, text, withEntry, withPath } from "./node.ts";
import { blockOf, blockPath } from "./server-types.ts";
import { madeUp } from "./source.ts";
import type { LoadedConfig } from "./types.ts";

export interface Address {
  host?: string;
  port: number;
}

export interface Announcement {
  /** Instance name -> where it listens. */
  servers: Record<string, Address>;
  headServer?: Address;
  env: Record<string, string | undefined>;
}

/** A configuration like the given one, with these addresses and `disallowed_ports` made of them. */
export function withAddresses(config: LoadedConfig, { servers, headServer, env }: Announcement): LoadedConfig {
  const at = madeUp("generated", "address bound at start");
  let tree: MapNode = config.tree;
  for (const [name, address] of Object.entries(servers)) {
    const block = blockOf(name, get(tree, name));
    if (block !== undefined) tree = withPath(tree, blockPath(block), addressed(block.fields, address));
  }
  const head = get(tree, "head_server");
  if (headServer !== undefined && head?.kind === "map") tree = withEntry(tree, "head_server", addressed(head, headServer));
  const ports = [headServer?.port ?? config.headServer.port, ...Object.values(servers).map(({ port }) => port)].filter(
    (port) => port !== null,
  );
  tree = withEntry(
    tree,
    "disallowed_ports",
    list(
      ports.map((port) => scalar("int", port, at)),
      at,
    ),
  );
  const generated = new Set(config.servers.filter((server) => server.generated === true).map((server) => server.name));
  return finish(tree, { env, notices: config.notices, generated });

  function addressed(fields: MapNode, { host, port }: Address): MapNode {
    const withHost = host === undefined ? fields : withEntry(fields, "host", text(host, at));
    return withEntry(withHost, "port", scalar("int", port, at));
  }
}
