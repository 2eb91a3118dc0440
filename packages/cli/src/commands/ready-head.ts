/** Waits for a head server whose servers are still starting. One that does not answer at all is not waited for. */
import { setTimeout as sleep } from "node:timers/promises";
import { GymError } from "@ng-gym/core/errors";
import { fetchHead, type HeadAddress, type HeadReport } from "@ng-gym/core/head";

const POLL_MS = 500;
/** As long as servers may take to start. */
const WAIT_LIMIT_MS = 600_000;

/** @throws GymError NG_ERR_HEAD_UNREACHABLE; NG_ERR_SERVER_START where the servers do not become ready. */
export async function readyHead(
  address: HeadAddress & { url: string },
  options: { signal: AbortSignal; onWait: (message: string) => void },
): Promise<HeadReport> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  for (let told = false; ; ) {
    const head = await fetchHead(address, options.signal);
    if (head.ready) return head;
    if (!told) options.onWait(`${address.url} is still starting its servers; waiting`);
    told = true;
    if (performance.now() > deadline) {
      throw new GymError("NG_ERR_SERVER_START", `the servers behind ${address.url} are not ready after ${WAIT_LIMIT_MS / 1000} s`, {
        hint: "`ng-status` shows which of them answer.",
      });
    }
    await sleep(POLL_MS, undefined, { signal: options.signal });
  }
}
