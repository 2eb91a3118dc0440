/** The counters of a process over OpenTelemetry, under the reference's names where it has one. */
import { createRequire } from "node:module";
import type { Meter } from "./meter.ts";
import type { OtelExport } from "./otel-export.ts";
import type { OtelSettings } from "./otel-settings.ts";
import type { LoadMonitor } from "./process-load.ts";

const SEND_EVERY_MS = 10_000;

/** What two routes of every benchmark mean. */
const DURATION_OF: Readonly<Record<string, string>> = { "/run": "gym.rollout.duration_ms", "/verify": "gym.verify.duration_ms" };

export interface OtelMetrics {
  /** A request was answered. */
  served(server: string, route: string, status: number, ms: number): void;
  shutdown(): Promise<void>;
}

const require = createRequire(import.meta.url);

/** Undefined where metrics have nowhere to go. */
export function openMetrics(
  settings: OtelSettings,
  sink: OtelExport,
  { meter, load }: { meter: () => Meter; load: LoadMonitor },
): OtelMetrics | undefined {
  const exporter = sink.metrics();
  if (exporter === undefined) return undefined;
  const { MeterProvider, PeriodicExportingMetricReader } =
    require("@opentelemetry/sdk-metrics") as typeof import("@opentelemetry/sdk-metrics");
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: SEND_EVERY_MS });
  const provider = new MeterProvider({ resource: sink.resource(settings.serviceName), readers: [reader] });
  const instruments = provider.getMeter("ng-gym");
  const request = instruments.createHistogram("gym.server.request.duration_ms", { unit: "ms" });
  const durations = new Map(
    Object.entries(DURATION_OF).map(([route, name]) => [route, instruments.createHistogram(name, { unit: "ms" })] as const),
  );
  let verified = 0;
  let succeeded = 0;
  instruments.createObservableGauge("gym.verify.success_rate").addCallback((to) => {
    if (verified > 0) to.observe(succeeded / verified);
  });
  instruments.createObservableGauge("gym.servers.active").addCallback((to) => to.observe(meter().servers().length));
  instruments.createObservableGauge("gym.server.in_flight").addCallback((to) => {
    for (const { name, inFlight } of meter().servers()) to.observe(inFlight, { "gym.server": name });
  });
  instruments.createObservableGauge("gym.host.memory.rss_bytes", { unit: "By" }).addCallback((to) => to.observe(load.now().rssBytes));
  instruments
    .createObservableGauge("gym.host.event_loop_lag_ms", { unit: "ms" })
    .addCallback((to) => to.observe(load.now().eventLoopLagMs.p99));

  return {
    served(server, route, status, ms) {
      const attributes = { "gym.server": server, "http.route": route, "http.response.status_class": `${Math.floor(status / 100)}xx` };
      request.record(ms, attributes);
      durations.get(route)?.record(ms, { "gym.server": server });
      if (route !== "/verify") return;
      verified++;
      if (status < 400) succeeded++;
    },
    shutdown: () => sink.within(provider.shutdown()),
  };
}
