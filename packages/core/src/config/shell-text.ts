/**
 * Shell and template text in a configuration: `${HOME}` and `${x:-y}` are interpolations here, so a shell script loses them. Tells when a text
 * looks like one and what to write instead.
 */

/** Forms that only a shell has: `${x:-y}`, `${#a}`, `${a[@]}`, `${x%.*}`, `${x//a/b}`. */
const SHELL_FORM = /\$\{(?:[#!][A-Za-z_]|[A-Za-z_]\w*(?:\[[@*]\]|:?[-+=?]|[%#/^,]))/;
/** A text around the fragment that reads as a command line. */
const SHELL_CONTEXT = /(?:^|[\s;&|(])(?:cd|echo|export|for|if|then|source|bash|sh|python3?|pip|mkdir|rm|cp|mv|ls|cat|set|test|exec|git|curl|apt-get)\s|&&|\|\||;\s|\$\(|^#!/;

export function looksLikeShell(text: string, subject: string | undefined): boolean {
  return SHELL_FORM.test(text) || (subject !== undefined && /^[A-Z_][A-Z0-9_]*$/.test(subject)) || SHELL_CONTEXT.test(text);
}

/** What to write where `${...}` is meant for a shell. */
export function shellFix(text: string, subject: string | undefined): string | undefined {
  if (!text.includes("${") || !looksLikeShell(text, subject)) return undefined;
  const start = subject === undefined ? text.indexOf("${") : Math.max(text.indexOf(`\${${subject}`), text.indexOf("${"));
  const end = text.indexOf("}", start);
  const fragment = text.slice(start, end === -1 ? start + 20 : Math.min(end + 1, start + 60));
  const environment = subject !== undefined && /^[A-Za-z_]\w*$/.test(subject) ? `, or \${oc.env:${subject}} for the environment variable at load time; to set the value here: ++${subject}=<value>` : "";
  return `if the shell is to see it, write \\${fragment}${environment}`;
}
