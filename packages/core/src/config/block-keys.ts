/** Keys that the block of any server may have, whatever its own schema says, with a sentence each. */
export const BLOCK_KEYS = {
  entrypoint: "Program of the server, relative to its folder; app.py also finds the app.ts beside it.",
  host: "Address to listen on; left out: default_host.",
  port: "Port to listen on; left out or 0: a free one of the range.",
  num_workers: "Processes of the server, with sessions that stay where they began; left out: one.",
  domain: "What the benchmark is about.",
  datasets: "The data sets that belong to the server.",
  verified: "True once the environment was checked against a baseline.",
  verified_url: "Where that baseline is.",
  description: "What the environment is.",
  value: "What training on it improves.",
  hosting: "shared or process; left out: the top-level key.",
  restart: "What happens where the server's process ends by itself: never (the run stops), or {on_failure: N} to start it anew N times.",
  python: "Python interpreter of a server in Python, as name or path; left out: the top-level key.",
  max_body_bytes: "Longest body that a request may have.",
  queue_timeout: "Longest wait for a place in the server's queue, in seconds.",
  expose_tools_over_mcp: "Offer the tools over MCP too.",
  allowed_agents: "Agents that the verifier works with; left out: any.",
  allowed_model_types: "Model servers that the verifier works with; left out: any.",
  skip_verification: "Rollouts are not verified.",
  skip_verification_reward: "The reward of rollouts that are not verified.",
  token_id_capture: "Keep the token ids of model calls.",
  ray_enabled: "Read from configurations of NeMo Gym, without effect here.",
} as const satisfies Record<string, string>;

export const BASE_BLOCK_KEYS: readonly string[] = Object.keys(BLOCK_KEYS);
