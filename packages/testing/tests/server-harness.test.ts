import { CookieJar } from "@ng-gym/core/http";
import { describe, expect, test } from "vitest";
import { startTestServers, type TestServersOptions } from "../src/index.ts";

const counter: TestServersOptions["servers"] = { counter: { type: "resources_servers", implementation: "example_session_state_mgmt" } };

describe.each(["shared", "process"] as const)("hosting %s", (hosting) => {
  test("servers are reached by name and by address, keep a caller's session, and are gone afterwards", async () => {
    let url: string;
    {
      await using servers = await startTestServers({ servers: counter, hosting });
      url = servers.urls.counter ?? "";
      expect(servers.instances).toMatchObject([{ process_name: "counter", hosting, url }]);
      expect((await fetch(`${url}/health`)).status).toBe(200);
      const cookies = new CookieJar();
      await servers.call("counter", "/seed_session", { initial_count: 3 }, { cookies });
      expect((await servers.call("counter", "/get_counter_value", undefined, { cookies })).json()).toEqual({ count: 3 });
      expect((await servers.call("counter", "/get_counter_value")).json()).toEqual({ count: 0 });
    }
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });
});

test("what a user would be told is thrown", async () => {
  const wrong = { counter: { ...counter?.counter, config: { domain: "no such domain" } } } as TestServersOptions["servers"];
  await expect(startTestServers({ servers: wrong })).rejects.toMatchObject({ code: "NG_ERR_CONFIG" });
});

test("configuration files, overrides and top-level keys add up", async () => {
  await using servers = await startTestServers({
    configPaths: ["resources_servers/mcqa/configs/mcqa.yaml"],
    overrides: ["+policy_model.responses_api_models.simulated_model.entrypoint=app.ts"],
    servers: counter,
    topLevel: { server_spinup_timeout_seconds: 50 },
  });
  expect(Object.keys(servers.urls)).toEqual(expect.arrayContaining(["mcqa", "counter", "policy_model"]));
});
