/**
 * The table of top-level keys that mean something: type, default and a sentence each. Validation, written defaults, variables of the environment,
 * the editor's schema, `docs/config.md` and the command table all read it; a key without an entry is nobody's. Plain data.
 */

import { HTTP_LIMIT_KEYS, HTTP_RETRY_KEYS } from "./http-keys.ts";

/** `flag`: true or false. `names`: a list of texts, or one text. */
export type TopLevelType = "flag" | "integer" | "number" | "text" | "path" | "names" | "list" | "map";

export interface TopLevelKey {
  type: TopLevelType;
  /** What holds where nothing sets the key; null = nothing. */
  default: boolean | number | string | null;
  about: string;
  /** Never the name of a server. */
  reserved?: true;
  /** The default is written into the finished configuration, so that a dump shows it. */
  written?: true;
  /** The default in words, where it is worked out. */
  computed?: string;
  choices?: readonly string[];
  /** Bounds of a whole number. */
  least?: number;
  most?: number;
  /** Variable of the environment that is read where nothing else sets the key. */
  variable?: string;
  /** Read from configurations of NeMo Gym, without effect here. */
  accepted?: true;
}

const DEADLINE_SECONDS = 600;

/** Most processes that run the same servers (`num_hosts`) or one server (`num_workers`). */
export const MAX_COPIES = 64;

export const TOP_LEVEL_KEYS = {
  config_paths: { type: "names", default: null, reserved: true, about: "Configuration files to read, first to last; the later one wins." },
  include_precedence: {
    type: "text",
    default: "includer",
    choices: ["includer", "legacy"],
    about: "Who wins between a file and what it includes: the includer, or (legacy, NeMo Gym v0.5.0 and older) the included.",
  },
  _inherit_from: { type: "names", default: null, reserved: true, about: "Path of a block whose keys this mapping takes over." },
  _copy: { type: "names", default: null, reserved: true, about: "Path of a block that this mapping copies." },
  head_server: {
    type: "map",
    default: null,
    reserved: true,
    computed: "default_host, port 11000",
    about: "host and port of the head server.",
  },
  default_host: { type: "text", default: "127.0.0.1", reserved: true, about: "Address of servers that name none." },
  use_absolute_ip: {
    type: "flag",
    default: false,
    written: true,
    reserved: true,
    about: "Servers listen on this machine's own address instead of default_host.",
  },
  port_range_low: { type: "integer", default: 10_001, written: true, reserved: true, about: "Lowest port for servers that name none." },
  port_range_high: { type: "integer", default: 20_000, written: true, reserved: true, about: "Highest port for servers that name none." },
  disallowed_ports: {
    type: "list",
    default: null,
    reserved: true,
    computed: "always written anew",
    about: "Ports that are taken: those of the head server and of every server.",
  },
  allow_openai_version_skew: {
    type: "flag",
    default: false,
    written: true,
    reserved: true,
    accepted: true,
    about: "Python servers may pin another openai library.",
  },
  skip_venv_if_present: {
    type: "flag",
    default: false,
    written: true,
    reserved: true,
    accepted: true,
    about: "Reuse the virtual environments of Python servers.",
  },
  dry_run: { type: "flag", default: false, written: true, reserved: true, about: "ng-run: check and construct every server, start none." },
  server_spinup_timeout_seconds: {
    type: "number",
    default: DEADLINE_SECONDS,
    written: true,
    reserved: true,
    about: "Longest wait for the servers to be ready; 0 or less = no limit.",
  },
  model_endpoint_readiness_timeout_seconds: {
    type: "number",
    default: DEADLINE_SECONDS,
    written: true,
    reserved: true,
    about: "Longest wait for the endpoints of model servers to answer; 0 or less = they are not asked.",
  },
  hosting: {
    type: "text",
    default: "shared",
    choices: ["shared", "process"],
    about: "shared: all servers in one process; process: each in its own. A server's block may say otherwise.",
  },
  num_hosts: {
    type: "integer",
    default: 1,
    least: 1,
    most: MAX_COPIES,
    about:
      "Processes that each run all servers of shared hosting: for more rollouts than one process has descriptors for, or than one core can serve.",
  },
  error_on_almost_servers: {
    type: "flag",
    default: true,
    about: "A block that is nearly a server is an error; false: it is left out with a notice.",
  },
  error_on_agent_without_environment_server: {
    type: "flag",
    default: false,
    about: "An agent without environment server is an error; false: one is generated for it.",
  },
  allow_unsupported_pairing: {
    type: "flag",
    default: false,
    reserved: true,
    variable: "NEMO_GYM_ALLOW_UNSUPPORTED_PAIRING",
    about: "Waives allowed_agents and allowed_model_types of resources servers.",
  },
  policy_base_url: {
    type: "names",
    default: null,
    variable: "OPENAI_BASE_URL",
    about: "Address of the policy model's endpoint, with /v1.",
  },
  policy_api_key: { type: "text", default: null, variable: "OPENAI_API_KEY", about: "Key of the policy model's endpoint." },
  policy_model_name: { type: "text", default: null, about: "Name of the policy model at its endpoint." },
  skip_verification: {
    type: "flag",
    default: null,
    reserved: true,
    about: "For every agent that does not say: rollouts are not verified.",
  },
  skip_verification_reward: {
    type: "number",
    default: null,
    reserved: true,
    about: "For every agent that does not say: the reward of rollouts that are not verified.",
  },
  agent_name: { type: "text", default: null, about: "Agent for every row; the same as agent_map._default." },
  agent_map: { type: "map", default: null, about: "Row's agent or task_source -> agent; _default for the rest." },
  fan_out: { type: "map", default: null, about: "Agent or task_source -> agents: one copy of a row for each." },
  environment_server_name: {
    type: "text",
    default: null,
    reserved: true,
    about: "Environment server of every flat row in legacy routing.",
  },
  environment_server_routes: { type: "map", default: null, reserved: true, about: "Task set -> environment server." },
  environment_routing_mode: {
    type: "text",
    default: "agent",
    reserved: true,
    choices: ["agent", "legacy", "taskset"],
    about: "How rows find their environment server.",
  },
  results_dir: { type: "path", default: null, computed: "<working folder>/results", reserved: true, about: "Folder for results." },
  cache_dir: {
    type: "path",
    default: null,
    computed: "<working folder>/cache",
    reserved: true,
    about: "Folder for what can be made again.",
  },
  uv_cache_dir: {
    type: "path",
    default: null,
    computed: "<cache_dir>/uv",
    reserved: true,
    about: "Package cache of Python servers; exported to them as UV_CACHE_DIR.",
  },
  uv_lock_timeout_seconds: {
    type: "number",
    default: null,
    computed: "1800",
    reserved: true,
    variable: "UV_LOCK_TIMEOUT",
    about: "Longest wait for the lock of that cache.",
  },
  uv_venv_dir: {
    type: "path",
    default: null,
    computed: "<working folder>",
    reserved: true,
    about: "Folder for the virtual environments of Python servers.",
  },
  nemo_gym_log_dir: {
    type: "path",
    default: null,
    reserved: true,
    about: "Folder to which the log of every server is appended as <name>.log, beside what is shown.",
  },
  log_level: {
    type: "text",
    default: "warn",
    computed: "warn; debug with verbose",
    choices: ["debug", "info", "warn", "error"],
    about: "Least level of the lines that servers log.",
  },
  log_format: {
    type: "text",
    default: "text",
    choices: ["text", "json"],
    about: "How lines of servers are shown: text for people, or one JSON object a line.",
  },
  telemetry: {
    type: "map",
    default: null,
    reserved: true,
    about: "OpenTelemetry settings (docs/observability.md); handed to Python servers as NEMO_GYM_OTEL_* and OTEL_*.",
  },
  verbose: { type: "flag", default: false, reserved: true, about: "Log more, here and in every server." },
  json: { type: "flag", default: false, reserved: true, about: "A command prints one JSON value." },
  query: { type: "text", default: null, reserved: true, about: "What a search looks for." },
  component_name: { type: "text", default: null, reserved: true, about: "The one entry that a list is to show." },
  entrypoint: { type: "text", default: null, reserved: true, about: "The server that a command works on, as <type>/<name>." },
  hf_token: { type: "text", default: null, reserved: true, about: "Token of Hugging Face." },
  token_id_capture: { type: "map", default: null, reserved: true, accepted: true, about: "Keep the token ids of model calls." },
  model_call_capture_dir: { type: "path", default: null, reserved: true, accepted: true, about: "Folder for recorded model calls." },
  observability_enabled: { type: "flag", default: false, reserved: true, accepted: true, about: "Record model calls." },
  head_server_deps: {
    type: "list",
    default: null,
    reserved: true,
    computed: "always written anew",
    accepted: true,
    about: "Libraries that Python servers must share.",
  },
  python_version: {
    type: "text",
    default: null,
    reserved: true,
    computed: "always written anew",
    accepted: true,
    about: "Python for the virtual environments of Python servers.",
  },
  python: {
    type: "text",
    default: null,
    computed: "python3",
    about: "Python interpreter of servers in Python and of sandboxed programs, as name or path.",
  },
  sandbox: { type: "map", default: null, accepted: true, about: "Limits and isolation of programs under test." },
  pip_install_verbose: {
    type: "flag",
    default: false,
    reserved: true,
    accepted: true,
    about: "Show what pip installs for Python servers.",
  },
  uv_pip_set_python: { type: "flag", default: false, reserved: true, accepted: true, about: "Name the interpreter to uv." },
  ray_head_node_address: { type: "text", default: null, reserved: true, accepted: true, about: "Address of a Ray cluster." },
  uvicorn_logging_show_200_ok: { type: "flag", default: false, accepted: true, about: "Python servers log answered requests." },
  uvicorn_timeout_worker_healthcheck: {
    type: "number",
    default: null,
    accepted: true,
    about: "Health check of Python servers' workers, in seconds.",
  },
  uvicorn_proxy_headers: { type: "flag", default: false, accepted: true, about: "Python servers believe X-Forwarded-* headers." },
  uvicorn_forwarded_allow_ips: {
    type: "names",
    default: null,
    accepted: true,
    about: "Addresses whose X-Forwarded-* headers are believed.",
  },
  ...HTTP_LIMIT_KEYS,
  ...HTTP_RETRY_KEYS,
  global_aiohttp_connector_limit: {
    type: "integer",
    default: null,
    least: 0,
    about: "Stands for http_max_connections where that is not set; 0 = no limit.",
  },
  global_aiohttp_connector_limit_per_host: {
    type: "integer",
    default: null,
    least: 0,
    about: "Stands for http_max_connections_per_origin where that is not set; 0 = no limit.",
  },
  global_aiohttp_client_request_debug: { type: "flag", default: false, accepted: true, about: "Python servers print requests that fail." },
  profiling_enabled: { type: "flag", default: false, accepted: true, about: "Profile Python servers." },
  profiling_results_dirpath: { type: "path", default: null, accepted: true, about: "Folder for those profiles." },
  wandb_project: { type: "text", default: null, accepted: true, about: "Project at Weights & Biases." },
  wandb_name: { type: "text", default: null, accepted: true, about: "Name of the run there." },
  wandb_api_key: { type: "text", default: null, accepted: true, about: "Key for it." },
  mlflow_tracking_uri: { type: "text", default: null, accepted: true, about: "Address of an MLflow server." },
  mlflow_tracking_token: { type: "text", default: null, accepted: true, about: "Token for it." },
  mlflow_experiment_name: { type: "text", default: null, accepted: true, about: "Experiment there." },
  mlflow_run_name: { type: "text", default: null, accepted: true, about: "Name of the run there." },
  upload_rollouts: { type: "flag", default: true, accepted: true, about: "Hand results to exporters." },
  upload_rollouts_to_wandb: { type: "flag", default: null, accepted: true, about: "Old name of upload_rollouts." },
} as const satisfies Record<string, TopLevelKey>;

export type TopLevelName = keyof typeof TOP_LEVEL_KEYS;

/** Name and entry of every key, in the table's order. */
export function topLevelKeys(): [name: TopLevelName, key: TopLevelKey][] {
  return Object.entries(TOP_LEVEL_KEYS) as [TopLevelName, TopLevelKey][];
}
