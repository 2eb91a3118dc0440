/** A port that nobody listens on right now. For commands that only show a configuration: what is to listen is bound by who starts it. */
import { once } from "node:events";
import { createServer } from "node:net";
import { type PortAllocator, pickPort } from "@ng-gym/core/config";

export const freePort: PortAllocator = (range, disallowed) => pickPort(range, disallowed, isFree);

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
