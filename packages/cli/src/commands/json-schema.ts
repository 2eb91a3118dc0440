/** `ng-validate --json-schema`: what an editor needs to check a configuration file while it is written. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findServerDir, resolveEntrypoint, SERVER_TYPES, searchRoots } from "@ng-gym/core/config";
import { messageOf } from "@ng-gym/core/errors";
import { collectParameters, profileParameters } from "@ng-gym/core/rollouts";
import { type EditorSchemaOptions, editorSchema, type JsonSchema, loadServerClass } from "@ng-gym/core/servers";
import { type CommandInput, sentencesOf } from "../contract/index.ts";
import { collectKeys, profileKeys } from "../table/index.ts";

/** The schema with the keys of every TypeScript server in the search roots; one that cannot be loaded is a notice. */
export async function configSchema(at: Pick<CommandInput, "cwd" | "env">): Promise<{ schema: JsonSchema; notices: string[] }> {
  const notices: string[] = [];
  const servers: EditorSchemaOptions["servers"][number][] = [];
  for (const type of SERVER_TYPES) {
    for (const implementation of implementationsOf(type, at)) {
      const { dir } = findServerDir(type, implementation, at);
      const program = resolveEntrypoint(dir, "app.ts");
      if (program?.language !== "typescript") continue;
      try {
        servers.push({ type, implementation, configSchema: (await loadServerClass(program.file)).configSchema });
      } catch (error) {
        notices.push(`keys of ${type}/${implementation} are not in the schema: ${messageOf(error)}`);
      }
    }
  }
  const parameters = [
    { schema: collectParameters, about: sentencesOf(collectKeys) },
    { schema: profileParameters, about: sentencesOf(profileKeys) },
  ];
  return { schema: await editorSchema({ servers, parameters }), notices };
}

/** Names in any root, in alphabetical order, so that the text is the same on every machine. */
function implementationsOf(type: string, at: Pick<CommandInput, "cwd" | "env">): string[] {
  const names = searchRoots(at).flatMap((root) => {
    try {
      return readdirSync(join(root, type), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    } catch {
      return [];
    }
  });
  return [...new Set(names.map((entry) => entry.name))].sort();
}
