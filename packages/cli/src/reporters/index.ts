/** The only code that prints, and the texts that it prints. */
export { benchmarksText, benchmarkText } from "./benchmarks.ts";
export { defectText, failureJson, failureText } from "./failure.ts";
export { layersText } from "./layers.ts";
export { profileText } from "./profile.ts";
export { followCollection, type LoadEvent } from "./progress.ts";
export { followServers } from "./servers.ts";
export { type InstanceLoad, type ServerStatus, statusText } from "./status.ts";
export { mergedTargets } from "./status-cells.ts";
export { summaryText } from "./summary.ts";
