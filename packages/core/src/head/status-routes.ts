/** What a head server tells about load: `/ng_status` for people and programs of ours, `/metrics` for Prometheus. */
import type { EndpointReply } from "../http/index.ts";
import type { NamedHostStatus } from "./host-status.ts";
import { metricsText } from "./metrics-text.ts";

/** The answer of `/ng_status`. */
export interface RunStatus {
  ready: boolean;
  /** Names that are not ready yet. */
  waiting: readonly string[];
  hosts: NamedHostStatus[];
}

export interface StatusSource {
  ready: boolean;
  waiting: readonly string[];
  /** Asks every process of the run, within a bounded time. Absent: there is none yet. */
  hosts?: (() => Promise<NamedHostStatus[]>) | undefined;
}

export const STATUS_PATHS: readonly string[] = ["/ng_status", "/metrics"];

export type StatusRoutes = (path: string) => Promise<EndpointReply>;

/** Questions at the same time are one to the processes. */
export function createStatusRoutes(source: StatusSource): StatusRoutes {
  let asked: Promise<NamedHostStatus[]> | undefined;
  const hosts = (): Promise<NamedHostStatus[]> => {
    asked ??= (source.hosts?.() ?? Promise.resolve([])).finally(() => {
      asked = undefined;
    });
    return asked;
  };

  return async (path) => {
    const told = await hosts();
    if (path === "/metrics") {
      const { contentType, text } = await metricsText(told);
      return { status: 200, body: null, text, headers: { "content-type": contentType } };
    }
    const status: RunStatus = {
      ready: source.ready,
      waiting: source.waiting,
      hosts: told.map(({ metrics: _, ...host }) => host),
    };
    return { status: 200, body: status };
  };
}
