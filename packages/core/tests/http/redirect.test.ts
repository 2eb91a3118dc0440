import { expect, test } from "vitest";
import { type Call, createServerClient, type ServerClient } from "../../src/http/index.ts";
import { scriptedServer } from "./scripted-server.ts";

const CALL: Call = {
  kind: "tool",
  path: "/x",
  body: { n: 1 },
  headers: { Authorization: "Bearer s3cret", "X-Api-Key": "s3cret", cookie: "s=1", "x-plain": "p" },
};
const clientTo = (url: string): ServerClient => createServerClient({ addressOf: () => ({ url }) });

test.each([307, 308])("%i repeats the call, headers included, on the same origin", async (status) => {
  await using server = await scriptedServer({ status, headers: { location: "/moved?a=1" } }, {});
  await using client = clientTo(server.url);
  expect((await client.call("res", CALL)).status).toBe(200);
  const [, second] = server.received;
  expect(second).toMatchObject({ method: "POST", path: "/moved?a=1", body: '{"n":1}' });
  expect(second?.headers).toMatchObject({ authorization: "Bearer s3cret", "content-type": "application/json", cookie: "s=1" });
});

test.each([301, 302, 303])("%i becomes GET without a body", async (status) => {
  await using server = await scriptedServer({ status, headers: { location: "moved" } }, {});
  await using client = clientTo(server.url);
  await client.call("res", CALL);
  expect(server.received[1]).toMatchObject({ method: "GET", path: "/moved", body: "" });
  expect(server.received[1]?.headers["content-type"]).toBeUndefined();
});

test("nothing secret goes to another origin, and nothing comes back from there", async () => {
  await using home = await scriptedServer({});
  await using other = await scriptedServer({ status: 307, headers: { location: `${home.url}/back` } });
  await using start = await scriptedServer({ status: 307, headers: { location: `${other.url}/there` } });
  await using client = clientTo(start.url);
  await client.call("res", CALL);
  for (const request of [...other.received, ...home.received]) {
    expect(JSON.stringify(request.headers)).not.toContain("s3cret");
    expect(request.headers.cookie).toBeUndefined();
    expect(request.headers["x-plain"]).toBe("p");
    expect(request.body).toBe('{"n":1}');
  }
  expect([other.received.length, home.received.length]).toEqual([1, 1]);
});

test("five are followed, the sixth is an error that names the limit", async () => {
  const again = { status: 307, headers: { location: "/again" } };
  await using five = await scriptedServer(again, again, again, again, again, {});
  await using client = clientTo(five.url);
  expect((await client.call("res", CALL)).status).toBe(200);
  await using ring = await scriptedServer(again);
  await using lost = clientTo(ring.url);
  await expect(lost.call("res", CALL)).rejects.toMatchObject({
    code: "NG_ERR_BAD_RESPONSE",
    message: expect.stringContaining("maxRedirects (5)"),
  });
  expect(ring.received).toHaveLength(6);
});

test.each([
  ["no Location", {}],
  ["a Location that is no address", { location: "http://[" }],
  ["another scheme", { location: "file:///etc/passwd" }],
])("an answer with %s is final", async (_, headers) => {
  await using server = await scriptedServer({ status: 307, headers });
  await using client = clientTo(server.url);
  expect((await client.call("res", CALL)).status).toBe(307);
  expect(server.received).toHaveLength(1);
});
