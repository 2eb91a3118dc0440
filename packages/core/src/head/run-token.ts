/**
 * The token of a run: who knows it may read the configuration, secrets included, of a head server that listens beyond this machine. It is taken from
 * `NG_RUN_TOKEN`, or made at random and kept in a file of this user until the head server ends, where commands of another terminal find it.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { GymError, messageOf } from "../errors/index.ts";

/** The header that carries it. */
export const RUN_TOKEN_HEADER = "x-ng-run-token";
export const RUN_TOKEN_VARIABLE = "NG_RUN_TOKEN";

export interface RunToken extends Disposable {
  readonly value: string;
  /** Where commands on this machine find it; undefined where the environment gave it. Removed on disposal. */
  readonly file: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Address = Readonly<{ host: string; port: number }>;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");

/** False for every address that another machine may reach, and for every name but `localhost`. */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(plain);
  return version === 0 ? plain === "localhost" : LOOPBACK.check(plain, version === 6 ? "ipv6" : "ipv4");
}

/** @throws GymError NG_ERR_FILE where the file cannot be kept where nobody else can read it. */
export function createRunToken(address: Address, env: Environment): RunToken {
  const given = env[RUN_TOKEN_VARIABLE];
  if (given !== undefined && given !== "") return { value: given, file: undefined, [Symbol.dispose]() {} };
  const value = randomBytes(32).toString("base64url");
  const file = fileOf(address, env);
  try {
    const folder = folderOf(env);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isPrivate(folder)) throw new Error(`${folder} can be entered by others`);
    rmSync(file, { force: true });
    writeFileSync(file, value, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw new GymError("NG_ERR_FILE", `the token of this run cannot be kept in ${file}: ${messageOf(error)}`, {
      hint: `Set ${RUN_TOKEN_VARIABLE} to a random text, here and for the commands that read from this head server.`,
      cause: error,
    });
  }
  return { value, file, [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

/** The token that a command has for a head server, if any: of the environment, or of a run on this machine. */
export function findRunToken(address: Address, env: Environment): string | undefined {
  const given = env[RUN_TOKEN_VARIABLE];
  if (given !== undefined && given !== "") return given;
  if (!isPrivate(folderOf(env))) return undefined;
  // Who asks by the loopback may reach a server that listens on all addresses.
  const hosts = isLoopback(address.host) ? ["0.0.0.0", "::"] : [address.host];
  for (const host of hosts) {
    try {
      return readFileSync(fileOf({ host, port: address.port }, env), "utf8");
    } catch {
      // Not of this machine, not of this user, or without a token.
    }
  }
  return undefined;
}

/** In a time that tells nothing about the token. */
export function sameToken(given: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function folderOf(env: Environment): string {
  const runtime = env.XDG_RUNTIME_DIR;
  return runtime !== undefined && runtime !== "" ? join(runtime, "ng-gym") : join(tmpdir(), `ng-gym-${userInfo().uid}`);
}

function fileOf({ host, port }: Address, env: Environment): string {
  return join(folderOf(env), `head-${encodeURIComponent(host)}-${port}.token`);
}

/** A folder of this user that nobody else may enter; in a folder for all, another user could have made it first. */
function isPrivate(folder: string): boolean {
  try {
    const { mode, uid } = lstatSync(folder);
    return (mode & 0o170_077) === 0o040_000 && uid === userInfo().uid;
  } catch {
    return false;
  }
}
