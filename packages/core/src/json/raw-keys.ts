/**
 * The one list of the fields whose arrays no hop looks at: token ids, log-probs and expert routing of training runs, tens of thousands of numbers
 * each. docs/servers.md shows the same list.
 */
export const RAW_KEYS = [
  "prompt_token_ids",
  "generation_token_ids",
  "generation_log_probs",
  "routed_experts",
  "required_prefix_token_ids",
] as const;

/** What an inference engine calls them in its own answers: read in full but for who asks for them by `parseJsonBytes`' `keys`. */
export const ENGINE_RAW_KEYS = [...RAW_KEYS, "token_ids", "token_logprobs"] as const;

/** Arrays with a shorter text are parsed: below this, keeping text costs more than it saves. */
export const RAW_THRESHOLD_CHARS = 256;
