/** Makes a folder and those above it. Node's own recursive `mkdir` never ends below /proc, where making a folder says that its parent is missing. */
import { access, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Returns the uppermost folder that was made, undefined where the folder was there.
 * @throws the system's error, also where the parent exists and yet nothing can be made in it
 */
export async function makeFolder(path: string): Promise<string | undefined> {
  const parent = dirname(path);
  const above = parent === path || (await exists(parent)) ? undefined : await makeFolder(parent);
  try {
    await mkdir(path);
    return above ?? path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !(await stat(path)).isDirectory()) throw error;
    return above;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
