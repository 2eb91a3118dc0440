/** `telemetry`: the call that is being answered, logs, metrics, traces. See README.md. */
export { type CallContext, currentCall, withCall } from "./context.ts";
