/** Every test of the repository: one project, found by folder, so that a new package is tested without a line here. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "packages/*/tests/**/*.test.ts",
      "resources_servers/*/tests/**/*.test.ts",
      "responses_api_agents/*/tests/**/*.test.ts",
      "responses_api_models/*/tests/**/*.test.ts",
      "scripts/tests/**/*.test.ts",
    ],
    exclude: ["**/node_modules/**", "**/fixtures/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
  },
});
