/** What a Python server is started with, and by which interpreter. */
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { tempProject } from "@ng-gym/testing";
import { expect, test } from "vitest";
import { FIXTURES, startPythonServers } from "./servers.ts";

interface Told {
  environment: Record<string, string>;
  arguments: string[];
  folder: string;
  path: string[];
  prefix: string;
  executable: string;
  block: Record<string, string>;
  group: number;
  pid: number;
}

const CONFIG = "configs/environment.yaml";
const FOLDER = `${FIXTURES}/resources_servers/py_environment`;

test("it gets what the reference gives: configuration with the final address, its name, its folder on the path, output unbuffered", async () => {
  const env = { PYTHONPATH: "/nowhere", NG_GYM_HOSTED: "1", OWN_VARIABLE: "stays" };
  await using servers = await startPythonServers({ config: CONFIG, overrides: ["+uv_cache_dir=/tmp/uv"], env });
  const told = (await servers.post("told", "/tell")) as Told;
  const [instance] = servers.running.instances;
  expect(told).toMatchObject({ arguments: [`${FOLDER}/app.py`], folder: FOLDER, path: [FOLDER, FOLDER] });
  expect(told.block).toMatchObject({ entrypoint: "app.py", host: "127.0.0.1", port: String(instance?.port) });
  expect(told.environment).toMatchObject({
    NEMO_GYM_CONFIG_PATH: "told",
    NG_GYM_HOST: "127.0.0.1",
    NG_GYM_PORT: String(instance?.port),
    PYTHONPATH: `${FOLDER}:/nowhere`,
    PYTHONUNBUFFERED: "1",
    UV_CACHE_DIR: "/tmp/uv",
    OWN_VARIABLE: "stays",
  });
  expect(told.environment).not.toHaveProperty("NG_GYM_HOSTED");
  // A group of its own, that can be ended with all that it starts.
  expect(told.group).toBe(told.pid);
  expect(instance).toMatchObject({ pid: told.pid, hosting: "process", h2c: false });
});

test("the interpreter of a virtual environment in the server's folder, as a relative path", async () => {
  await using project = await tempProject({
    "lib/x": "",
    "c.yaml": { told: { resources_servers: { own: { entrypoint: "app.py", domain: "other" } } } },
  });
  symlinkSync(`${FIXTURES}/lib/mini_gym.py`, project.file("lib/mini_gym.py"));
  const source = execFileSync("cat", [`${FOLDER}/app.py`], { encoding: "utf8" });
  await project.write("resources_servers/own/app.py", source);
  const folder = project.file("resources_servers/own");
  execFileSync("python3", ["-m", "venv", "--without-pip", ".venv"], { cwd: folder });
  await using servers = await startPythonServers({
    config: "c.yaml",
    cwd: project.path,
    overrides: ["++told.resources_servers.own.python=.venv/bin/python"],
  });
  const told = (await servers.post("told", "/tell")) as Told;
  expect(told).toMatchObject({ prefix: `${folder}/.venv`, executable: `${folder}/.venv/bin/python` });
});

test("what the PATH leads to is asked once for its real path, and not run again", async () => {
  const shim = `#!/bin/sh\necho asked >> "${"$"}{0}.calls"\nexec python3 "$@"\n`;
  await using project = await tempProject({ "bin/slow-python": shim });
  execFileSync("chmod", ["+x", project.file("bin/slow-python")]);
  const env = { PATH: `${project.file("bin")}:${process.env.PATH}` };
  const second = "++other={resources_servers:{py_environment:{entrypoint:app.py,domain:other}}}";
  await using servers = await startPythonServers({ config: CONFIG, overrides: ["++python=slow-python", second], env });
  expect(servers.running.instances).toHaveLength(2);
  expect(await project.read("bin/slow-python.calls")).toBe("asked\n");
  expect(((await servers.post("other", "/tell")) as Told).executable).not.toContain("slow-python");
});

test("a block's interpreter wins over the top level's; one that is missing is named with all others, before a port is bound", async () => {
  const second = "++other={resources_servers:{py_environment:{entrypoint:app.py,domain:other,python:python8}}}";
  await expect(startPythonServers({ config: CONFIG, overrides: ["++python=python9", second] })).rejects.toMatchObject({
    code: "NG_ERR_CONFIG",
    message: expect.stringMatching(/told: there is no Python interpreter python9 .*\n +other: there is no Python interpreter python8 /),
  });
});

test("a configuration that no environment variable can hold is told as such", async () => {
  const long = Array.from({ length: 3_000 }, (_, index) => `long text number ${index} of many that a configuration may hold`).join(" ");
  await using project = await tempProject({
    "resources_servers/own/app.py": "",
    "c.yaml": { told: { resources_servers: { own: { entrypoint: "app.py", domain: "other", description: long } } } },
  });
  await expect(startPythonServers({ config: "c.yaml", cwd: project.path })).rejects.toMatchObject({
    code: "NG_ERR_SERVER_START",
    message: expect.stringMatching(
      /^told cannot be started: the configuration .* NEMO_GYM_CONFIG_DICT .* bytes long, more than the system takes$/,
    ),
  });
});
