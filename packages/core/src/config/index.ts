/** `config`: the dialect, the checks and the diagnostics of configurations. README.md tells how a load runs. */
export { type Address, type Announcement, withAddresses } from "./announce.ts";
export { BASE_BLOCK_KEYS, BLOCK_KEYS } from "./block-keys.ts";
export { type ChildConfig, CONFIG_VARIABLE, childEnvironment, loadChildConfig } from "./child.ts";
export { exportedVariables } from "./compat-exports.ts";
export {
  checkDatasetEntry,
  DATASET_TYPES,
  type DatasetEntry,
  type DatasetSource,
  type EntryProblem,
  LICENSES,
  wholeNumber,
} from "./dataset-entry.ts";
export { headPortProblem } from "./head-port.ts";
export { HTTP_LIMIT_KEYS, HTTP_RETRY_KEYS } from "./http-keys.ts";
export { loadConfig } from "./load.ts";
export { pickPort } from "./network.ts";
export { applyOverrides, overrideTokens } from "./override-apply.ts";
export { parseOverride } from "./override-parse.ts";
export { problemAt } from "./problem-at.ts";
export { type Problem, Problems, problemsError, renderProblem } from "./problems.ts";
export { MAX_RESTARTS, restartsOf } from "./restart-policy.ts";
export {
  candidatePaths,
  defaultInstallRoot,
  type Entrypoint,
  findServerDir,
  type RootOptions,
  resolveEntrypoint,
  resolveReadPath,
  type ServerDir,
  searchRoots,
} from "./roots.ts";
export { type DatasetRoute, environmentServerAgents, environmentServerAttributedAgent, resolveDatasetAgent, runLabels } from "./routing.ts";
export { isSecretKey, MASK, maskOverrides, maskSecrets, maskText } from "./secrets.ts";
export { DOMAINS, isServerType, SERVER_TYPES, type ServerType } from "./server-types.ts";
export { didYouMean, suggest } from "./suggest.ts";
export { KNOWN_KEYS, RESERVED_KEYS } from "./top-level-keys.ts";
export { MAX_COPIES, TOP_LEVEL_KEYS, type TopLevelKey, type TopLevelName, type TopLevelType, topLevelKeys } from "./top-level-table.ts";
export type { LoadedConfig, LoadOptions, PortAllocator, SchemaFor, ServerInstance, ValueLayer } from "./types.ts";
export { parseConfigYaml } from "./yaml.ts";
export { dumpYaml } from "./yaml-emit.ts";
