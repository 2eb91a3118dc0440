import { laxBool, laxInt } from "@ng-gym/core/protocol";
import { modelServerConfig } from "@ng-gym/core/servers";
import { z } from "zod";

const address = z.string().regex(/^https?:\/\//, "expected an address that starts with http:// or https://");

/** Keys of an `openai_model` block. */
export const openaiModelConfig = modelServerConfig.extend({
  /** Address up to and without the route, for example `http://host:8000/v1`; several of equal endpoints: a session stays with one of them. */
  openai_base_url: z.union([address, z.array(address).min(1, "expected at least one address")], {
    error: "must be an address that starts with http:// or https://, or a list of such",
  }),
  openai_api_key: z.string(),
  /** Sent as `model`, whatever the request says. */
  openai_model: z.string(),
  /** Sent with every call; keys that the request holds win, also with null. */
  extra_body: z.record(z.string(), z.unknown()).default({}),
  /** Sent with every call; the key's Authorization wins. */
  openai_default_headers: z.record(z.string(), z.string()).default({}),
  /** Calls at the endpoint at once, in all processes of the server together; `adaptive` = as many as it bears, found by trial; null = no limit. Calls beyond it wait. */
  max_concurrent_requests: z
    .union(
      [
        z.literal("adaptive"),
        laxInt.pipe(
          z.int().positive("must be 1 or more, or adaptive: 0 would let every call wait for ever; leave the key out for no limit"),
        ),
      ],
      { error: "must be adaptive, a whole number from 1, or null (no limit)" },
    )
    .nullish(),
  /** Requests in all for one call, whatever fails; 0 and 1 = exactly one. Left out, the budgets of the retry table alone count. */
  max_http_attempts: laxInt.pipe(z.int().min(0)).nullish(),
  /** Statuses that are retried like 500. */
  retry_statuses: z.array(z.int().min(400).max(599)).default([]),
  /** Leaves reasoning items out of the input, for endpoints that refuse them. */
  drop_input_reasoning_items: laxBool.default(false),
});

export type OpenAIModelConfig = z.infer<typeof openaiModelConfig>;
