/**
 * Every top-level key of the configuration and how it is reached from the command line. What a key means stands in core's table of keys; those of a
 * collection are decided with the other keys of a collection.
 */
import type { TOP_LEVEL_KEYS, TopLevelName } from "@ng-gym/core/config";
import type { CollectParameters } from "@ng-gym/core/rollouts";
import type { OptionDecision } from "../contract/index.ts";

/** `override`: by `+key=value` or in a file; its sentence is in core's table. */
type ConfigKeyDecision = Exclude<OptionDecision, { override: string }> | "override";

/** Bounds of the HTTP client: each is an `override`, by this rule. */
type HttpKey = Extract<TopLevelName, `http_${string}`>;

/** Variable that stands in for a key, as core's table has it. */
type VariableOf<Name extends TopLevelName> = (typeof TOP_LEVEL_KEYS)[Name] extends { variable: infer Variable } ? Variable : never;
const variable = <Name extends TopLevelName>(_key: Name, name: VariableOf<Name>): VariableOf<Name> => name;

export const configKeys = {
  policy_model_name: { flags: [{ flags: ["--model", "-m"], type: "text", help: "name of the policy model at its endpoint" }] },
  policy_base_url: {
    flags: [
      {
        flags: ["--model-url"],
        type: "url",
        variable: variable("policy_base_url", "OPENAI_BASE_URL"),
        help: "base URL of the endpoint, with /v1",
      },
    ],
  },
  policy_api_key: {
    flags: [
      {
        flags: ["--model-api-key"],
        type: "text",
        variable: variable("policy_api_key", "OPENAI_API_KEY"),
        help: "key of the endpoint; others can read a command line, so better not here",
      },
    ],
  },
  allow_unsupported_pairing: {
    flags: [
      {
        flags: ["--allow-unsupported-pairing"],
        type: "switch",
        variable: variable("allow_unsupported_pairing", "NEMO_GYM_ALLOW_UNSUPPORTED_PAIRING"),
        help: "let a verifier work with an agent or model type that it does not list",
      },
    ],
  },
  json: { flags: [{ flags: ["--json"], type: "switch", help: "print one JSON value on standard output" }] },
  verbose: { flags: [{ flags: ["--verbose", "-v"], type: "switch", help: "log more, here and in every server" }] },

  config_paths: { hidden: "--config and the other selectors write it" },
  component_name: { hidden: "the word behind the command" },
  query: { hidden: "no command searches yet" },
  entrypoint: { hidden: "no command works on one server yet" },
  disallowed_ports: { hidden: "always written anew" },
  head_server_deps: { hidden: "always written anew" },
  python_version: { hidden: "always written anew" },
  _inherit_from: { hidden: "a directive inside files" },
  _copy: { hidden: "a directive inside files" },

  include_precedence: "override",
  head_server: "override",
  default_host: "override",
  use_absolute_ip: "override",
  port_range_low: "override",
  port_range_high: "override",
  allow_openai_version_skew: "override",
  skip_venv_if_present: "override",
  dry_run: "override",
  server_spinup_timeout_seconds: "override",
  model_endpoint_readiness_timeout_seconds: "override",
  hosting: "override",
  num_hosts: "override",
  error_on_almost_servers: "override",
  error_on_agent_without_environment_server: "override",
  skip_verification: "override",
  skip_verification_reward: "override",
  results_dir: "override",
  cache_dir: "override",
  uv_cache_dir: "override",
  uv_lock_timeout_seconds: "override",
  uv_venv_dir: "override",
  log_format: "override",
  log_level: "override",
  nemo_gym_log_dir: "override",
  telemetry: "override",
  hf_token: "override",
  token_id_capture: "override",
  model_call_capture_dir: "override",
  observability_enabled: "override",
  python: "override",
  sandbox: "override",
  pip_install_verbose: "override",
  uv_pip_set_python: "override",
  ray_head_node_address: "override",
  uvicorn_logging_show_200_ok: "override",
  uvicorn_timeout_worker_healthcheck: "override",
  uvicorn_proxy_headers: "override",
  uvicorn_forwarded_allow_ips: "override",
  global_aiohttp_connector_limit: "override",
  global_aiohttp_connector_limit_per_host: "override",
  global_aiohttp_client_request_debug: "override",
  profiling_enabled: "override",
  profiling_results_dirpath: "override",
  wandb_project: "override",
  wandb_name: "override",
  wandb_api_key: "override",
  mlflow_tracking_uri: "override",
  mlflow_tracking_token: "override",
  mlflow_experiment_name: "override",
  mlflow_run_name: "override",
  upload_rollouts_to_wandb: "override",
} as const satisfies Record<Exclude<TopLevelName, keyof CollectParameters | HttpKey>, ConfigKeyDecision>;
