/** Where the names of configuration files are looked for. */
import { searchRoots } from "@ng-gym/core/config";

export function searchRootsOf(env: Record<string, string | undefined>): readonly string[] {
  return searchRoots({ cwd: process.cwd(), env });
}
