/**
 * Which of the cookies that a server was sent go on to a server that it calls. A session cookie is named `<Class>___<instance>`, so its name tells
 * whose it is; others (of a load balancer, of an environment of another make) belong to the caller's one environment and go with its calls.
 */
import type { CookieJar } from "../http/index.ts";

const OWNER_MARK = "___";

/** A jar of its own with the session of that server and the cookies that are nobody's session. */
export function cookiesFor(server: string, jar: CookieJar): CookieJar {
  return jar.only((name) => !name.includes(OWNER_MARK) || name.endsWith(OWNER_MARK + server));
}
