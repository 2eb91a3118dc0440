/** The metrics of all processes as one Prometheus text. The library is loaded with the first question. */
import type { HostStatus, MetricFamily } from "./host-status.ts";

export interface MetricsText {
  contentType: string;
  text: string;
}

export async function metricsText(hosts: readonly HostStatus[]): Promise<MetricsText> {
  const { AggregatorRegistry } = await import("prom-client");
  const told = hosts.map((host) => host.metrics ?? []);
  const registry = AggregatorRegistry.aggregate([...told, answeredFamily(hosts)]);
  return { contentType: registry.contentType, text: await registry.metrics() };
}

function answeredFamily(hosts: readonly HostStatus[]): MetricFamily[] {
  return [
    {
      name: "nggym_process_answered",
      help: "0 for a process that did not tell its figures in time.",
      type: "gauge",
      aggregator: "first",
      values: hosts.map(({ pid, hosting, silent }) => ({ value: silent ? 0 : 1, labels: { pid, hosting } })),
    },
  ];
}
