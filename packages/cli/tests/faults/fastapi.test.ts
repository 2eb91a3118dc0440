/**
 * A server on FastAPI and uvicorn in one run with ours. Needs an interpreter that has both, and itsdangerous: python3, or the one that
 * NG_TEST_PYTHON names.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { survivors } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { openScene } from "./scene.ts";

process.env.NEMO_GYM_EXTRA_ROOTS = fileURLToPath(new URL("../../../core/tests/servers/hosting-python/fixtures", import.meta.url));
process.env.PYTHONDONTWRITEBYTECODE = "1";

const PYTHON = process.env.NG_TEST_PYTHON ?? "python3";
const missing = spawnSync(PYTHON, ["-c", "import fastapi, uvicorn, itsdangerous"], { encoding: "utf8" }).status !== 0;

const PARAMETERS = { type: "object", properties: {}, required: [], additionalProperties: false };

function task(index: number, row: object): object {
  const tools = [{ type: "function", name: "add_points", parameters: PARAMETERS, strict: true }];
  return { responses_create_params: { input: [{ role: "user", content: `Add points (${index}).` }], tools }, ...row };
}

describe.skipIf(missing)(`FastAPI (${missing ? `${PYTHON} lacks fastapi, uvicorn or itsdangerous` : PYTHON})`, () => {
  const configs = ["configs/fastapi.yaml", "configs/simulated.yaml"];
  const run = ["++policy_model.responses_api_models.simulated_model.tool_rounds=2", `++python=${PYTHON}`];

  test("its sessions, tools and rewards; a row that its schema refuses is a failure with its 422", async () => {
    const rows = [...Array.from({ length: 12 }, (_, index) => task(index, { expected_calls: 2 })), task(12, { expected_calls: "many" })];
    await using scene = await openScene({ configs, rows, run });
    const collected = await scene.collect(["--agent", "points_simple_agent"]);
    expect(collected.stdout).toMatch(/scored +12\n +failed +1\n/);
    expect((await scene.rows()).map(({ reward, seen }) => ({ reward, seen }))).toEqual(rows.slice(1).map(() => ({ reward: 1, seen: 2 })));
    const [failed] = await scene.rows("r_failures.jsonl");
    expect(failed).toMatchObject({ _ng_failure_boundary: "points", failure_kind: "points:upstream_status" });
    expect(failed?._ng_failure_message).toMatch(/422.*expected_calls/s);
    const tree = scene.servers.tree();
    scene.servers.kill("SIGTERM");
    const { exitCode, stderr } = await scene.servers.exited;
    expect(exitCode).toBe(130);
    expect(stderr).not.toMatch(/ended|killed|Error/);
    expect(await survivors(tree)).toEqual([]);
  });

  test.each(["SIGTERM", "SIGKILL"] as const)("several uvicorn processes: all are gone after %s to the launcher", async (signal) => {
    const workers = "++points.resources_servers.py_fastapi.processes=2";
    await using scene = await openScene({ configs, run: [...run, workers] });
    const tree = scene.servers.tree();
    // Launcher, guard, uvicorn, its two workers; Python adds one that watches what they share.
    expect(tree.length).toBeGreaterThanOrEqual(5);
    scene.servers.kill(signal);
    await scene.servers.exited;
    expect(await survivors(tree, 2_000)).toEqual([]);
  });
});
