/** A process' counters as Prometheus families. Labels are names of the configuration and declared routes, so that series stay few. */
import type { HostStatus, MetricFamily } from "../../head/index.ts";
import { LATENCY_BOUNDS_S, type LatencySeries, type Meter } from "../../telemetry/index.ts";

type Value = MetricFamily["values"][number];

export function metricFamilies(status: HostStatus, meter: Meter): MetricFamily[] {
  const { load, servers, pid } = status;
  const targets = Object.entries(status.targets);
  const perServer = (pick: (server: HostStatus["servers"][number]) => number | undefined): Value[] =>
    servers.flatMap((server) => labelled(pick(server), { server: server.name }));
  const perTarget = (pick: (target: (typeof targets)[number][1]) => number | undefined): Value[] =>
    targets.flatMap(([target, figures]) => labelled(pick(figures), { target }));
  const ofProcess = (value: number | undefined, labels: Record<string, string> = {}): Value[] => labelled(value, { pid, ...labels });
  const lag = load?.eventLoopLagMs;
  return [
    histogram(
      "nggym_request_duration_seconds",
      "Time from a request's arrival to its answer, by server and route.",
      meter.serverLatencies(),
    ),
    gauge(
      "nggym_requests_in_flight",
      "Requests that a server is answering.",
      perServer((one) => one.inFlight),
    ),
    gauge(
      "nggym_requests_queued",
      "Requests that wait in a server's own queues.",
      perServer((one) => one.queued),
    ),
    histogram("nggym_call_duration_seconds", "Time of a call, its tries and pauses included, by what is called.", meter.targetLatencies()),
    gauge(
      "nggym_calls_in_flight",
      "Calls that wait for their answer.",
      perTarget((one) => one.inFlight),
    ),
    gauge(
      "nggym_calls_waiting",
      "Calls that wait for a connection or for the target's limit.",
      perTarget((one) => one.waiting),
    ),
    gauge(
      "nggym_calls_pausing",
      "Calls in a pause before another try.",
      perTarget((one) => one.pausing),
    ),
    counter(
      "nggym_call_retries_total",
      "Calls that were sent again.",
      perTarget((one) => one.retries),
    ),
    counter(
      "nggym_call_errors_total",
      "Calls that got no answer, but for those that their caller gave up.",
      perTarget((one) => one.errors),
    ),
    gauge(
      "nggym_call_limit",
      "Calls at once that a target is given.",
      perTarget((one) => one.limit?.current),
    ),
    gauge(
      "nggym_circuit_open",
      "1 where calls to a target fail at once, 0.5 while one is tried.",
      perTarget(({ circuit }) => (circuit === undefined ? undefined : { closed: 0, "half-open": 0.5, open: 1 }[circuit.state])),
    ),
    {
      ...gauge("nggym_event_loop_lag_seconds", "How late the event loop was in the last seconds.", lagValues(pid, lag)),
      aggregator: "first",
    },
    ofOne(counter("nggym_process_cpu_seconds_total", "CPU time of a process.", ofProcess(load?.cpuSeconds))),
    ofOne(gauge("nggym_process_resident_memory_bytes", "Resident memory of a process.", ofProcess(load?.rssBytes))),
    ofOne(gauge("nggym_process_heap_bytes", "JavaScript heap in use.", ofProcess(load?.heapBytes))),
    ofOne(gauge("nggym_process_open_fds", "Open descriptors.", ofProcess(load?.descriptors))),
    ofOne(gauge("nggym_process_max_fds", "Most descriptors that a process may open.", ofProcess(load?.descriptorLimit))),
  ];
}

function labelled(value: number | undefined, labels: Record<string, string | number>): Value[] {
  return value === undefined ? [] : [{ value, labels }];
}

function lagValues(pid: number, lag: { p50: number; p99: number; max: number } | undefined): Value[] {
  if (lag === undefined) return [];
  return Object.entries({ 0.5: lag.p50, 0.99: lag.p99, 1: lag.max }).map(([quantile, ms]) => ({
    value: ms / 1_000,
    labels: { pid, quantile },
  }));
}

/** Two hosts may share a process: its figures count once. */
function ofOne(family: MetricFamily): MetricFamily {
  return { ...family, aggregator: "first" };
}

function gauge(name: string, help: string, values: Value[]): MetricFamily {
  return { name, help, type: "gauge", aggregator: "sum", values };
}

function counter(name: string, help: string, values: Value[]): MetricFamily {
  return { name, help, type: "counter", aggregator: "sum", values };
}

function histogram(name: string, help: string, series: LatencySeries[]): MetricFamily {
  const values = series.flatMap(({ labels, latencies }): Value[] => {
    let below = 0;
    const buckets = latencies.counts.map((count, at) => {
      below += count;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: LATENCY_BOUNDS_S[at] ?? "+Inf" }, value: below };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: latencies.sumMs / 1_000 },
      { metricName: `${name}_count`, labels, value: latencies.count },
    ];
  });
  return { name, help, type: "histogram", aggregator: "sum", values };
}
