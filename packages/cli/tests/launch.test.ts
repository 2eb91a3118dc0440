/** The launchers: which Node runs a command, and how quickly. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE, run, temporaryFolder } from "./run-command.ts";

/** Makes a process believe that it is an older Node. */
const OLD_NODE = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})`;

function runAsOldNode(launcher: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ["--import", OLD_NODE, launcher], { encoding: "utf8" });
}

test("an old Node without one in the install: one line that says so, exit 2", () => {
  using folder = temporaryFolder();
  cpSync(join(PACKAGE, "bin"), join(folder.path, "bin"), { recursive: true });
  cpSync(join(PACKAGE, "package.json"), join(folder.path, "package.json"));
  const { status, stdout, stderr } = runAsOldNode(join(folder.path, "bin", "ng-help.js"));
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^Error: ng-help needs Node 24 or newer; this is v.*\n$/);
});

test("an old Node goes on with the one in the install", () => {
  const { status, stdout, stderr } = runAsOldNode(join(PACKAGE, "bin", "ng-help.js"));
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("ng-help");
});

test("help loads commander, the table and what reads the line; no library and no part of core", () => {
  const trace = `data:text/javascript,import{registerHooks}from"node:module";registerHooks({load(url,context,next){process.stderr.write(url+"\\n");return next(url,context)}})`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--import", trace, join(PACKAGE, "bin", "ng.js"), "env", "start", "--help"], {
    encoding: "utf8",
  });
  expect(stdout).toContain("usage: ng env start");
  const foreign = stderr
    .split("\n")
    .filter((url) => url.startsWith("file:") && !url.includes("/packages/cli/") && !url.includes("/commander/"));
  expect(foreign).toEqual([]);
});

test("a reader that leaves is no failure", () => {
  const text = execFileSync("/bin/sh", ["-c", `"${process.execPath}" "${join(PACKAGE, "bin", "ng-help.js")}" | head -1; echo done`], {
    encoding: "utf8",
  });
  expect(text).toMatch(/^usage: .*\ndone\n$/);
});

test("a command writes nothing into the folder it is called in", async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "here"));
  const { exitCode } = await run(["ng-version", "--json"], { cwd: join(folder.path, "here") });
  expect(exitCode).toBe(0);
  expect(execFileSync("ls", ["-A", join(folder.path, "here")], { encoding: "utf8" })).toBe("");
});
