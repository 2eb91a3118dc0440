/** The table, the binaries and the package agree; no name is taken twice; every example parses. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, route } from "../src/args/index.ts";
import { binariesOf, COMMANDS, GROUPS, UMBRELLAS } from "../src/table/index.ts";
import { PACKAGE, ROOT } from "./run-command.ts";

const binMap: Record<string, string> = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")).bin;

describe("package.json", () => {
  test("maps every spelling of every command, and nothing else", () => {
    const expected = Object.fromEntries([
      ...COMMANDS.flatMap((command) => binariesOf(command).map((binary) => [binary, `bin/ng-${command.name}.js`])),
      ...UMBRELLAS.map((name) => [name, `bin/${name}.js`]),
    ]);
    expect(binMap).toEqual(expected);
  });

  test("every launcher is two lines that name its command", () => {
    const files = [...new Set(Object.values(binMap))];
    for (const file of files) {
      const name = file.slice("bin/".length, -".js".length);
      expect(readFileSync(join(PACKAGE, file), "utf8"), file).toBe(
        `#!/usr/bin/env node\nimport("./launch.js").then(({ launch }) => launch("${name}"));\n`,
      );
    }
    expect(readdirSync(join(PACKAGE, "bin")).sort()).toEqual([...files.map((file) => file.slice("bin/".length)), "launch.js"].sort());
  });
});

describe("table", () => {
  test("no binary, short name, place or flag is taken twice", () => {
    const binaries = [...COMMANDS.flatMap(binariesOf), ...UMBRELLAS];
    expect(new Set(binaries).size).toBe(binaries.length);
    const words = [...COMMANDS.map((command) => command.name), ...Object.keys(GROUPS)];
    expect(new Set(words).size).toBe(words.length);
    for (const command of COMMANDS) {
      const flags = command.options.flatMap((option) => option.flags);
      expect(new Set(flags).size, command.name).toBe(flags.length);
    }
  });

  test.each(COMMANDS.map((command) => [command.name, command] as const))(
    "%s: its place is in a group, its code loads, its --json is real",
    async (_name, command) => {
      if (command.path !== undefined) expect(Object.keys(GROUPS)).toContain(command.path[0]);
      const module = await command.load();
      expect(module.json !== undefined).toBe(command.options.some((option) => option.flags[0] === "--json"));
    },
  );

  test.each(COMMANDS.map((command) => [command.example, command] as const))("example parses: %s", async (example, command) => {
    const [binary = "", ...argv] = example.split(" ");
    const at = route(binary, argv);
    expect(at).toMatchObject({ kind: "command", command: { name: command.name } });
    if (at.kind !== "command") return;
    expect(await parse(at, { env: {}, rootsOf: async () => [ROOT] })).toMatchObject({ kind: "call", notices: [] });
  });
});
