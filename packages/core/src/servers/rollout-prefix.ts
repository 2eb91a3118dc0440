/** `/ng-rollout/<id>[/training-token-capture]` in front of a path: correlates a call with its rollout without touching its body. */

const PREFIX = /^\/ng-rollout\/([^/]+)(\/training-token-capture)?(?=\/|$)/;
const ROLLOUT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export interface PrefixedPath {
  path: string;
  prefix: string;
  rolloutId?: string;
}

/** Splits the prefix off; undefined where it holds an id that is not allowed. */
export function splitRolloutPrefix(path: string): PrefixedPath | undefined {
  if (!path.startsWith("/ng-rollout/")) return { path, prefix: "" };
  const match = PREFIX.exec(path);
  if (match === null || !ROLLOUT_ID.test(match[1] as string)) return undefined;
  return { path: path.slice(match[0].length) || "/", prefix: match[0], rolloutId: match[1] };
}
