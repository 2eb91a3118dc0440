/**
 * One episode after another, as many at once as the limits allow: admission, the time limit, the run, its clean-up, and an answer in any case. How an
 * episode runs is the business of `EpisodeRun`.
 */
import { setMaxListeners } from "node:events";
import { GymError, isGymError } from "../../errors/index.ts";
import { attemptKey, type EpisodeAnswer, type EpisodeRequest } from "../../protocol/index.ts";
import type { Log } from "../gym-server.ts";
import { createAdmission } from "./admission.ts";
import { type Cleanup, createCleanup } from "./cleanup.ts";
import type { SingleTurnConfig } from "./config.ts";
import { factHeaders, failureOf, type Progress } from "./failure.ts";

export interface EpisodeContext {
  /** Fires when the caller leaves or the time is up. */
  signal: AbortSignal;
  progress: Progress;
  cleanup: Cleanup;
}

/** Runs an admitted episode to its result. What it opens it registers with the clean-up first. */
export type EpisodeRun = (episode: EpisodeRequest, context: EpisodeContext) => Promise<Record<string, unknown>>;

export interface EpisodesOptions {
  name: string;
  config: SingleTurnConfig;
  log: Log;
  run: EpisodeRun;
}

/** `headers` hold the facts of a failure. */
export interface Played {
  answer: EpisodeAnswer;
  headers: Record<string, string>;
}

export interface Episodes {
  /** Never throws. Returns once all that the episode opened is closed, or its limit is over. */
  play(episode: EpisodeRequest, caller: AbortSignal): Promise<Played>;
  /** Episodes that wait for their admission. */
  queued(): number;
  /** Waits for episodes that are still cleaning up, a short while. */
  stop(): Promise<void>;
}

const MAX_TIMER_MS = 2 ** 31 - 1;
/** Longest wait at shutdown for episodes whose callers have left. */
const STOP_WAIT_MS = 2_000;

export function createEpisodes({ name, config, log, run }: EpisodesOptions): Episodes {
  const admission = createAdmission(name, config);
  const timeoutSeconds = config.default_episode_timeout_seconds ?? 0;
  const atWork = new Set<Promise<unknown>>();

  async function play(episode: EpisodeRequest, caller: AbortSignal): Promise<Played> {
    const { episode_id } = episode;
    const { task_id } = episode.task;
    const progress: Progress = { stage: "admission" };
    try {
      const result = await admission.run(() => admitted(episode, progress, caller), caller);
      return { answer: { episode_id, task_id, result, failure: null }, headers: {} };
    } catch (error) {
      if (!isGymError(error)) log.error(`the episode of rollout ${attemptKey(episode_id)} threw at stage ${progress.stage}`, { error });
      return { answer: { episode_id, task_id, result: null, failure: failureOf(error, progress) }, headers: factHeaders(error, name) };
    }
  }

  async function admitted(episode: EpisodeRequest, progress: Progress, caller: AbortSignal): Promise<Record<string, unknown>> {
    const end = new AbortController();
    setMaxListeners(0, end.signal);
    const onLeave = (): void => end.abort(caller.reason);
    caller.addEventListener("abort", onLeave, { once: true });
    let late: GymError | undefined;
    const timer =
      timeoutSeconds > 0
        ? setTimeout(
            () => {
              late = tooLate(name, timeoutSeconds);
              end.abort(late);
            },
            Math.min(timeoutSeconds * 1000, MAX_TIMER_MS),
          )
        : undefined;
    const cleanup = createCleanup({ timeoutMs: config.cleanup_timeout_seconds * 1000, log });
    progress.stage = "seed";
    try {
      return await run(episode, { signal: end.signal, progress, cleanup });
    } catch (error) {
      throw late ?? error;
    } finally {
      clearTimeout(timer);
      caller.removeEventListener("abort", onLeave);
      await cleanup.run();
    }
  }

  return {
    async play(episode, caller) {
      const played = play(episode, caller);
      atWork.add(played);
      try {
        return await played;
      } finally {
        atWork.delete(played);
      }
    },
    queued: () => admission.stats().waiting,
    async stop() {
      const timeout = Promise.withResolvers<void>();
      const timer = setTimeout(timeout.resolve, STOP_WAIT_MS);
      await Promise.race([Promise.all(atWork), timeout.promise]);
      clearTimeout(timer);
    },
  };
}

function tooLate(name: string, seconds: number): GymError {
  const message = `${name}: the episode took longer than default_episode_timeout_seconds (${seconds})`;
  return new GymError("NG_ERR_TIMEOUT", message, { details: { failure_kind: "agent_timeout", boundary: name, message } });
}
