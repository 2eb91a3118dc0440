import http2 from "node:http2";
import { Pool, H2CClient } from "undici";
import { listen } from "../src/servers/listener.ts";
const [n, size, streams, conns] = process.argv.slice(2, 6).map(Number) as number[];
const which = process.argv[6]; const client = process.argv[7];
let port: number; let done: () => void;
if (which === "raw") {
  const s = http2.createServer({ settings: { maxConcurrentStreams: 4096 } }, (req, res) => { let k = 0; req.on("data", d => k += d.length); req.on("end", () => setTimeout(() => res.end("y".repeat(size!)), 300)); });
  await new Promise<void>(r => s.listen(0, () => r())); port = (s.address() as any).port; done = () => s.close();
} else { const l = await listen({ async handle(r) { await new Promise(res => setTimeout(res, 300)); return { status: 200, body: "y".repeat(size!) }; } }, { host: "127.0.0.1", port: 0 }); port = l.port; done = () => void l.close(0); }
let ok = 0, bad = 0, msg = "";
const body = JSON.stringify("x".repeat(size!));
if (client === "undici") {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: conns, factory: (u) => new H2CClient(u, { maxConcurrentStreams: streams, pipelining: streams }) });
  await Promise.all(Array.from({ length: n! }, async () => { try { const r = await pool.request({ path: "/", method: "POST", body, headers: { "content-type": "application/json" } }); await r.body.text(); ok++; } catch (e) { bad++; msg = (e as Error).message; } }));
  await pool.destroy();
} else {
  const c = http2.connect(`http://127.0.0.1:${port}`, { peerMaxConcurrentStreams: 4096 });
  await new Promise(r => c.once("remoteSettings", r));
  await Promise.all(Array.from({ length: n! }, () => new Promise<void>(r => { const q = c.request({ ":method": "POST", ":path": "/", "content-type": "application/json" }); q.resume(); q.on("end", () => { ok++; r(); }); q.on("error", e => { bad++; msg = e.message; r(); }); q.end(body); })));
  c.destroy();
}
console.log(which, client, { n, size, streams, conns, ok, bad, msg });
done();
