/** Why a seed of a resources server opens no episode, in the words that readers of the reference's failures look for. */
export const SEED_TEXTS = {
  noCookie: "Resources seed did not establish a session cookie",
  otherId: "Resources seed returned a different resources_session_id",
} as const;
