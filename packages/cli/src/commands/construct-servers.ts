/**
 * A dry run: every server of a configuration is found, its block parsed and its object made; nothing listens and nothing is called. Of a server in Python
 * the folder, the program and the interpreter must be there; its code is not run.
 */
import { headPortProblem, type LoadedConfig } from "@ng-gym/core/config";
import { GymError, messageOf } from "@ng-gym/core/errors";
import { createServerClient } from "@ng-gym/core/http";
import type { CommandInput } from "../contract/index.ts";
import { blockIssuesOf, hostingProblem, missingProgram, serverClassOf } from "./server-schemas.ts";

/** Names of the servers. @throws GymError NG_ERR_SERVER_START naming every server that cannot be made. */
export async function constructServers(config: LoadedConfig, input: CommandInput): Promise<string[]> {
  if (config.servers.length === 0) {
    throw new GymError("NG_ERR_CONFIG", "the configuration has no server to start", {
      hint: "Name configuration files with --config or +config_paths=[...].",
    });
  }
  const head = headPortProblem(config);
  if (head !== undefined) throw new GymError("NG_ERR_CONFIG", `the head server cannot be started:\n  ${head}`);
  await using client = createServerClient({ addressOf: () => ({ url: "http://127.0.0.1:9" }) });
  const failed: string[] = [];
  let broken = 0;
  for (const instance of config.servers) {
    try {
      const missing = await missingProgram(instance, { ...input, python: config.get("python") });
      const problem = missing ?? (await hostingProblem(instance, config, input));
      if (problem !== undefined) throw new Error(problem);
      const issues = await blockIssuesOf(instance, input);
      if (issues.length > 0) {
        const { blockLines } = await import("@ng-gym/core/servers");
        failed.push(...blockLines(instance, issues).map((line) => `  ${line}`));
        broken++;
        continue;
      }
      const Class = await serverClassOf(instance, input);
      if (Class !== undefined)
        new Class({ name: instance.name, config: Class.configSchema.parse(instance.block), client, global: config, log: () => {} });
    } catch (error) {
      failed.push(`  ${instance.name}: ${messageOf(error)}`);
      broken++;
    }
  }
  if (failed.length > 0)
    throw new GymError("NG_ERR_SERVER_START", `${broken} of ${config.servers.length} servers cannot be made:\n${failed.join("\n")}`);
  return config.servers.map((instance) => instance.name);
}
