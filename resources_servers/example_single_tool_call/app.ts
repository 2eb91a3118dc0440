/** The smallest server with a tool: it knows the weather of every city, and every answer is worth 1. */
import { ResourcesServer, resourcesServerConfig, serve, type Tool, tool, type VerifyResult } from "@ng-gym/core/servers";
import { z } from "zod";

export default class SimpleWeatherResourcesServer extends ResourcesServer {
  static override readonly configSchema = resourcesServerConfig;

  override tools(): Record<string, Tool> {
    return {
      get_weather: tool({
        input: z.object({ city: z.string() }),
        run: ({ city }) => ({ city, weather_description: `The weather in ${city} is cold.` }),
      }),
    };
  }

  override verify(): VerifyResult {
    return { reward: 1 };
  }
}

await serve(import.meta, SimpleWeatherResourcesServer);
