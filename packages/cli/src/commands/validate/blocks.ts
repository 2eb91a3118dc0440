/** Values of a server's block, as the server itself would read them at its start. */
import { type LoadedConfig, problemAt } from "@ng-gym/core/config";
import type { CommandInput } from "../../contract/index.ts";
import { blockIssuesOf, hostingProblem, missingProgram } from "../server-schemas.ts";
import { error, type Finding, warning } from "./finding.ts";

export async function checkBlocks(config: LoadedConfig, at: Pick<CommandInput, "cwd" | "env">): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const instance of config.servers) {
    if (instance.generated === true) continue;
    const missing = await missingProgram(instance, { ...at, python: config.get("python") });
    const unhosted = missing === undefined ? await hostingProblem(instance, config, at) : undefined;
    const why = missing ?? unhosted;
    if (why !== undefined) {
      const path = [instance.name, instance.type, instance.implementation];
      const problem = problemAt(config, path, { message: (key) => `'${key}' cannot be started: ${why}.` });
      // What is missing may still come.
      findings.push(missing === undefined ? error(problem) : warning(problem));
    }
    for (const { path, message } of await blockIssuesOf(instance, at)) {
      findings.push(
        error(
          problemAt(config, [instance.name, instance.type, instance.implementation, ...path], {
            message: (key) => `'${key}': ${message}.`,
          }),
        ),
      );
    }
  }
  return findings;
}
