/** What a refused session call answers as `detail`: callers of the reference tell its refusals apart by these texts. */
export const SESSION_TEXTS = {
  unknown: "Unknown or closing agent_session_id",
  closed: "Agent session is already closed",
  otherSeed: "agent_session_id is already bound to another seed request",
  otherEpisode: "episode_id does not match the seeded agent session",
} as const;
