/** `head`: what a run tells about itself, and both sides of telling it. See README.md. */
export { clientOf, fetchHead, type HeadAddress, type HeadReport, unknownServer } from "./client.ts";
export type { HostStatus, MetricFamily, NamedHostStatus, ProcessLoad, ServerLoad, TargetLoad } from "./host-status.ts";
export type { ServerInstanceInfo } from "./instance-info.ts";
export { probeRun, type RunProbe } from "./run-probe.ts";
export { type RunStatusReader, readRunStatus } from "./run-status.ts";
export { createRunToken, isLoopback, type RunToken } from "./run-token.ts";
export { createHeadEndpoint, type HeadState } from "./server.ts";
export type { RunStatus } from "./status-routes.ts";
