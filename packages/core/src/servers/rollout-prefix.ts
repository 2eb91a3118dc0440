/** `/ng-rollout/<id>[/training-token-capture]` in front of a path: correlates a call with its rollout without touching its body. */

const PREFIX = /^\/ng-rollout\/([^/]+)(\/training-token-capture)?(?=\/|$)/;
const ROLLOUT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export interface PrefixedPath {
  path: string;
  prefix: string;
  /** Undefined without a prefix, and where the id in it is none. */
  rolloutId?: string;
}

export function splitRolloutPrefix(path: string): PrefixedPath {
  if (!path.startsWith("/ng-rollout/")) return { path, prefix: "" };
  const match = PREFIX.exec(path);
  if (match === null) return { path, prefix: "" };
  return { path: path.slice(match[0].length) || "/", prefix: match[0], rolloutId: validRolloutId(match[1]) };
}

/** The id itself, undefined where it is none: it ends up in file names and log lines. */
export function validRolloutId(id: string | undefined): string | undefined {
  return id !== undefined && ROLLOUT_ID.test(id) ? id : undefined;
}
