/** `http`: the one client. See README.md. */

export type { CircuitRule } from "./circuit.ts";
export { type ClientSettings, clientSettings } from "./client-settings.ts";
export { CookieJar, parseCookieHeader } from "./cookies.ts";
export { copyIn, withCopy, withoutCopy } from "./copies.ts";
export {
  ERROR_BODY_LIMIT_CHARS,
  FAILURE_HEADER_LIMIT_CHARS,
  type FailureFacts,
  factsOf,
  failureFacts,
  failureHeaders,
  hopError,
  innerAnswer,
  kindName,
  raiseForStatus,
  reasonOf,
  statusError,
} from "./failure.ts";
export { isKeyRefusal } from "./key-refusal.ts";
export { CLIENT_LIMITS, type ClientLimits } from "./limits.ts";
export type { Call, CallKind, Endpoint, EndpointReply, EndpointRequest, Reply, ServerAddress } from "./message.ts";
export { createPassOn, type PassOn } from "./pass-on.ts";
export { PROBE_TIMEOUT_MS, type ProbeOutcome, probe } from "./probe.ts";
export { badResponse } from "./reply.ts";
export type { RetryClock, RetryNotice } from "./retry.ts";
export { DEFAULT_RETRY_POLICY, type RetryBudget, type RetryPolicy, retryAfterMs } from "./retry-policy.ts";
export {
  type CallRecord,
  createServerClient,
  type OutsideCall,
  type ServerClient,
  type ServerClientOptions,
} from "./server-client.ts";
export type { CircuitLoad, LimitLoad, TargetLoad } from "./target-load.ts";
export type { Concurrency, OutsideTarget } from "./targets.ts";
export { readBody, TextBody } from "./text-body.ts";
