import { tempProject } from "@ng-gym/testing";
import { expect, test } from "vitest";
import { makeFolder } from "../../src/jsonl/index.ts";

test("makes what is missing and tells the uppermost folder it made", async () => {
  await using project = await tempProject({});
  expect(await makeFolder(project.file("a/b/c"))).toBe(project.file("a"));
  expect(await makeFolder(project.file("a/b/c"))).toBeUndefined();
});

test("a place where no folder can be made is an error, not an endless search", async () => {
  await expect(makeFolder("/proc/none/deeper")).rejects.toThrow(/ENOENT|EACCES|EPERM/);
});

test("a file where a folder is meant is an error", async () => {
  await using project = await tempProject({ "a.txt": "x" });
  await expect(makeFolder(project.file("a.txt"))).rejects.toMatchObject({ code: "EEXIST" });
});
