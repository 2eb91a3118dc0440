import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createAssembly } from "../core/src/servers/hosting/assembly.ts";
import { listen } from "../core/src/servers/listener.ts";
import { compareTranscript, replayTranscript } from "./src/wire-golden/index.ts";

const G = "/work/shared/golden/wire/";
const R = "/work/main";
const want = process.argv.slice(2);
const files = readdirSync(G)
  .filter((f) => f.endsWith(".json"))
  .filter((f) => want.length === 0 || want.some((w) => f.startsWith(w)));
const start = async (spec: any) => {
  const addr: Record<string, any> = {};
  for (const s of [...spec.servers, ...spec.peers]) addr[s.name] = { url: `http://${s.address.host}:${s.address.port}` };
  const a = createAssembly({
    global: { get: (k: string) => spec.topLevel[k] } as any,
    addressOf: (n: string) => addr[n],
    runSecret: "s",
    log: () => {},
    localDispatch: false,
  });
  const ls: any[] = [];
  const listening: any = {};
  for (const s of spec.servers)
    await a.add({
      name: s.name,
      type: s.type,
      implementation: s.dir,
      block: s.config,
      host: "127.0.0.1",
      port: 0,
      hosting: "shared",
      dir: "",
      entrypoint: `${R}/${s.type}/${s.dir}/app.ts`,
      language: "node",
    } as any);
  await a.start();
  for (const s of spec.servers) {
    const l = await listen(a.endpoints.get(s.name)!, { host: "127.0.0.1", port: 0 });
    ls.push(l);
    listening[s.name] = { host: "127.0.0.1", port: l.port };
  }
  return {
    listening,
    close: async () => {
      await Promise.all(ls.map((l) => l.close(100)));
      await a.stop();
    },
  };
};
let eq = 0;
const pend: string[] = [];
for (const f of files) {
  const t = JSON.parse(readFileSync(G + f, "utf8"));
  const missing = Object.values<any>(t.input.servers)
    .map((s) => `${s.type}/${s.dir}`)
    .filter((p) => !existsSync(`${R}/${p}/app.ts`));
  if (missing.length) {
    pend.push(f);
    continue;
  }
  try {
    const d = compareTranscript(t, await replayTranscript(t, start as any, { timeoutMs: 25000, settleMs: 4000 }));
    if (d.length === 0) eq++;
    else {
      console.log("DIFF", f, d.length, t.expected.reference_bug ? "BUG ours: " + t.expected.ours : "");
      for (const x of d.slice(0, 4)) console.log("    ", x.slice(0, 420));
    }
  } catch (e: any) {
    console.log("ERR", f, e.message?.slice(0, 300));
  }
}
console.log("equal", eq, "pending", pend.length, pend.join(" "));
process.exit(0);
