/** `ng-status`: what a head server runs, and whether each of it answers. */
import { isGymError, messageOf } from "@ng-gym/core/errors";
import { clientOf, fetchHead, type ServerInstanceInfo } from "@ng-gym/core/head";
import type { CommandModule } from "../contract/index.ts";
import { type ServerStatus, statusText } from "../reporters/index.ts";
import { headOf } from "./head.ts";
import { loadSettings } from "./settings.ts";

/** How long a server may take to say that it is well. */
const PROBE_TIMEOUT_MS = 2_000;

export interface StatusReport {
  head: string;
  servers: (ServerInstanceInfo & ServerStatus)[];
  notices: string[];
}

export const statusCommand: CommandModule<StatusReport> = {
  async execute(input) {
    const head = headOf(await loadSettings(input, { noModel: true }));
    try {
      const { instances, ready } = await fetchHead(head, input.signal);
      await using client = clientOf(instances, { policy: { maxAttempts: 1 } });
      const servers = await Promise.all(
        instances.map((instance) =>
          probe(instance, (signal) =>
            client.call(instance.config_path, { kind: "control", method: "GET", path: "/", timeoutMs: PROBE_TIMEOUT_MS, signal }),
          ),
        ),
      );
      return { head: head.url, servers, notices: ready ? [] : [`${head.url} is still starting its servers`] };
    } catch (error) {
      if (!isGymError(error, "NG_ERR_HEAD_UNREACHABLE")) throw error;
      return { head: head.url, servers: [], notices: [messageOf(error)] };
    }
  },
  notices: (result) => result.notices,
  text: (result) => statusText(result.servers, result.head),
  json: (result) => result.servers,
};

async function probe(
  instance: ServerInstanceInfo,
  ask: (signal: AbortSignal) => Promise<unknown>,
): Promise<ServerInstanceInfo & ServerStatus> {
  const uptime = Math.max(0, Date.now() / 1000 - instance.start_time);
  const answered = (status: ServerStatus["status"]): ServerInstanceInfo & ServerStatus => ({
    ...instance,
    status,
    uptime_seconds: status === "success" ? uptime : null,
  });
  try {
    await ask(AbortSignal.timeout(PROBE_TIMEOUT_MS));
    return answered("success");
  } catch (error) {
    if (isGymError(error, "NG_ERR_UNREACHABLE") || isGymError(error, "NG_ERR_PEER_DROP")) return answered("connection_error");
    return answered(isGymError(error, "NG_ERR_TIMEOUT") || isGymError(error, "NG_ERR_CANCELLED") ? "timeout" : "unknown_error");
  }
}
