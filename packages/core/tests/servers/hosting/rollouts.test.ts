/**
 * Whole rollouts through our own servers answer the same however they are hosted: over sockets, by function calls that hand over frozen copies (our
 * servers change nothing that is not theirs), and with copies of everything.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startTestServers, type TestServersOptions } from "@ng-gym/testing";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));
const MODEL = "responses_api_models/simulated_model/configs/simulated_model.yaml";

type Row = Record<string, unknown>;

async function rowsOf(server: string): Promise<Row[]> {
  const text = await readFile(`${ROOT}resources_servers/${server}/data/example.jsonl`, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .slice(0, 5)
    .map((line, index) => ({ ...JSON.parse(line), _ng_task_index: index, _ng_rollout_index: 0 }));
}

/** What is compared: the conversation without what is random in it. */
function told({ reward, response }: Row): unknown {
  const items = (response as { output: Row[] }).output;
  return { reward, items: items.map(({ type, name, arguments: args, content, output }) => ({ type, name, args, content, output })) };
}

async function rollouts(server: string, options: TestServersOptions): Promise<unknown[]> {
  await using servers = await startTestServers({ configPaths: [`resources_servers/${server}/configs/${server}.yaml`, MODEL], ...options });
  const environment = servers.instances.find((one) => one.server_type === "environment_servers")?.config_path as string;
  const answers = await Promise.all(
    (await rowsOf(server)).map(async (row) => {
      const reply = await servers.call(environment, "/run", row, { kind: "run" });
      expect([reply.status, reply.status === 200 ? "" : reply.text()]).toEqual([200, ""]);
      return reply.json() as Row;
    }),
  );
  const metrics = await servers.call(environment, "/aggregate_metrics", {
    verify_responses: answers.map((answer, index) => ({ ...answer, _ng_task_index: index, _ng_rollout_index: 0 })),
  });
  return [...answers.map(told), (metrics.json() as Row).key_metrics];
}

test.each(["mcqa", "example_single_tool_call", "example_session_state_mgmt"])("%s with simple_agent", async (server) => {
  const overSockets = await rollouts(server, { localDispatch: false });
  expect(await rollouts(server, { freezeLocal: true })).toEqual(overSockets);
  expect(await rollouts(server, { topLevel: { num_hosts: 2 } })).toEqual(overSockets);
  const workers = [`resources_servers.${server}`, "responses_api_agents.simple_agent"].map(
    (path) => `++${path.startsWith("resources") ? server : `${server}_simple_agent`}.${path}.num_workers=2`,
  );
  expect(await rollouts(server, { overrides: workers })).toEqual(overSockets);
});
