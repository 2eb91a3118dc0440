/** `head`: what a run tells about itself, and both sides of telling it. See README.md. */
export { clientOf, fetchHead, type HeadAddress, type HeadReport, unknownServer } from "./client.ts";
export type { HostStatus, ProcessLoad, ServerLoad, TargetLoad } from "./host-status.ts";
export type { ServerInstanceInfo } from "./instance-info.ts";
export { createHeadEndpoint, type HeadState } from "./server.ts";
