/** The data files of a configuration: each line of those that are there; those that are not are named. */
import { existsSync } from "node:fs";
import { candidatePaths, type LoadedConfig, type Problem, problemAt, resolveReadPath, type ServerInstance } from "@ng-gym/core/config";
import { GymError } from "@ng-gym/core/errors";
import { parseRow, readLines } from "@ng-gym/core/jsonl";
import type { CommandInput } from "../../contract/index.ts";
import { error, type Finding, warning } from "./finding.ts";

/** Wrong lines that are shown of one file; the rest is counted. */
const MAX_LINES_SHOWN = 10;
/** A longer file is read up to here. */
export const MAX_BYTES_READ = 512 * 1024 * 1024;

type Around = Pick<CommandInput, "cwd" | "env" | "signal">;

export async function checkData(config: LoadedConfig, around: Around): Promise<Finding[]> {
  const findings: Finding[] = [];
  const read = new Set<string>();
  for (const server of config.servers) {
    const datasets = Array.isArray(server.block.datasets) ? (server.block.datasets as unknown[]) : [];
    for (const [index, dataset] of datasets.entries()) {
      const { name, jsonl_fpath: path } = dataset as { name?: unknown; jsonl_fpath?: unknown };
      if (typeof path !== "string") continue;
      const file = resolveReadPath(path, around);
      if (!existsSync(file)) findings.push(warning(missing(config, server, { index, name, path, around })));
      else if (!read.has(file)) findings.push(...(await wrongLines(file, around.signal)));
      read.add(file);
    }
  }
  return findings;
}

function missing(
  config: LoadedConfig,
  server: ServerInstance,
  at: { index: number; name: unknown; path: string; around: Around },
): Problem {
  const key = [server.name, server.type, server.implementation, "datasets", at.index, "jsonl_fpath"];
  const script = (server.block.datasets as { prepare_script?: unknown }[])[at.index]?.prepare_script;
  return problemAt(config, key, {
    code: "NG_ERR_FILE",
    message: () => `The data set '${String(at.name)}' of ${server.name} has no file: ${at.path} does not exist.`,
    expected: `one of ${candidatePaths(at.path, at.around).join(", ")}`,
    fix: typeof script === "string" ? `make it with ${script}` : "fetch or make the file, or correct the path",
  });
}

async function wrongLines(file: string, signal: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  let more = 0;
  const add = (message: string, line: number): void => {
    if (findings.length < MAX_LINES_SHOWN) findings.push(error({ code: "NG_ERR_DATA", message, source: file, line, column: 1 }));
    else more++;
  };
  try {
    for await (const line of readLines(file)) {
      signal.throwIfAborted();
      if (line.offset > MAX_BYTES_READ) {
        findings.push(warning({ code: "NG_ERR_DATA", message: `${file} is long: lines from ${line.number} on are not checked.` }));
        break;
      }
      const wrong = wrongRow(() => parseRow(file, line).responses_create_params);
      if (wrong !== undefined) add(wrong.replace(`${file}:${line.number}: `, ""), line.number);
    }
  } catch (thrown) {
    if (!(thrown instanceof GymError)) throw thrown;
    findings.push(error({ code: thrown.code, message: thrown.message }));
  }
  if (more > 0) findings.push(error({ code: "NG_ERR_DATA", message: `${file}: ${more} more lines are wrong.` }));
  return findings;
}

/** A row may do without a request (a prompt template makes it), but what it has must be one. */
function wrongRow(requestOf: () => unknown): string | undefined {
  try {
    const request = requestOf();
    if (request === undefined || (typeof request === "object" && request !== null && !Array.isArray(request))) return undefined;
    return "responses_create_params must be an object.";
  } catch (thrown) {
    if (thrown instanceof GymError) return thrown.message;
    throw thrown;
  }
}
