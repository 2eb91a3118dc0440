import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { processTree, runCommand, startCommand, survivors, tempProject } from "../src/index.ts";

const node = process.execPath;

test("a project holds its files and is gone afterwards, with what was added", async () => {
  let path: string;
  {
    await using project = await tempProject({ "a/b.yaml": "x: 1\n", "rows.jsonl": [{ a: 1 }, { a: 2 }], "c.json": { z: [1] } });
    path = project.path;
    await project.write("d/e.txt", "more");
    expect(await project.list()).toEqual(["a/b.yaml", "c.json", "d/e.txt", "rows.jsonl"]);
    expect(await project.read("rows.jsonl")).toBe('{"a":1}\n{"a":2}\n');
    expect(JSON.parse(await project.read("c.json"))).toEqual({ z: [1] });
    expect(existsSync(project.file("a/b.yaml"))).toBe(true);
  }
  expect(existsSync(path)).toBe(false);
});

test("a command's end, streams, input and surroundings", async () => {
  await using project = await tempProject();
  const script =
    "process.stdin.on('data', (d) => process.stdout.write('in ' + d)); console.error(process.cwd(), process.env.X); process.on('exit', () => process.exitCode = 3)";
  const result = await runCommand([node, "-e", script], { cwd: project.path, env: { X: "y" }, input: "abc" });
  expect(result).toMatchObject({ exitCode: 3, signal: undefined, stdout: "in abc", stderr: `${project.path} y\n`, timedOut: false });
  expect(await result.leftBehind()).toEqual([]);
});

test("no input is an input that is at its end", async () => {
  expect(await runCommand([node, "-e", "process.stdin.on('end', () => console.log('end')).resume()"])).toMatchObject({
    exitCode: 0,
    stdout: "end\n",
  });
});

test("a command that does not end in time, is cancelled, or does not exist", async () => {
  const forever = [node, "-e", "setInterval(() => {}, 1000)"];
  expect(await runCommand(forever, { timeoutMs: 50 })).toMatchObject({ exitCode: undefined, signal: "SIGKILL", timedOut: true });
  expect(await runCommand(forever, { signal: AbortSignal.abort() })).toMatchObject({ exitCode: undefined, timedOut: false });
  expect(await runCommand(["no-such-command-anywhere"])).toMatchObject({ exitCode: undefined, stderr: expect.stringContaining("ENOENT") });
});

test("lines are waited for on either stream, past ones too; a command that ends without one says what it said", async () => {
  await using command = startCommand([node, "-e", "console.error('port 12'); console.log('ready'); setInterval(() => {}, 1000)"]);
  expect((await command.waitForLine(/^port (\d+)$/))[1]).toBe("12");
  await command.waitForLine(/ready/);
  await command.waitForLine(/port/);
  command.kill("SIGTERM");
  expect(await command.exited).toMatchObject({ exitCode: undefined, signal: "SIGTERM" });
  await using short = startCommand([node, "-e", "console.log('other')"]);
  await expect(short.waitForLine(/ready/)).rejects.toThrow(/exit 0.*ready.*other/s);
});

const FAMILY = `
const { spawn } = require("node:child_process");
const child = spawn(process.execPath, ["-e", "console.log('child'); setInterval(() => {}, 1000)"], { detached: true, stdio: ["ignore", "inherit", "ignore"] });
child.unref();
if (process.argv[1] === "stay") setInterval(() => {}, 1000);
`;

test("leaving the block leaves no descendant, not even one with its own group", async () => {
  let tree: ReturnType<typeof processTree>;
  {
    await using command = startCommand([node, "-e", FAMILY, "stay"]);
    await command.waitForLine(/child/);
    tree = command.tree();
    expect(tree.length).toBe(2);
    expect(tree[1]?.parent).toBe(command.pid);
  }
  expect(await survivors(tree)).toEqual([]);
  expect(processTree(tree[0]?.pid ?? 0)).toEqual([]);
});

test("what a command leaves behind is found, and is not hidden by its end", async () => {
  await using command = startCommand([node, "-e", FAMILY.replace('"inherit"', '"ignore"')]);
  const result = await command.exited;
  const left = await result.leftBehind(0);
  expect(left).toMatchObject([{ command: expect.stringContaining("console.log('child')") }]);
  expect(await survivors(left)).toEqual([]);
});
