/**
 * The main job on one page: starts servers, collects rollouts, profiles them, shows two of them, and says what to type next. Everything goes
 * through the commands that a user types; each is printed before it runs.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { showConversations } from "./quickstart-conversation.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join("results", "quickstart");
const rollouts = join(out, "rollouts.jsonl");
const CONFIGS = ["resources_servers/mcqa/configs/mcqa.yaml", "responses_api_models/simulated_model/configs/simulated_model.yaml"];
const QUESTIONS = "resources_servers/mcqa/data/quickstart.jsonl";

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function start(command: string, args: string[], stdio: "inherit" | "pipe"): ChildProcess {
  say(`\n$ ${command} ${args.join(" ")}`);
  return spawn(join(root, "node_modules", ".bin", command), args, { cwd: root, stdio: ["ignore", stdio, "inherit"] });
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

async function run(command: string, args: string[]): Promise<void> {
  const code = await ended(start(command, args, "inherit"));
  if (code !== 0) throw new Error(`${command} ended with exit code ${code}`);
}

/** Starts the servers; resolves with the head server's port when all of them are ready. */
async function startServers(): Promise<{ servers: ChildProcess; port: string }> {
  // Port 0 takes a free one, so that a run that is going on already is not in the way.
  const servers = start("ng-run", [`+config_paths=[${CONFIGS.join(",")}]`, "+head_server.port=0"], "pipe");
  const ready = Promise.withResolvers<string>();
  ended(servers).then((code) => ready.reject(new Error(`ng-run ended with exit code ${code} before its servers were ready`)));
  if (servers.stdout) {
    createInterface({ input: servers.stdout }).on("line", (line) => {
      say(line);
      const port = /head server at http:\/\/\S+:(\d+)/.exec(line)?.[1];
      if (port) ready.resolve(port);
    });
  }
  return { servers, port: await ready.promise };
}

async function main(): Promise<void> {
  mkdirSync(join(root, out), { recursive: true });
  say(
    "Four servers from two YAML files: a model that is simulated (no key, no network), an agent, a multiple-choice benchmark and the relay in front.",
  );
  const { servers, port } = await startServers();
  try {
    const collect = [
      `+input_jsonl_fpath=${QUESTIONS}`,
      `+output_jsonl_fpath=${rollouts}`,
      "+num_repeats=4",
      "+num_repeats_add_seed=true",
      `+head_server.port=${port}`,
    ];
    await run("ng-collect-rollouts", collect);
  } finally {
    const stopped = ended(servers);
    servers.kill("SIGINT");
    await stopped;
  }
  await run("ng-reward-profile", [
    `+materialized_inputs_jsonl_fpath=${out}/rollouts_materialized_inputs.jsonl`,
    `+rollouts_jsonl_fpath=${rollouts}`,
  ]);
  say("\nTwo of the rollouts, one right and one wrong:");
  await showConversations(join(root, rollouts), say);
  say(`
What you have now, in ${out}/:
  rollouts.jsonl                    one line a rollout: request, answer, reward
  rollouts_aggregate_metrics.json   statistics of the run
  rollouts_reward_profiling.jsonl   one line a question: mean reward, spread, its four rollouts
The rewards are real, the model is simulated: its numbers say nothing about any model.

Next, with a model of yours (any OpenAI-compatible endpoint, for example vLLM):
  see "First benchmark against a vLLM endpoint" in README.md`);
}

main().catch((error: unknown) => {
  process.stderr.write(`quickstart: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
