/** The module of a server: a host imports it for its class; run as a program it serves by itself (`serve.ts`). */
import { pathToFileURL } from "node:url";
import { GymError } from "../../errors/index.ts";
import type { GymServerClass } from "../gym-server.ts";

/** The class that an `app.ts` exports. @throws GymError NG_ERR_SERVER_START. */
export async function loadServerClass(entrypoint: string): Promise<GymServerClass> {
  let module: { default?: unknown };
  try {
    module = await import(pathToFileURL(entrypoint).href);
  } catch (cause) {
    throw new GymError(
      "NG_ERR_SERVER_START",
      `${entrypoint} cannot be loaded: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`,
      { cause },
    );
  }
  const Class = module.default;
  if (typeof Class !== "function" || !("configSchema" in Class)) {
    throw new GymError("NG_ERR_SERVER_START", `${entrypoint} has no default export that is a server class`, {
      hint: "End the file with `export default class ... extends ResourcesServer` and `await serve(import.meta, ...)`.",
    });
  }
  return Class as unknown as GymServerClass;
}
