/** Session stores as registries ask them: gone and never there are one answer, not an error. */
import { HttpError } from "./error-reply.ts";
import type { SessionStore } from "./session-store.ts";

/** What the store has under this id, undefined also for what it had. */
export function held<T>(store: SessionStore<T>, id: string): T | undefined {
  return ask(store, id).state;
}

/** True for an id that the store had and let go of. */
export function wasHeld(store: SessionStore<unknown>, id: string): boolean {
  return ask(store, id).gone;
}

function ask<T>(store: SessionStore<T>, id: string): { state: T | undefined; gone: boolean } {
  try {
    return { state: store.get(id), gone: false };
  } catch (error) {
    if (error instanceof HttpError) return { state: undefined, gone: true };
    throw error;
  }
}
