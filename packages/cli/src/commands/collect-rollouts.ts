/** `ng-collect-rollouts`: rows through running servers into files. */
import { parseConfigYaml } from "@ng-gym/core/config";
import { clientOf, type HeadReport, probeRun } from "@ng-gym/core/head";
import { clientSettings, type RetryNotice } from "@ng-gym/core/http";
import {
  type CollectEvent,
  type CollectResult,
  collectParameters,
  collectRollouts,
  parseCollectParameters,
  type RunServers,
} from "@ng-gym/core/rollouts";
import { logSettings, outgoingHeaders } from "@ng-gym/core/telemetry";
import type { CommandModule } from "../contract/index.ts";
import { followCollection, type LoadEvent, summaryText } from "../reporters/index.ts";
import { collectorTelemetry } from "./collector-telemetry.ts";
import { headOf } from "./head.ts";
import { snakeCaseKeys } from "./json-keys.ts";
import { watchLoad } from "./load-watch.ts";
import { readyHead } from "./ready-head.ts";
import { type Remark, withRemarks } from "./remarks.ts";
import { loadSettings } from "./settings.ts";

type Event = CollectEvent | LoadEvent | Remark;

export const collectRolloutsCommand: CommandModule<CollectResult, Event> = {
  async execute(input, emit) {
    const config = await loadSettings(input, { noModel: true, parameters: Object.keys(collectParameters.shape) });
    for (const message of config.notices) emit({ type: "remark", message });
    const { parameters, notices } = parseCollectParameters(config.resolved() as Record<string, unknown>);
    for (const notice of notices) emit(notice);
    const address = headOf(config);
    const head = await readyHead(address, { signal: input.signal, onWait: (message) => emit({ type: "remark", message }) });
    const { cwd, env, signal, values } = input;
    const servers = serversOf(head);
    const onLine = (message: string): void => emit({ type: "remark", message });
    const { format } = logSettings((key) => config.get(key) ?? servers.config[key]);
    await using telemetry = collectorTelemetry([config.get("telemetry"), servers.config.telemetry], { env, format, onLine });
    await using client = clientOf(head.instances, {
      ...clientSettings((key) => config.get(key) ?? servers.config[key]),
      onRetry: (notice) => emit(retryWait(notice)),
      outgoing: outgoingHeaders,
      around: telemetry?.around,
    });
    await using probe = probeRun(address, head.instances);
    await using _load = watchLoad(address, emit);
    return await collectRollouts({
      client,
      servers,
      parameters,
      force: values.has("--force"),
      strict: values.has("--strict"),
      signal,
      onEvent: emit,
      askRun: (asked) => probe.ask(asked),
      cwd,
      env,
    });
  },
  follow: (terminal) => withRemarks(terminal, followCollection(terminal)),
  text: (result) => summaryText(result.summary),
  json: (result) => ({ exit_code: result.exitCode, ...(snakeCaseKeys(result.summary) as object) }),
  exitCode: (result) => result.exitCode,
  problem: (result) => result.problem,
};

function serversOf(head: HeadReport): RunServers {
  const instances = head.instances.map((instance) => ({
    name: instance.config_path,
    aggregation: instance.aggregation === "baseline" ? ("baseline" as const) : ("post" as const),
  }));
  return { config: parseConfigYaml(head.configYaml) as Record<string, unknown>, instances };
}

function retryWait({ server, attempt, delayMs, reason }: RetryNotice): CollectEvent {
  return { type: "retry-wait", server, attempt, delayS: delayMs / 1000, reason };
}
