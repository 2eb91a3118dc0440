/** The smallest server with a tool: it knows the weather of every city. The reward is 1 if the model asked for the weather, whatever it then said. */
import { isFunctionCall } from "@ng-gym/core/protocol";
import {
  ResourcesServer,
  type ResourcesServerConfig,
  resourcesServerConfig,
  serve,
  type Tool,
  tool,
  type VerifyInput,
  type VerifyResult,
} from "@ng-gym/core/servers";
import { z } from "zod";

export default class SimpleWeatherResourcesServer extends ResourcesServer<ResourcesServerConfig, unknown> {
  static override readonly configSchema = resourcesServerConfig;

  override tools(): Record<string, Tool> {
    return {
      get_weather: tool({
        input: z.object({ city: z.string() }),
        run: ({ city }) => ({ city, weather_description: `The weather in ${city} is cold.` }),
      }),
    };
  }

  override verify({ response }: VerifyInput<unknown>): VerifyResult {
    return { reward: response.output.some((item) => isFunctionCall(item) && item.name === "get_weather") ? 1 : 0 };
  }
}

await serve(import.meta, SimpleWeatherResourcesServer);
