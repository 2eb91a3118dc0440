/** The metrics of all processes as one Prometheus text. The library is loaded with the first question. */
import type { HostStatus, MetricFamily, NamedHostStatus } from "./host-status.ts";

export interface MetricsText {
  contentType: string;
  text: string;
}

export async function metricsText(hosts: readonly NamedHostStatus[]): Promise<MetricsText> {
  const { AggregatorRegistry } = await import("prom-client");
  const told = hosts.map((host) => host.metrics ?? []);
  const registry = AggregatorRegistry.aggregate([...told, answeredFamily(hosts), restartFamily(hosts)]);
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

/** By server, for each restart has a process id of its own; copies count together. */
function restartFamily(hosts: readonly NamedHostStatus[]): MetricFamily[] {
  const values = hosts.flatMap(({ names, restarts }) =>
    restarts === undefined ? [] : names.map((server) => ({ value: restarts, labels: { server } })),
  );
  const help = "How often the processes of a server were started anew.";
  return values.length === 0 ? [] : [{ name: "nggym_server_restarts_total", help, type: "counter", aggregator: "sum", values }];
}
