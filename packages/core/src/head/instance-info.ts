/** What the head server tells about one running instance: the reference's keys, and ours behind them. */

export interface ServerInstanceInfo {
  config_path: string;
  dir_path: string;
  entrypoint: string;
  host: string;
  name: string;
  pid: number;
  port: number;
  process_name: string;
  server_type: string;
  /** Epoch seconds, one value for the whole run. */
  start_time: number;
  status: string | null;
  uptime_seconds: number | null;
  url: string;
  /** Speaks HTTP/2 without TLS on its port. */
  h2c?: boolean;
  /** Where the instance runs in several processes: the address of each. `url` leads to any of them, `pid` is the first one's. */
  copies?: readonly string[] | undefined;
  /** Their process ids, in the same order. */
  pids?: readonly number[] | undefined;
  hosting?: "process" | "shared";
  /** `baseline`: its `/aggregate_metrics` computes the baseline statistics and nothing else, so that a caller may compute them itself. */
  aggregation?: "baseline" | "own";
}
