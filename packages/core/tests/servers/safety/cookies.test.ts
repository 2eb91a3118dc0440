/** Who may say which session is his. */
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { rawConnection } from "../raw-connection.ts";
import { LAST, type OpenServer, openServer, statuses } from "./open-server.ts";

const NAME = "Target___target";

/** The `Set-Cookie` value of an answer to a request with this `Cookie` header. */
async function answered(server: OpenServer, cookie?: string): Promise<string> {
  const reply = await server.ask("/echo", 1, cookie === undefined ? {} : { cookie });
  expect(reply.status).toBe(200);
  const [line = ""] = reply.setCookies;
  expect(reply.setCookies).toHaveLength(1);
  return line.slice(NAME.length + 1, line.indexOf(";"));
}

const sessionOf = (value: string): unknown => JSON.parse(Buffer.from(value.split(".")[0] ?? "", "base64url").toString()).session_id;

const payload = (session: string): string => Buffer.from(JSON.stringify({ session_id: session })).toString("base64url");
/** As the reference makes it: everything but the name of the server is known to everybody. */
function referenceCookie(session: string): string {
  const signed = `${Buffer.from(`{"session_id": "${session}"}`).toString("base64")}.aGVsbG8`;
  const key = createHmac("sha1", "").update("").digest();
  return `${signed}.${createHmac("sha1", key).update(signed).digest("base64url")}`;
}

describe("a session cookie", () => {
  test("is kept by who sends it back, quoted or not, among others and twice", async () => {
    await using server = await openServer();
    const value = await answered(server);
    for (const header of [`${NAME}=${value}`, `${NAME}="${value}"`, `a=b;${NAME}=${value};; =x; c`, `${NAME}=${value}; ${NAME}=${value}`]) {
      expect(sessionOf(await answered(server, header))).toBe(sessionOf(value));
    }
  });

  test("is a new one for whoever made it up", async () => {
    await using server = await openServer();
    const value = await answered(server);
    const [body = "", signature = ""] = value.split(".");
    const forged = [
      `${payload("victim")}.${signature}`,
      `${payload("victim")}.`,
      `${payload("victim")}`,
      `.${signature}`,
      `${body}.${signature.slice(0, -1)}`,
      `${body}.${signature}x`,
      `${body}..${signature}`,
      `${payload("victim")}.${createHmac("sha256", NAME)
        .update(`${NAME}.${payload("victim")}`)
        .digest("base64url")}`,
      `${payload("victim")}.${createHmac("sha256", "").update(payload("victim")).digest("base64url")}`,
      referenceCookie("victim"),
      "x".repeat(30_000),
      "%00",
      '"',
      "",
    ];
    for (const cookie of forged) {
      const session = sessionOf(await answered(server, `${NAME}=${cookie}`));
      expect(session).not.toBe("victim");
      expect(session).not.toBe(sessionOf(value));
    }
  });

  test("of another server is not this one's", async () => {
    // Two copies of one instance share its secret.
    await using server = await openServer();
    await using other = await openServer();
    const value = await answered(server);
    expect(sessionOf(await answered(server, `Other___target=${value}`))).not.toBe(sessionOf(value));
    expect(sessionOf(await answered(other, `${NAME}=${value}`))).toBe(sessionOf(value));
  });

  test("of 100 kB is refused with the head that holds it", async () => {
    await using server = await openServer();
    await using raw = await rawConnection(server.port);
    await raw.send(`GET /health HTTP/1.1\r\nhost: h\r\ncookie: ${NAME}=${"x".repeat(100_000)}\r\n\r\n${LAST}`);
    expect(statuses(await raw.closed)).toEqual([431]);
    expect(await answered(server)).toMatch(/\./);
  });

  test("by the thousand costs no session and no time", async () => {
    await using server = await openServer();
    const value = await answered(server);
    const many = Array.from({ length: 3_000 }, (_, n) => `c${n}=${n}`).join("; ");
    expect(sessionOf(await answered(server, `${many}; ${NAME}=${value}`))).toBe(sessionOf(value));
  });
});
