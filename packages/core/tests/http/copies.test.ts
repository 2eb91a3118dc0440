/** Which copy of a server a call goes to. */
import { expect, test } from "vitest";
import { createCopyChoice } from "../../src/http/copies.ts";
import { CookieJar } from "../../src/http/index.ts";

const COPIES = ["http://a", "http://b", "http://c"];

interface Held {
  url: string;
  end: (error?: Error) => void;
  over: Promise<void>;
}

function rig() {
  let time = 0;
  const choice = createCopyChoice(() => time);
  return {
    pass: (ms: number) => {
      time += ms;
    },
    /** Begins a call that stays in flight until it is ended. */
    hold(server = "s", jar?: CookieJar): Held {
      const end = Promise.withResolvers<void>();
      let url = "";
      const call = choice.use({ server, copies: COPIES, jar }, (chosen) => {
        url = chosen;
        return end.promise;
      });
      return { url, end: (error) => (error ? end.reject(error) : end.resolve()), over: call.catch(() => {}) };
    },
  };
}

const REFUSED = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });

test("calls in flight are spread evenly, and what ended makes room", async () => {
  const { hold } = rig();
  const calls = Array.from({ length: 6 }, () => hold());
  expect(calls.map(({ url }) => url).sort()).toEqual([...COPIES, ...COPIES].sort());
  const [first] = calls as [Held];
  first.end();
  await first.over;
  expect(hold().url).toBe(first.url);
});

test("many servers with one call each do not all go to the first copy", () => {
  const { hold } = rig();
  expect(new Set(["s", "t", "u"].map((server) => hold(server).url)).size).toBe(3);
});

test("a session decides, its own server's only, whatever is in flight", () => {
  const { hold } = rig();
  const jar = CookieJar.fromHeader("Other___t=0~x.y; Class___s=2~x.y");
  for (let call = 0; call < 4; call++) expect(hold("s", jar).url).toBe("http://c");
  // A number that no copy has, or none at all, decides nothing.
  const busy = new Set(["9~x.y", "x.y", "~x", "-1~x"].map((value) => hold("s", CookieJar.fromHeader(`Class___s=${value}`)).url));
  expect(busy).toEqual(new Set(["http://a", "http://b"]));
});

test("a copy that cannot be reached is left out for a while, though nothing is in flight there", async () => {
  const { hold, pass } = rig();
  const dead = hold();
  dead.end(REFUSED);
  await dead.over;
  const others = Array.from({ length: 6 }, () => hold().url);
  expect(others).not.toContain(dead.url);
  pass(5_001);
  expect(hold().url).toBe(dead.url);
});

test("where none can be reached all are tried", async () => {
  const { hold } = rig();
  for (const call of COPIES.map(() => hold())) {
    call.end(REFUSED);
    await call.over;
  }
  expect(COPIES).toContain(hold().url);
});
