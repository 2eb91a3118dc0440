/** What the process itself costs: time, memory, descriptors, and how late its event loop is. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { descriptorLimit, openDescriptors } from "../work/index.ts";

/** How often the event loop is looked at. */
const LAG_RESOLUTION_MS = 20;
/** What is told about the event loop is of the last one to two windows. */
const LAG_WINDOW_MS = 5_000;

export interface EventLoopLag {
  p50: number;
  p99: number;
  max: number;
}

export interface ProcessFigures {
  cpuSeconds: number;
  rssBytes: number;
  heapBytes: number;
  eventLoopLagMs: EventLoopLag;
  descriptors?: number;
  descriptorLimit?: number;
}

export interface LoadMonitor {
  now(): ProcessFigures;
  stop(): void;
}

/** Looks at the event loop from now on; keeps no process alive. */
export function watchLoad(): LoadMonitor {
  const delays = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  delays.enable();
  let before: EventLoopLag = { p50: 0, p99: 0, max: 0 };
  const ms = (nanoseconds: number): number =>
    Number.isFinite(nanoseconds) ? Math.max(0, Math.round((nanoseconds / 1e6 - LAG_RESOLUTION_MS) * 10) / 10) : 0;
  const current = (): EventLoopLag =>
    delays.count === 0
      ? { p50: 0, p99: 0, max: 0 }
      : { p50: ms(delays.percentile(50)), p99: ms(delays.percentile(99)), max: ms(delays.max) };
  const timer = setInterval(() => {
    before = current();
    delays.reset();
  }, LAG_WINDOW_MS).unref();
  const limit = descriptorLimit();

  return {
    now() {
      const { user, system } = process.cpuUsage();
      const { rss, heapUsed } = process.memoryUsage();
      const lag = current();
      return {
        cpuSeconds: (user + system) / 1e6,
        rssBytes: rss,
        heapBytes: heapUsed,
        eventLoopLagMs: {
          p50: Math.max(lag.p50, before.p50),
          p99: Math.max(lag.p99, before.p99),
          max: Math.max(lag.max, before.max),
        },
        descriptors: openDescriptors(),
        descriptorLimit: limit,
      };
    },
    stop() {
      clearInterval(timer);
      delays.disable();
    },
  };
}
