/**
 * The counters of one process: what its servers answered and what its client called. Counting is adding to numbers that are at hand; text and totals
 * are made when somebody asks. Series are few: names of the configuration, routes as declared, classes of statuses.
 */
import { addLatency, createLatencies, type Latencies } from "./latencies.ts";

/** Series beyond these many are counted together under `other`. */
const MAX_TARGETS = 1_000;
const MAX_ROUTES = 500;
const OTHER = "other";

export interface ServerMeter {
  readonly name: string;
  inFlight: number;
  handled: number;
  /** Of those, status 500 and above. */
  failed: number;
  began(): void;
  /** `route`: the path as it is declared. */
  ended(route: string, status: number, ms: number): void;
}

export interface LatencySeries {
  labels: Record<string, string>;
  latencies: Latencies;
}

/** How a call to a target ended. */
export interface CalledTarget {
  target: string;
  kind: string;
  status: number | undefined;
  durationMs: number;
}

export interface Meter {
  server(name: string): ServerMeter;
  called(call: CalledTarget): void;
  servers(): ServerMeter[];
  serverLatencies(): LatencySeries[];
  targetLatencies(): LatencySeries[];
}

/** `onServed` is told each answer too. */
export function createMeter(onServed?: (server: string, route: string, status: number, ms: number) => void): Meter {
  const servers = new Map<string, ServerMeter>();
  const serverSeries = new Map<string, Map<string, (Latencies | undefined)[]>>();
  const targetSeries = new Map<string, Map<string, (Latencies | undefined)[]>>();

  function createServer(name: string): ServerMeter {
    const routes = new Map<string, (Latencies | undefined)[]>();
    serverSeries.set(name, routes);
    return {
      name,
      inFlight: 0,
      handled: 0,
      failed: 0,
      began() {
        this.inFlight++;
      },
      ended(route, status, ms) {
        this.inFlight--;
        this.handled++;
        if (status >= 500) this.failed++;
        addLatency(seriesOf(routes, route, status), ms);
        onServed?.(name, route, status, ms);
      },
    };
  }

  return {
    server(name) {
      let server = servers.get(name);
      if (server === undefined) {
        server = createServer(name);
        servers.set(name, server);
      }
      return server;
    },
    called({ target, kind, status, durationMs }) {
      let kinds = targetSeries.get(target);
      if (kinds === undefined) {
        const name = targetSeries.size >= MAX_TARGETS ? OTHER : target;
        kinds = targetSeries.get(name) ?? new Map();
        targetSeries.set(name, kinds);
      }
      addLatency(seriesOf(kinds, kind, status ?? 0), durationMs);
    },
    servers: () => [...servers.values()],
    serverLatencies: () => flat(serverSeries, "server", "route"),
    targetLatencies: () => flat(targetSeries, "target", "kind"),
  };
}

function seriesOf(of: Map<string, (Latencies | undefined)[]>, name: string, status: number): Latencies {
  let classes = of.get(name);
  if (classes === undefined) {
    const key = of.size >= MAX_ROUTES ? OTHER : name;
    classes = of.get(key) ?? [];
    of.set(key, classes);
  }
  const at = Math.floor(status / 100);
  let latencies = classes[at];
  if (latencies === undefined) {
    latencies = createLatencies();
    classes[at] = latencies;
  }
  return latencies;
}

/** Status classes as labels: 0 stands for a call without an answer. */
function flat(series: Map<string, Map<string, (Latencies | undefined)[]>>, outer: string, inner: string): LatencySeries[] {
  return [...series].flatMap(([first, names]) =>
    [...names].flatMap(([second, classes]) =>
      classes.flatMap((latencies, at) =>
        latencies === undefined ? [] : [{ labels: { [outer]: first, [inner]: second, status: at === 0 ? "none" : `${at}xx` }, latencies }],
      ),
    ),
  );
}
