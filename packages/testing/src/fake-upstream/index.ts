export { type FakeUpstream, type FakeUpstreamOptions, startFakeUpstream } from "./fake-upstream.ts";
export { DEFAULT_MODEL, type FakeModel } from "./model.ts";
export type { FakeRequest, FakeStats, Outcome } from "./request-log.ts";
export { type Scripts, type Step, scriptPath } from "./step.ts";
