/** Python's `str.format_map` on a row: `{field}`, `{field.attr}`, `{field[key]}`, `!r`, format specifications, doubled braces. */
import { formatValue } from "./python-format-spec.ts";
import { PythonFloat, reprOf, strOf } from "./python-values.ts";
import { isRecord, type Row } from "./row.ts";

/** Depth of `{}` inside a format specification that Python allows. */
const MAX_NESTING = 2;

/** @throws Error that says what is wrong with the template, or which field the row does not have */
export function formatTemplate(template: string, row: Row, depth = MAX_NESTING): string {
  let out = "";
  let at = 0;
  while (at < template.length) {
    const char = template[at] as string;
    if (char === "{" || char === "}") {
      if (template[at + 1] === char) {
        out += char;
        at += 2;
        continue;
      }
      if (char === "}") throw new Error("a single '}' stands in the template; write '}}' for a brace");
      const end = closingBrace(template, at);
      out += replacement(template.slice(at + 1, end), row, depth);
      at = end + 1;
    } else {
      out += char;
      at++;
    }
  }
  return out;
}

function closingBrace(template: string, open: number): number {
  let depth = 0;
  for (let at = open; at < template.length; at++) {
    if (template[at] === "{") depth++;
    else if (template[at] === "}" && --depth === 0) return at;
  }
  throw new Error("a '{' in the template is never closed; write '{{' for a brace");
}

function replacement(body: string, row: Row, depth: number): string {
  if (depth === 0) throw new Error("the template nests braces too deeply");
  const { name, conversion, spec } = splitField(body);
  const value = lookUp(name, row);
  return formatValue(
    converted(value, conversion),
    spec.includes("{") ? formatTemplate(spec, row, depth - 1) : spec,
    (message) => new Error(message),
  );
}

function splitField(body: string): { name: string; conversion: string | undefined; spec: string } {
  let brackets = 0;
  for (let at = 0; at < body.length; at++) {
    const char = body[at];
    if (char === "[") brackets++;
    else if (char === "]") brackets--;
    else if (brackets <= 0 && char === ":") return { name: body.slice(0, at), conversion: undefined, spec: body.slice(at + 1) };
    else if (brackets <= 0 && char === "!") {
      const rest = /^!([rsa])(?::(.*))?$/s.exec(body.slice(at));
      if (rest === null) throw new Error(`'{${body}}' has a conversion other than !r, !s, !a`);
      return { name: body.slice(0, at), conversion: rest[1], spec: rest[2] ?? "" };
    }
  }
  return { name: body, conversion: undefined, spec: "" };
}

function lookUp(name: string, row: Row): unknown {
  const match = /^([^.[]*)(.*)$/s.exec(name);
  const field = match?.[1] ?? "";
  if (field === "" || /^\d+$/.test(field)) throw new Error(`'{${name}}' names no field; use {field} with a name from the row`);
  if (!Object.hasOwn(row, field)) throw new Error(`the row has no field '${field}'; it has: ${Object.keys(row).join(", ")}`);
  let value = row[field];
  let rest = match?.[2] ?? "";
  while (rest !== "") {
    const step = /^(?:\.([^.[]+)|\[([^\]]+)\])/.exec(rest);
    if (step === null) throw new Error(`'{${name}}' is not a valid field`);
    rest = rest.slice(step[0].length);
    if (step[1] !== undefined) throw new Error(`'{${name}}': values of a row have no attributes; use {${field}[${step[1]}]}`);
    value = item(value, step[2] as string, name);
  }
  return value;
}

function item(value: unknown, key: string, name: string): unknown {
  const isIndex = /^\d+$/.test(key);
  if (isIndex && (Array.isArray(value) || typeof value === "string")) {
    const at = Number(key);
    const items = typeof value === "string" ? [...value] : value;
    if (at < items.length) return items[at];
  } else if (!isIndex && isRecord(value) && !(value instanceof PythonFloat) && Object.hasOwn(value, key)) {
    return value[key];
  }
  throw new Error(`'{${name}}': there is no '${key}'`);
}

function converted(value: unknown, conversion: string | undefined): unknown {
  if (conversion === "s") return strOf(value);
  if (conversion === "r") return reprOf(value);
  if (conversion === "a") return reprOf(value).replace(/[\u0080-\u{10ffff}]/gu, asciiEscape);
  return value;
}

function asciiEscape(char: string): string {
  const code = char.codePointAt(0) as number;
  if (code < 0x100) return `\\x${code.toString(16)}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}
