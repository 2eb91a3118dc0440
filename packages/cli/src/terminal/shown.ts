/**
 * What a model, an endpoint or a file says must not steer the terminal: control characters and those that turn the direction of writing are shown as
 * `\\u001b`. The same rule as that of error messages (`printable` in core), written here because help loads nothing of core.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text that is safe to show; line feeds and tabs stay. In JSON text the escapes mean the same characters. */
export function shown(text: string): string {
  return text.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
