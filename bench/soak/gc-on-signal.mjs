// Loaded into every process of a measured run (NODE_OPTIONS=--import). On SIGUSR2 the process collects its garbage and writes what is left to
// $NG_BENCH_FIGURES/<pid>.json; that `<pid>.up` is there says that it will. Plain JavaScript, so that any Node can load it.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const folder = process.env.NG_BENCH_FIGURES;
if (folder) {
  const place = (name) => join(folder, `${process.pid}.${name}`);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  process.on("SIGUSR2", () => {
    collect();
    setImmediate(() => {
      collect();
      const { heapUsed, external, rss } = process.memoryUsage();
      writeFileSync(place("tmp"), JSON.stringify({ heapUsed, external, rss }));
      renameSync(place("tmp"), place("json"));
    });
  });
  writeFileSync(place("up"), "");
  process.on("exit", () => rmSync(place("up"), { force: true }));
}
