/** A model server that says what it was asked, or breaks where the input says so. */
import type { ResponsesRequest } from "../../../../src/protocol/index.ts";
import { ModelServer, serve } from "../../../../src/servers/index.ts";
import { responseSaying } from "../response.ts";

export default class ContractModel extends ModelServer {
  override async responses(request: ResponsesRequest): Promise<unknown> {
    if (request.input === "break") throw new Error("the engine is gone");
    return responseSaying("hello");
  }

  override async chatCompletions(): Promise<unknown> {
    return { not: "an answer" };
  }
}

await serve(import.meta, ContractModel);
