/** The seed of a repeat: `responses_create_params.metadata.extra_body`, a JSON text that model servers merge into the upstream's body. */
import { dumpsPython, parsePython } from "./python-values.ts";
import { isRecord, type Row } from "./row.ts";

/**
 * A copy of the request with `seed` in its extra body; other members stay.
 * @throws Error where metadata or extra_body is not what it must be
 */
export function withSeed(params: Row, seed: number): Row {
  const metadata = params.metadata ?? {};
  if (!isRecord(metadata)) throw new Error("responses_create_params.metadata must be a map to take a seed");
  const text = metadata.extra_body ?? "{}";
  let extra: unknown;
  try {
    extra = typeof text === "string" ? parsePython(text) : undefined;
  } catch {
    extra = undefined;
  }
  if (!isRecord(extra))
    throw new Error(
      `responses_create_params.metadata.extra_body must be the JSON text of a map to take a seed, got ${JSON.stringify(text).slice(0, 100)}`,
    );
  return { ...params, metadata: { ...metadata, extra_body: dumpsPython({ ...extra, seed }) } };
}
