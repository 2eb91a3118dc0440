/** Addresses, split once: which origin a call goes to and by which path. A path means the same on a socket and inside the process. */

export interface Target {
  origin: string;
  /** Path and query. */
  path: string;
}

/** Addresses are few: one an instance and one a route of an endpoint outside. */
const MAX_REMEMBERED = 1_000;
const remembered = new Map<string, Target>();

/** @throws TypeError where `url` is not an absolute URL. */
export function splitUrl(url: string): Target {
  let target = remembered.get(url);
  if (target === undefined) {
    const { origin, pathname, search } = new URL(url);
    target = { origin, path: pathname + search };
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(url, target);
  }
  return target;
}

/** Where a call of a server lands: its address may end in a path of its own. */
export function targetOf(address: string, path: string): Target {
  const base = splitUrl(address);
  const own = cleanPath(path);
  return { origin: base.origin, path: base.path === "/" ? own : base.path.replace(/\/$/, "") + own };
}

const ORDINARY = /^\/[\w/~!$&'()*+,;=:@%.-]*$/;
const DOT_SEGMENT = /\/(?:\.|%2e)/i;

/** A path as a URL would spell it: odd characters encoded, dot segments resolved, no fragment. @throws Error where it does not begin with `/`. */
export function cleanPath(path: string): string {
  if (ORDINARY.test(path) && !DOT_SEGMENT.test(path)) return path;
  if (!path.startsWith("/")) throw new Error(`a path begins with "/", not ${JSON.stringify(path)}`);
  const { pathname, search } = new URL(`http://local${path}`);
  return pathname + search;
}
