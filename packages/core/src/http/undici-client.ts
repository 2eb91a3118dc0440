/**
 * Undici's client for one origin, by its own file: the package's door loads fetch, caches, web sockets and mocks as well, which costs every process
 * 0.1 s and 15 MB.
 */
import { createRequire } from "node:module";
import type { Client as UndiciClient } from "undici";

export const Client = createRequire(import.meta.url)("undici/lib/dispatcher/client.js") as typeof UndiciClient;
export type Client = UndiciClient;
