/** Plays a transcript against our servers: peers by script, a recording proxy before every server, then the client's steps. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Scripts, startFakeUpstream } from "../fake-upstream/index.ts";
import { type TempProject, tempProject } from "../temp-project.ts";
import { createWireClient } from "./client.ts";
import { compareTranscript } from "./compare.ts";
import { asRecorded } from "./peer-json.ts";
import { type RecordingProxy, startProxy } from "./proxy.ts";
import { Recorder } from "./recorder.ts";
import type { Address, Replay, StartServers, Transcript } from "./transcript.ts";

export interface ReplayOptions {
  /** For all steps together; default 60 s. */
  timeoutMs?: number;
  /** For exchanges that are open when the last step is done; default 10 s. */
  settleMs?: number;
}

const REPLAY_TIMEOUT_MS = 60_000;
const SETTLE_TIMEOUT_MS = 10_000;
/** How long a client that is to leave waits for calls that the transcript has and that have not begun. */
const LEAVE_SLACK_MS = 5_000;

/** Throws an error that lists every difference between our servers' exchanges and the transcript's. */
export async function checkTranscript(transcript: Transcript, startServers: StartServers, options?: ReplayOptions): Promise<void> {
  const differences = compareTranscript(transcript, await replayTranscript(transcript, startServers, options));
  if (differences.length > 0) throw new Error(`${transcript.id}: ${differences.length} differences\n${differences.join("\n")}`);
}

/** Never throws for what the servers answer; throws where a step or the end of the exchanges takes longer than its limit. */
export async function replayTranscript(transcript: Transcript, startServers: StartServers, options: ReplayOptions = {}): Promise<Replay> {
  const { servers, steps } = transcript.input;
  const scripts = peerScripts(transcript);
  await using open = new AsyncDisposableStack();
  const folder = open.use(await tempProject());
  const recorder = new Recorder(Object.keys(scripts));
  const clientMark = randomUUID();
  const proxies = new Map<string, RecordingProxy>();
  for (const name of [...Object.keys(servers), ...Object.keys(scripts)]) {
    const proxy = await startProxy({ name, recorder, clientMark, scripted: name in scripts });
    open.defer(proxy.close);
    recorder.nameAddress(proxy.address, name);
    proxies.set(name, proxy);
  }
  const proxyOf = (name: string): RecordingProxy => {
    const proxy = proxies.get(name);
    if (proxy === undefined) throw new Error(`${transcript.id}: no server ${name}`);
    return proxy;
  };
  for (const [name, script] of Object.entries(scripts)) {
    const peer = open.use(await startFakeUpstream({ scripts: asRecorded(script), unscripted: "not found" }));
    proxyOf(name).forwardTo(peer);
  }
  const dead = await deadAddress();
  const fill = <T>(value: T): T => filled(value, { addressOf: (name) => proxyOf(name).address, dead, folder: folder.path });
  const started = await startServers({
    servers: Object.entries(servers).map(([name, server]) => ({ ...fill(server), name, address: proxyOf(name).address })),
    peers: Object.keys(scripts).map((name) => ({ name, type: peerType(transcript, name), address: proxyOf(name).address })),
    topLevel: fill(transcript.input.top_level_config ?? {}),
    constants: transcript.input.patched_constants ?? {},
    folder: folder.path,
  });
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (!stopped) {
      stopped = true;
      await started.close();
    }
  };
  open.defer(stop);
  for (const [name, address] of Object.entries(started.listening)) {
    proxyOf(name).forwardTo(address);
    recorder.nameAddress(address, name);
  }

  const client = createWireClient((name) => proxyOf(name).address, clientMark);
  const clientStatus: (number | null)[] = [];
  const play = async (): Promise<void> => {
    for (const step of steps) {
      const calls = "together" in step ? step.together : [step];
      // On a slow machine a client may not leave before what it leaves has begun.
      const leaves = step === steps.at(-1) && calls.some((call) => call.leave_after !== undefined);
      const staying = leaves
        ? Promise.race([recorder.begun(transcript.expected.exchanges.length), sleep(LEAVE_SLACK_MS, undefined, { ref: false })])
        : undefined;
      clientStatus.push(...(await Promise.all(fill(calls).map((call) => client.call(call, staying)))));
    }
  };
  await within(play(), options.timeoutMs ?? REPLAY_TIMEOUT_MS, `${transcript.id}: the steps`);
  await within(recorder.idle(), options.settleMs ?? SETTLE_TIMEOUT_MS, `${transcript.id}: exchanges that are still open`);
  await stop();
  return { clientStatus, exchanges: recorder.exchanges(), captureFiles: await captureFiles(folder) };
}

/** The scripts of all peers; one that is configured or named in a call, but never called itself, has none. */
function peerScripts({ input }: Transcript): Record<string, Scripts> {
  const isMeant = JSON.stringify(input.servers).includes("$UPSTREAM");
  const named = [...JSON.stringify(input.steps).matchAll(/\$URL:(\w+)/g)].map(([, name = ""]) => name);
  const silent = [...(isMeant ? ["upstream"] : []), ...named.filter((name) => !(name in input.servers))];
  return { ...Object.fromEntries(silent.map((name) => [name, {}])), ...input.scripts };
}

/** The server type by which a server of the transcript refers to the peer; a model endpoint outside has none. */
function peerType(transcript: Transcript, name: string): string {
  const reference = JSON.stringify(transcript.input.servers).match(new RegExp(`"type":"(\\w+)","name":"${name}"`));
  return reference?.[1] ?? "endpoint";
}

function filled<T>(value: T, places: { addressOf: (name: string) => Address; dead: Address; folder: string }): T {
  const origin = ({ host, port }: Address): string => `http://${host}:${port}`;
  const text = JSON.stringify(value, (_, member) =>
    typeof member !== "string"
      ? member
      : member
          .replace(/\$URL:(\w+)/g, (_whole, name) => origin(places.addressOf(name)))
          .replaceAll("$UPSTREAM", () => `${origin(places.addressOf("upstream"))}/v1`)
          .replaceAll("$DEAD", () => `${origin(places.dead)}/v1`)
          .replaceAll("$TMP", () => places.folder),
  );
  return JSON.parse(text);
}

/** An address where nobody listens. */
async function deadAddress(): Promise<Address> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return { host: "127.0.0.1", port };
}

/** Lines of every file the servers wrote into the folder, by its name. */
async function captureFiles(folder: TempProject): Promise<Record<string, unknown[]>> {
  const files: Record<string, unknown[]> = {};
  for (const path of await folder.list()) {
    const text = await readFile(folder.file(path), "utf8");
    const lines = text.split("\n").filter((line) => line !== "");
    files[path.slice(path.lastIndexOf("/") + 1)] = lines.map((line) => JSON.parse(line));
  }
  return files;
}

async function within<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  const over = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: over.signal }).then(
    () => Promise.reject(new Error(`${what} took longer than ${limitMs} ms`)),
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([work, limit]);
  } finally {
    over.abort();
  }
}
