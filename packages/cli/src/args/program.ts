/** Commander's view of a command: reads its line and formats its help. */
import { Command, type Help, Option } from "commander";
import { type CommandSpec, type OptionSpec, takesValue } from "../contract/index.ts";
import { verbose } from "../table/index.ts";

const HELP_FLAG: OptionSpec = { flags: ["--help", "-h"], type: "switch", help: "show this help" };

/** Every option that a command's line may hold. */
export function allOptions(command: CommandSpec): OptionSpec[] {
  return [verbose, ...command.options, HELP_FLAG];
}

/** `usage: ng-run [options] [+key=value ...]` without its first word. */
export function usageOf(command: CommandSpec, calledAs: string): string {
  const positional = command.positional === undefined ? "" : ` [${command.positional.name}]`;
  return `${calledAs} [options]${positional}${command.overrides === false ? "" : " [+key=value ...]"}`;
}

/** Values by long flag, and the words that belong to no flag. Expects normalised arguments. */
export function readLine(command: CommandSpec, argv: readonly string[]): { given: Map<string, string[]>; words: string[] } {
  const given = new Map<string, string[]>();
  const program = new Command().exitOverride().allowExcessArguments().helpOption(false).argument("[words...]");
  for (const spec of allOptions(command)) {
    const option = commanderOption(spec);
    program.addOption(option);
    // Listening to the event keeps every value in order and leaves `--no-serve` the plain switch that it is.
    program.on(`option:${option.name()}`, (value: string | null) => {
      const flag = spec.flags[0] as string;
      given.set(flag, spec.repeatable === true ? [...(given.get(flag) ?? []), value ?? "true"] : [value ?? "true"]);
    });
  }
  program.parse([...argv], { from: "user" });
  return { given, words: program.args };
}

export function helpOf(command: CommandSpec, calledAs: string, columns: number): string {
  const program = new Command(calledAs).usage(usageOf(command, calledAs).slice(calledAs.length + 1)).helpOption(false);
  program.description([capital(command.summary), command.description].filter((part) => part !== undefined).join(".\n"));
  for (const spec of allOptions(command)) if (spec.hidden !== true) program.addOption(commanderOption(spec));
  program.configureHelp({ ...LOWER_CASE_USAGE, helpWidth: columns });
  const overrides =
    command.overrides === false ? "" : "\nAny configuration key can be set by +key=value, replaced by ++key=value and removed by ~key.\n";
  return `${program.helpInformation()}${overrides}${keysText(command)}\nExample:\n  ${command.example}\n`;
}

/** Keys that only an override or a file sets. */
function keysText({ keys = [] }: CommandSpec): string {
  const width = Math.max(0, ...keys.map(({ key }) => key.length));
  const lines = keys.map(({ key, about }) => `  ${key.padEnd(width)}  ${about}\n`);
  return lines.length === 0 ? "" : `\nKeys without a flag:\n${lines.join("")}`;
}

function commanderOption(spec: OptionSpec): Option {
  const short = spec.flags[1];
  const value = takesValue(spec) ? ` <${spec.choices === undefined ? spec.type : spec.choices.join("|")}>` : "";
  const remarks = [
    spec.required === true ? `required, or +${spec.key}=` : undefined,
    spec.repeatable === true ? "repeatable" : undefined,
    spec.variable === undefined ? undefined : `or variable ${spec.variable}`,
  ];
  const text = remarks.filter((remark) => remark !== undefined).join("; ");
  return new Option(
    `${short === undefined ? "" : `${short}, `}${spec.flags[0]}${value}`,
    text === "" ? spec.help : `${spec.help} (${text})`,
  );
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The reference's spelling of the first word, so that what scrapes it finds it. */
const LOWER_CASE_USAGE: Partial<Help> = { styleTitle: (title: string) => (title === "Usage:" ? "usage:" : title) };
