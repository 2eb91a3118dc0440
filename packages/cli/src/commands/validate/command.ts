/** `ng-validate`: everything that is wrong with a configuration, and with what it needs, before anything starts. */
import { headPortProblem, type LoadedConfig, problemsError, renderProblem } from "@ng-gym/core/config";
import { GymError, isGymError } from "@ng-gym/core/errors";
import type { EndpointAnswer, JsonSchema } from "@ng-gym/core/servers";
import type { CommandInput, CommandModule } from "../../contract/index.ts";
import { schemaKeysOf } from "../server-schemas.ts";
import { loadSettings } from "../settings.ts";
import { checkBlocks } from "./blocks.ts";
import { checkData } from "./data.ts";
import { error, type Finding } from "./finding.ts";
import { checkEndpoints, checkKeys } from "./models.ts";

export interface ValidateReport {
  /** With `--json-schema`; nothing else is then set. */
  schema?: JsonSchema;
  config?: LoadedConfig;
  /** Why it is not valid, or, where `config` is there, what a run would still lack. */
  lacking?: GymError;
  findings: Finding[];
  endpoints: EndpointAnswer[];
  strict: boolean;
  notices: string[];
}

function headPort(config: LoadedConfig): Finding[] {
  const message = headPortProblem(config);
  return message === undefined ? [] : [error({ code: "NG_ERR_CONFIG", message, key: "head_server.port" })];
}

export const validateCommand: CommandModule<ValidateReport> = {
  async execute(input) {
    const strict = input.values.has("--strict");
    const nothing = { findings: [], endpoints: [], strict, notices: [] };
    if (input.values.has("--json-schema")) {
      const { configSchema } = await import("../json-schema.ts");
      return { ...nothing, ...(await configSchema(input)) };
    }
    requireFiles(input);
    const { config, lacking } = await loaded(input, strict);
    if (config === undefined) return { ...nothing, lacking };
    const findings = [...headPort(config), ...(await checkBlocks(config, input)), ...(await checkData(config, input))];
    // A stand-in for the model has nothing that could be asked.
    const asked = lacking === undefined && !input.values.has("--offline");
    const { endpoints, findings: silent } = asked ? await checkEndpoints(config, input.signal) : { endpoints: [], findings: [] };
    const keys = lacking === undefined ? checkKeys(config) : [];
    return { config, lacking, findings: [...findings, ...keys, ...silent], endpoints, strict, notices: config.notices };
  },
  notices: (report) => [
    ...report.notices,
    ...(report.config === undefined || report.lacking === undefined
      ? []
      : [`Warning: without a policy model it cannot run yet: ${report.lacking.message}`]),
    ...report.findings.filter((finding) => !isError(finding, report)).map((finding) => renderProblem(finding, "Warning: ")),
  ],
  text: (report) => {
    if (report.schema !== undefined) return `${JSON.stringify(report.schema, undefined, 2)}\n`;
    return isValid(report) ? "✓ Config is valid.\n" : "";
  },
  json: (report) =>
    report.schema ?? {
      valid: isValid(report),
      servers: report.config?.servers.map(({ name, type, implementation }) => ({ name, type, implementation })) ?? [],
      endpoints: report.endpoints.map(({ shown, keys, outcome }) => ({ url: shown, keys, outcome })),
      problems: [...lackingOf(report), ...report.findings],
    },
  problem: (report) => {
    const errors = report.findings.filter((finding) => isError(finding, report));
    if (report.schema !== undefined || isValid(report)) return undefined;
    return report.config === undefined ? report.lacking : problemsError(errors);
  },
  exitCode: (report) => (report.schema !== undefined || isValid(report) ? 0 : 1),
};

function isValid(report: ValidateReport): boolean {
  return report.config !== undefined && !report.findings.some((finding) => isError(finding, report));
}

function isError(finding: Finding, { strict }: ValidateReport): boolean {
  return strict || finding.severity === "error";
}

function requireFiles(input: CommandInput): void {
  if (!input.values.has("--json") || input.overrides.some((token) => token.replace(/^\++/, "").startsWith("config_paths="))) return;
  throw new GymError("NG_ERR_CONFIG", "--json reports on configuration files, and none is named", {
    hint: "Name one with --config or +config_paths=[...].",
  });
}

/** What is wrong with the configuration itself, in the shape of findings. */
function lackingOf({ lacking, config }: ValidateReport): Partial<Finding>[] {
  if (lacking === undefined) return [];
  const problems = (lacking.details.problems as Finding[] | undefined) ?? [{ code: lacking.code, message: lacking.message }];
  return problems.map((problem) => (config === undefined ? error(problem) : { severity: "warning", ...problem }));
}

/** The configuration; where it only lacks a policy model and need not be strict, that with a stand-in. */
async function loaded(input: CommandInput, strict: boolean): Promise<Pick<ValidateReport, "config" | "lacking">> {
  const load = (noModel: boolean): Promise<LoadedConfig> => loadSettings(input, { noModel, schemaFor: schemaKeysOf(input) });
  try {
    return { config: await load(false) };
  } catch (thrown) {
    if (!isGymError(thrown) || thrown.exitCode !== 1) throw thrown;
    const config = strict ? undefined : await load(true).catch(() => undefined);
    if (config === undefined && !input.values.has("--json")) throw thrown;
    return { config, lacking: thrown };
  }
}
