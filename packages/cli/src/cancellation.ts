/** An error that only says that somebody asked to stop. Told by its code, so that nothing has to be loaded for it. */
export function isCancellation(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown.name === "AbortError" || (thrown as { code?: unknown }).code === "NG_ERR_CANCELLED");
}
