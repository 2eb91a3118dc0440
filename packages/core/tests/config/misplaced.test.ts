/** Values that pass and do nothing of what was meant: a notice says so. */
import { expect, test } from "vitest";
import { load } from "./playground.ts";

const MODEL = "m: {responses_api_models: {simulated_model: {entrypoint: app.py}}}\n";

test.each([
  [
    "num_workers: 4\n",
    "Nothing reads the top-level key 'num_workers': it belongs into a server's block, for example as m.responses_api_models.simulated_model.num_workers",
  ],
  ["restart: {on_failure: 2}\n", "top-level key 'restart'"],
  ["max_concurrent_request: 4\n", "Did you mean 'max_concurrent_requests'?"],
  ["telemetry: {enabled: yess}\n", "'telemetry.enabled' is 'yess', neither true nor false, and counts as false."],
  ["telemetry: {expoter: console}\n", "Nothing reads 'telemetry.expoter'. Did you mean 'exporter'"],
  ["telemetry: {span_groups: 'default,verfy'}\n", "'telemetry.span_groups' has no group 'verfy'"],
  ["telemetry: {span_groups: [agents]}\n", "'telemetry.span_groups' has no group 'agents'"],
])("%j", async (written, said) => {
  const { notices } = await load(written + MODEL);
  expect(notices.join("\n")).toContain(said);
});

test("too few workers are told with their place", async () => {
  const { notices } = await load("m: {responses_api_models: {simulated_model: {entrypoint: app.py, num_workers: 0}}}\n");
  expect(notices.join()).toContain("'m.responses_api_models.simulated_model.num_workers' is 0: the server runs in one process, as with 1.");
});

test.each([
  'num_workers: 4\nmine: {workers: "${num_workers}"}\n',
  "telemetry: {enabled: true, span_groups: [default, verify], mine: 1, logs_enabled: false}\n",
  "telemetry: {enabled: null, traces_enabled: 'true', x-exportr: 1}\n",
  "restart_note: {a: 1}\n",
])("%j is meant so", async (written) => {
  expect((await load(written + MODEL)).notices).toEqual([]);
});

test("--allow-unknown silences them", async () => {
  expect((await load(`num_workers: 4\n${MODEL}`, { allowUnknown: true })).notices).toEqual([]);
});
