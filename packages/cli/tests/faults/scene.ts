/**
 * A user's situation: a project folder, servers started by `ng-run`, collections by `ng-collect-rollouts`. Leaving the block stops everything and
 * fails the test where a process, or a file in the temp folder, is left.
 */
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type CommandOptions,
  type CommandResult,
  type RunningCommand,
  runCommand,
  startCommand,
  type TempProject,
  tempProject,
} from "@ng-gym/testing";

const BIN = fileURLToPath(new URL("../../../../node_modules/.bin/", import.meta.url));

export type Row = Record<string, unknown>;

export interface SceneOptions {
  /** `in.jsonl`; default one question of each letter. */
  rows?: readonly object[];
  /** Base URL of the endpoint; default: the simulated model. */
  upstream?: string;
  resourcesServer?: string;
  hosting?: "shared" | "process";
  /** Configuration files of the run instead of a resources server and a model. */
  configs?: readonly string[];
  /** Further words for `ng-run`. */
  run?: readonly string[];
}

export interface Scene extends AsyncDisposable {
  readonly project: TempProject;
  readonly servers: RunningCommand;
  /** The override that tells other commands where the head server is. */
  readonly head: string;
  /** Runs a collection from `in.jsonl` to `out/r.jsonl` to its end. */
  collect(words?: readonly string[]): Promise<CommandResult>;
  startCollection(words?: readonly string[], options?: CommandOptions): RunningCommand;
  /** Rows of `out/<name>`, `[]` where there is no such file; a torn line fails the test. */
  rows(name?: string): Promise<Row[]>;
  /** Process id of an instance, as the table of `ng-run` shows it. */
  pidOf(server: string): number;
}

export function binary(name: string): string {
  return join(BIN, name);
}

/** What the commands of a test see: a temp folder of their own, nothing that would stand for configuration. */
export function surroundings(project: TempProject): CommandOptions & { cwd: string } {
  const env = { HOME: project.path, TMPDIR: project.file("tmp"), OPENAI_API_KEY: undefined, OPENAI_BASE_URL: undefined };
  return { cwd: project.path, env, timeoutMs: 60_000 };
}

export async function folderWith(files: Record<string, string | object>): Promise<TempProject> {
  const project = await tempProject(files);
  await mkdir(project.file("tmp"));
  return project;
}

/** A multiple-choice row; the right letter is B. */
export function question(index: number, more: object = {}): object {
  const content = `Question ${index}: which letter is right?\nA: no\nB: yes\nAnswer with \\boxed{X}.`;
  return {
    responses_create_params: { input: [{ role: "user", content }] },
    options: [{ A: "no" }, { B: "yes" }],
    expected_answer: "B",
    task_source: "mcqa",
    ...more,
  };
}

export const questions = (count: number): object[] => Array.from({ length: count }, (_, index) => question(index));

export function collectWords(head: string, words: readonly string[] = []): string[] {
  const unless = (flag: string, value: string): string[] => (words.includes(flag) ? [] : [flag, value]);
  return [binary("ng-collect-rollouts"), ...unless("-i", "in.jsonl"), ...unless("-o", "out/r.jsonl"), head, ...words];
}

/** Every process gone, nothing in the temp folder. @throws Error naming what is left */
export async function expectClean(project: TempProject, ended: readonly CommandResult[]): Promise<void> {
  const left = (await Promise.all(ended.map((result) => result.leftBehind()))).flat();
  const files = await readdir(project.file("tmp"));
  if (left.length > 0 || files.length > 0)
    throw new Error(`left behind: ${[...left.map(({ pid, command }) => `${pid} ${command}`), ...files].join(", ")}`);
}

export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const { rows = questions(4), upstream, resourcesServer = "mcqa", hosting = "shared" } = options;
  const project = await folderWith({
    "in.jsonl": [...rows],
    "env.yaml": { policy_base_url: upstream ?? "", policy_api_key: "sk-of-the-test", policy_model_name: "m" },
  });
  const ended: CommandResult[] = [];
  const started: RunningCommand[] = [];
  const model = upstream === undefined ? "simulated_model" : "openai_model";
  const chosen = options.configs
    ? [`+config_paths=[${options.configs.join(",")}]`]
    : ["--resources-server", resourcesServer, "--model-type", model];
  const words = [...chosen, `+hosting=${hosting}`, "+head_server.port=0", ...(options.run ?? [])];
  const servers = startCommand([binary("ng-run"), ...words], surroundings(project));
  started.push(servers);

  async function close(): Promise<void> {
    try {
      // Killed things first: a collection that is still there would be told of servers that leave.
      for (const command of [...started].reverse()) {
        command.kill("SIGINT");
        ended.push(await command.exited);
      }
      await expectClean(project, ended);
    } finally {
      for (const command of started) await command[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    }
  }

  let head: string;
  try {
    head = `+head_server.port=${(await servers.waitForLine(/ready in .*head server at http:\/\/127\.0\.0\.1:(\d+)/))[1]}`;
    await servers.waitForLine(/Ctrl-C stops/);
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  return {
    project,
    servers,
    head,
    async collect(extra) {
      const result = await runCommand(collectWords(head, extra), surroundings(project));
      ended.push(result);
      return result;
    },
    startCollection(extra, more) {
      const command = startCommand(collectWords(head, extra), { ...surroundings(project), ...more });
      started.push(command);
      return command;
    },
    rows: async (name = "r.jsonl") => rowsOf(await project.read(`out/${name}`).catch(() => "")),
    pidOf(server) {
      const line = servers.stdout.split("\n").find((one) => one.startsWith(`  ${server} `));
      return Number(/(\d+)(?: shared)?$/.exec(line ?? "")?.[1]);
    },
    [Symbol.asyncDispose]: close,
  };
}

export function rowsOf(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}
