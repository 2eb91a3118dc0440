/** The terminal shows text; no text steers it. */
import { printable } from "@ng-gym/core/errors";
import { expect, test } from "vitest";
import { shown } from "../src/terminal/shown.ts";
import { fakeTerminal } from "./fake-terminal.ts";

test("what is shown follows the rule of error messages, for every character", () => {
  const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).join("");
  expect(shown(all)).toBe(printable(all));
  expect(shown("a\tb\nc")).toBe("a\tb\nc");
});

test("results, remarks and the status line are all shown by that rule", () => {
  const terminal = fakeTerminal({ tty: true, columns: 60 });
  terminal.out("\u001b[31mresult\n");
  terminal.note("\u009bremark");
  expect(terminal.stdout).toBe("\\u001b[31mresult\n");
  expect(terminal.stderr).toBe("\\u009bremark\n");
  terminal.status("going\non \u001b]0;title\u0007");
  expect(terminal.stderr.split("\u001b[2K").at(-1)).toBe("going on \\u001b]0;title\\u0007");
  terminal.status("x".repeat(500));
  expect(terminal.stderr.split("\u001b[2K").at(-1)?.length).toBeLessThan(60);
});
