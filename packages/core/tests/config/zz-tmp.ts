function repeat(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("");
}

  const bombs: Record<string, string> = {
    "billion laughs": `a0: &a0 [x, x]\n${repeat(40, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]\n`)}`,
    "merge keys that multiply": `a0: &a0 {${repeat(300, (i) => `k${i}: 1, `)}}\nb:\n  <<: [${repeat(2000, () => "*a0, ")}*a0]\n`,
    "a huge anchor used often": `a: &a "${"x".repeat(1000)}"\nb: [${repeat(150_000, () => "*a, ")}*a]\n`,
    "flow nesting": `a: ${"[".repeat(100_000)}`,
    "block nesting": repeat(3000, (i) => `${" ".repeat(i)}a:\n`),
    dashes: `a:\n${"- ".repeat(50_000)}b\n`,
    "explicit keys": "? ".repeat(50_000),
    "many tokens": repeat(400_000, () => "- a\n"),
    tags: `a: ${"!x ".repeat(50_000)}`,
    "copies that double": `a0: {x: 1, y: 2}\n${repeat(40, (i) => `a${i + 1}: {x: '\${copy:a${i}}', y: '\${copy:a${i}}'}\n`)}`,
    "texts that double": `a0: xxxxxxxxxx\n${repeat(40, (i) => `a${i + 1}: '\${a${i}}\${a${i}}'\n`)}`,
    "empty texts that double": `a0: ''\n${repeat(60, (i) => `a${i + 1}: '\${a${i}}\${a${i}}'\n`)}x: \${a60}\n`,
    "blocks that double": `a0: {x: 1}\n${repeat(40, (i) => `a${i + 1}: {x: '\${a${i}}', y: '\${a${i}}'}\n`)}`,
    "blocks that hold one another": "a: {x: '${b}'}\nb: {y: '${a}'}\n",
    "a chain of interpolations": `a0: 1\n${repeat(5000, (i) => `a${i + 1}: \${a${i}}\n`)}`,
    "a chain of blocks": `a0: {x: 1}\n${repeat(5000, (i) => `a${i + 1}: {x: '\${a${i}}'}\n`)}`,
    "a chain of copies": `a0: {x: 1}\n${repeat(3000, (i) => `a${i + 1}: {_copy: a${i}}\n`)}z: \${nope}\n`,
    "nested interpolations": `a: ${"${".repeat(20_000)}`,
    "nested interpolation arguments": `a: '${"${oc.env:".repeat(2000)}'\n`,
    "decoded nesting": `a: "\${oc.decode:'${"[".repeat(5000)}'}"\n`,
    "a container in many texts": `m: {${repeat(2000, (i) => `k${i}: v, `)}}\n${repeat(2000, (i) => `t${i}: 'x\${m}'\n`)}`,
    "a long integer": `a: ${"9".repeat(100_000)}\n`,
    "unset values": repeat(20_000, (i) => `k${i}: ???\n`),
    "dangling values": repeat(10_000, (i) => `key_number_${i}: \${nope_number_${i}}\n`),
    "one long line of problems": `{${repeat(5000, (i) => `"k${i}": "\${nope${i}}", `)}}`,
    "many servers": repeat(4000, (i) => `s${i}: {responses_api_models: {m: {entrypoint: app.py}}}\n`),
    "many files": `config_paths: [${repeat(20_000, (i) => `f${i}.yaml, `)}]\n`,
    "many inherits": `base: {x: 1}\n${repeat(8000, (i) => `t${i}: {_inherit_from: b${i}}\nb${i}: {y: 1}\n`)}z: \${nope}\n`,
    "near-known keys": repeat(20_000, (i) => `policy_base_ur${i}: 1\n`),
  };


import { loadConfig } from "../../src/config/index.ts";
import { mkdtempSync, writeFileSync } from "node:fs";
const names = Object.keys(bombs); const n = names[Number(process.argv[2])];
if (n===undefined) process.exit(9);
const d = mkdtempSync('/tmp/cfgperf/b'); writeFileSync(d+'/c.yaml', bombs[n] as string);
const t = performance.now();
try { await loadConfig({argv:['+config_paths=[c.yaml]'],cwd:d,env:{},installRoot:d}); console.log(n,'LOADS',(performance.now()-t).toFixed(0)); } catch (e: any) { console.log(n,(performance.now()-t).toFixed(0)+'ms', (process.resourceUsage().maxRSS/1000).toFixed(0)+'MB', e.name, e.message.slice(0,100).replace(/\n/g,' '), e.message.length); if(e.name!=='GymError') console.log(String(e.stack).slice(0,600)); }
