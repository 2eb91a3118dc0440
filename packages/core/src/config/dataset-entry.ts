/** One entry of a server's `datasets`: training, validation and example sets, and benchmarks. Unknown keys are ignored. */

export const DATASET_TYPES = ["train", "validation", "example", "benchmark"] as const;

export const LICENSES = [
  "Apache 2.0",
  "MIT",
  "Creative Commons Attribution 4.0 International",
  "Creative Commons Attribution-ShareAlike 4.0 International",
  "CC BY-SA 4.0",
  "CC BY-NC 3.0",
  "NVIDIA Internal Use Only, Do Not Distribute",
  "NVIDIA Evaluation Dataset License Agreement",
  "TBD",
  "GNU General Public License v3.0",
] as const;

export type DatasetSource =
  | { type: "gitlab"; dataset_name: string; version: string; artifact_fpath: string }
  | { type: "huggingface"; repo_id: string; artifact_fpath: string | null };

export interface DatasetEntry {
  kind: "dataset" | "benchmark";
  /** The entry with defaults filled in, key names of the file. */
  value: Record<string, unknown>;
  /** Keys that still work and should be written as `source`. */
  deprecated: string[];
}

export interface EntryProblem {
  /** Keys below the entry; empty: the entry as a whole. */
  path: string[];
  message: string;
}

type Fields = Record<string, unknown>;

/** Reads an entry of plain values: the entry, or everything that is wrong with it. */
export function checkDatasetEntry(value: unknown): { entry: DatasetEntry; problems: [] } | { entry: undefined; problems: EntryProblem[] } {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { entry: undefined, problems: [{ path: [], message: "must be a mapping" }] };
  const reader = new EntryReader(value as Fields);
  const entry = (value as Fields).type === "benchmark" ? reader.benchmark() : reader.dataset();
  return reader.problems.length === 0 ? { entry, problems: [] } : { entry: undefined, problems: reader.problems };
}

class EntryReader {
  readonly problems: EntryProblem[] = [];
  private readonly fields: Fields;

  constructor(fields: Fields) {
    this.fields = fields;
  }

  benchmark(): DatasetEntry {
    const value = {
      ...this.common(),
      prepare_script: this.required("prepare_script"),
      taskset: this.taskset(),
      prompt_config: this.optional("prompt_config"),
      num_repeats: this.repeats(),
      prepare_dependencies: this.dependencies(),
      agent: this.optional("agent"),
    };
    return { kind: "benchmark", value, deprecated: [] };
  }

  dataset(): DatasetEntry {
    const common = this.common();
    const script = this.optional("prepare_script");
    const dependencies = this.dependencies();
    const gitlab = this.identifier("gitlab_identifier", ["dataset_name", "version", "artifact_fpath"], []);
    const huggingface = this.identifier("huggingface_identifier", ["repo_id"], ["artifact_fpath"]);
    const source = this.source();
    const license = this.license();
    const deprecated = [gitlab === null ? "" : "gitlab_identifier", huggingface === null ? "" : "huggingface_identifier"].filter(
      (key) => key !== "",
    );
    if (source !== null && deprecated.length > 0) this.add([], `has both 'source' and '${deprecated.join("', '")}'; keep 'source'`);
    if (
      license === null &&
      (this.fields.type === "train" || this.fields.type === "validation") &&
      !this.problems.some(({ path }) => path[0] === "license")
    ) {
      this.add([], `a ${this.fields.type} set needs a 'license'`);
    }
    const value = {
      ...common,
      ...(script === null ? {} : { prepare_script: script }),
      ...(dependencies.length === 0 ? {} : { prepare_dependencies: dependencies }),
      taskset: this.taskset(),
      num_repeats: this.repeats(),
      ...mirrored(source, gitlab, huggingface),
      license,
    };
    return { kind: "dataset", value, deprecated };
  }

  private common(): Fields {
    const name = this.required("name");
    if (this.fields.type === undefined) this.add(["type"], `is missing; one of ${DATASET_TYPES.join(", ")}`);
    else if (!(DATASET_TYPES as readonly unknown[]).includes(this.fields.type))
      this.add(["type"], `must be one of ${DATASET_TYPES.join(", ")}`);
    return { name, type: this.fields.type, jsonl_fpath: this.required("jsonl_fpath") };
  }

  private required(key: string): string {
    const value = this.fields[key];
    if (typeof value === "string") return value;
    this.add([key], value === undefined ? "is missing" : "must be a text");
    return "";
  }

  private optional(key: string): string | null {
    const value = this.fields[key] ?? null;
    if (value !== null && typeof value !== "string") this.add([key], "must be a text");
    return typeof value === "string" ? value : null;
  }

  private taskset(): string | null {
    const value = this.optional("taskset");
    if (value === "") this.add(["taskset"], "must not be empty");
    return value;
  }

  private repeats(): number {
    if (!("num_repeats" in this.fields)) return 1;
    const number = wholeNumber(this.fields.num_repeats);
    if (number === undefined) this.add(["num_repeats"], "must be a whole number");
    else if (number < 1) this.add(["num_repeats"], "must be 1 or more");
    return number ?? 1;
  }

  private dependencies(): string[] {
    const value = "prepare_dependencies" in this.fields ? this.fields.prepare_dependencies : [];
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    if (!Array.isArray(value)) this.add(["prepare_dependencies"], "must be a list of texts");
    else
      for (const [index, item] of value.entries())
        if (typeof item !== "string") this.add(["prepare_dependencies", String(index)], "must be a text");
    return [];
  }

  private license(): string | null {
    const value = this.fields.license ?? null;
    if (value === null || (LICENSES as readonly unknown[]).includes(value)) return value as string | null;
    this.add(["license"], `must be one of: ${LICENSES.join("; ")}`);
    return null;
  }

  private identifier(key: string, required: readonly string[], optional: readonly string[]): Fields | null {
    const value = this.fields[key] ?? null;
    return value === null ? null : this.texts(value, [key], required, optional);
  }

  private source(): Fields | null {
    const value = this.fields.source ?? null;
    if (value === null) return null;
    if (typeof value !== "object" || Array.isArray(value)) return this.add(["source"], "must be a mapping");
    const { type } = value as Fields;
    if (type === "gitlab") return { type, ...this.texts(value, ["source", "gitlab"], ["dataset_name", "version", "artifact_fpath"], []) };
    if (type === "huggingface") return { type, ...this.texts(value, ["source", "huggingface"], ["repo_id"], ["artifact_fpath"]) };
    return this.add(["source"], "needs a 'type': gitlab or huggingface");
  }

  private texts(value: unknown, path: string[], required: readonly string[], optional: readonly string[]): Fields | null {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return this.add(path, "must be a mapping");
    const out: Fields = {};
    for (const key of [...required, ...optional]) {
      const field = (value as Fields)[key] ?? null;
      if (field === null && (optional.includes(key) || (value as Fields)[key] === undefined)) {
        if (!optional.includes(key)) this.add([...path, key], "is missing");
      } else if (typeof field !== "string") this.add([...path, key], "must be a text");
      out[key] = field;
    }
    return out;
  }

  private add(path: string[], message: string): null {
    this.problems.push({ path, message });
    return null;
  }
}

/** `source` and the one old identifier say the same; with both old ones `source` stays empty. */
function mirrored(source: Fields | null, gitlab: Fields | null, huggingface: Fields | null): Fields {
  if (source !== null) {
    const { type, ...identifier } = source;
    return {
      source,
      gitlab_identifier: type === "gitlab" ? identifier : null,
      huggingface_identifier: type === "huggingface" ? identifier : null,
    };
  }
  const only = gitlab === null ? huggingface : huggingface === null ? gitlab : null;
  const type = gitlab === null ? "huggingface" : "gitlab";
  return { source: only === null ? null : { type, ...only }, gitlab_identifier: gitlab, huggingface_identifier: huggingface };
}

/** A whole number as Pydantic takes it: numeric texts, whole floats and booleans too. */
export function wholeNumber(value: unknown): number | undefined {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number.isInteger(value) ? value : undefined;
  if (typeof value === "string" && /^\s*[+-]?\d+(?:_\d+)*(?:\.0+)?\s*$/.test(value)) return Number(value.replaceAll("_", ""));
  return undefined;
}
