/** How PyYAML writes a text: plain where that reads back, else in single quotes, else in double quotes. */
import { readsAsOther } from "./yaml-scalars.ts";

export type ScalarStyle = "plain" | "single" | "double";

/** Words that OmegaConf quotes although YAML 1.1 readers of today would not mind. */
const BOOL_WORDS = /^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const PYTHON_INT = /^[+-]?\p{Nd}(?:_?\p{Nd})*$/u;
const PYTHON_FLOAT =
  /^[+-]?(?:(?:\p{Nd}(?:_?\p{Nd})*(?:\.(?:\p{Nd}(?:_?\p{Nd})*)?)?|\.\p{Nd}(?:_?\p{Nd})*)(?:e[+-]?\p{Nd}(?:_?\p{Nd})*)?|inf|infinity|nan)$/iu;

const BREAK = /[\n\x85\u2028\u2029]/;
const SPACE_BREAK = / [\n\x85\u2028\u2029]/;
const BREAK_SPACE = /[\n\x85\u2028\u2029] /;
/** Characters that only double quotes can show. */
const SPECIAL = /[^\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10fffe}]|\ufeff/u;
const FIRST_INDICATOR = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?=[\0 \t\r\n\x85\u2028\u2029]|$)|---|\.\.\.)/;
const LATER_INDICATOR = /.:(?=[\0 \t\r\n\x85\u2028\u2029]|$)|[\0 \t\r\n\x85\u2028\u2029]#/s;

export function isMultiline(text: string): boolean {
  return BREAK.test(text);
}

/** `simpleKey`: the text is a key on the line of its value. */
export function styleOf(text: string, simpleKey: boolean): ScalarStyle {
  if (text !== "" && !mustQuote(text) && plainAllowed(text)) return "plain";
  const single = !SPECIAL.test(text) && !SPACE_BREAK.test(text) && !BREAK_SPACE.test(text) && !(simpleKey && isMultiline(text));
  return single ? "single" : "double";
}

function mustQuote(text: string): boolean {
  const trimmed = text.trim();
  return BOOL_WORDS.test(text) || PYTHON_INT.test(trimmed) || PYTHON_FLOAT.test(trimmed) || readsAsOther(text);
}

function plainAllowed(text: string): boolean {
  return !(/^[ ]|[ ]$/.test(text) || BREAK.test(text) || SPECIAL.test(text) || FIRST_INDICATOR.test(text) || LATER_INDICATOR.test(text));
}
