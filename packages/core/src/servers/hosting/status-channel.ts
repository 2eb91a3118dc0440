/** The launcher's questions to a child how it is: numbered, each with a bound on its answer, so that a child that hangs keeps nobody waiting. */
import type { HostStatus } from "../../head/index.ts";
import type { StatusMessage } from "./child-protocol.ts";

/** Longest wait for a process that is asked how it is. */
export const STATUS_TIMEOUT_MS = 1_000;

export interface StatusChannel {
  /** `send` hands the question over; false where the channel is closed. Undefined: no answer in time. */
  ask(send: (message: StatusMessage) => boolean): Promise<HostStatus | undefined>;
  answered(id: number, status: HostStatus): void;
}

export function createStatusChannel(timeoutMs = STATUS_TIMEOUT_MS): StatusChannel {
  const waiting = new Map<number, (status: HostStatus | undefined) => void>();
  let asked = 0;
  return {
    ask(send) {
      const id = asked++;
      return new Promise((resolve) => {
        const timer = setTimeout(() => settle(undefined), timeoutMs);
        const settle = (status: HostStatus | undefined): void => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(status);
        };
        waiting.set(id, settle);
        if (!send({ type: "status", id })) settle(undefined);
      });
    },
    answered: (id, status) => waiting.get(id)?.(status),
  };
}
