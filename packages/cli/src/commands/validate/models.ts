/** What a model server needs from outside: its settings are there, its endpoint answers. */
import { type LoadedConfig, type Problem, problemAt, type ServerInstance } from "@ng-gym/core/config";
import type { EndpointAnswer } from "@ng-gym/core/servers";
import { type Finding, warning } from "./finding.ts";

const NEEDED = /(?:^|_)(?:base_url|api_key|model|model_name)$/;
const SET_WITH = "set it with ++policy_...=<value>, in env.yaml, in a configuration file, or by OPENAI_API_KEY and OPENAI_BASE_URL";

/** Settings of model servers that are there and say nothing. */
export function checkKeys(config: LoadedConfig): Finding[] {
  return models(config).flatMap((server) =>
    Object.entries(server.block)
      .filter(([key, value]) => NEEDED.test(key) && (value === null || value === ""))
      .map(([key]) => warning(problemAt(config, pathOf(server, key), { message: (path) => `'${path}' is empty.`, fix: SET_WITH }))),
  );
}

/** Each endpoint is asked once. */
export async function checkEndpoints(
  config: LoadedConfig,
  signal: AbortSignal,
): Promise<{ endpoints: EndpointAnswer[]; findings: Finding[] }> {
  if (models(config).length === 0) return { endpoints: [], findings: [] };
  const { askEndpoints } = await import("@ng-gym/core/servers");
  const endpoints = await askEndpoints(config.servers, signal);
  const findings = endpoints.filter(({ outcome }) => outcome !== "answering").map((answer) => warning(silent(config, answer)));
  return { endpoints, findings };
}

function silent(config: LoadedConfig, { shown, keys, outcome }: EndpointAnswer): Problem {
  const place = keys[0] ?? "";
  const server = models(config).find(({ name }) => place.startsWith(`${name}.`)) as ServerInstance;
  const what = outcome === "refused" ? "does not answer" : "has a name that cannot be resolved to an address";
  return problemAt(config, pathOf(server, place.slice(server.name.length + 1)), {
    code: "NG_ERR_UNREACHABLE",
    message: () => `The model endpoint ${shown} ${what} (${keys.join(", ")}).`,
    fix: "start it or correct its address; --offline leaves this check out",
  });
}

function models(config: LoadedConfig): ServerInstance[] {
  return config.servers.filter(({ type }) => type === "responses_api_models");
}

function pathOf({ name, type, implementation }: ServerInstance, key: string): string[] {
  return [name, type, implementation, key];
}
