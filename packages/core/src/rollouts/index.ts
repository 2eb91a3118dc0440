/** `rollouts`: plan, dispatch, journal, resume, aggregate, profile. See README.md. */
export { ARCHIVED_NAME } from "./archive.ts";
export { attemptCap } from "./attempt-cap.ts";
export { type CollectOptions, collectRollouts, type RunServers } from "./collect.ts";
export type { CollectEvent, FailureEvent, Notice, NoticeCode, ProgressEvent } from "./events.ts";
export { elapsedSeconds, isTerminal } from "./failure-history.ts";
export { HEALTH_CHECKS } from "./health-checks.ts";
export { moveInvalidJudgeRows } from "./invalid-judge.ts";
export { RESIDENT_ROLLOUTS_LIMIT } from "./limits.ts";
export {
  type CollectParameters,
  collectParameters,
  type ParsedCollect,
  type ProfileParameters,
  parseCollectParameters,
  parseProfileParameters,
  profileParameters,
} from "./parameters.ts";
export { type RunPaths, runPaths } from "./paths.ts";
export { type Plan, type PlanOptions, planRun } from "./plan.ts";
export { type ProfileOptions, type ProfileResult, profileRewards } from "./profile.ts";
export { fillPrompt, loadPrompt, type PromptTemplate } from "./prompt.ts";
export { parsePython } from "./python-values.ts";
export type { CollectResult } from "./result.ts";
export { type ResumeCounts, type ResumeState, readResume } from "./resume.ts";
export { buildRouting, type EnvironmentServer, type Resolved, type Routing } from "./routing.ts";
export { keyOf, type RolloutKey, type Row } from "./row.ts";
export type { AskRun } from "./run-watch.ts";
export { loadSkills, parseSkill, type Skill, type SkillsRef } from "./skills.ts";
export { type GroupSummary, type PassAtK, type RewardSummary, type RunSummary, summarizeRun } from "./summary.ts";
