/**
 * A JSON Schema (draft 7, which editors speak) of configuration files. It is made from the schemas and tables that the loader itself reads. It judges one
 * file, so nothing is required, and any value may be an interpolation; what an editor cannot see (references, merging) is the loader's to say.
 */
import type { z } from "zod";
import {
  BLOCK_KEYS,
  DATASET_TYPES,
  DOMAINS,
  LICENSES,
  SERVER_TYPES,
  type ServerType,
  type TopLevelKey,
  topLevelKeys,
} from "../../config/index.ts";
import { agentConfig } from "../agent.ts";
import { environmentConfigs } from "../environment/config.ts";
import { serverConfigSchema } from "../gym-server.ts";
import { modelServerConfig } from "../model-server.ts";
import { resourcesServerConfig } from "../resources-server.ts";
import { type JsonSchema, propertiesOf, slips, written } from "./parts.ts";

export interface EditorSchemaOptions {
  /** Servers whose own schema is known. */
  servers: readonly { type: ServerType; implementation: string; configSchema: z.ZodType }[];
  /** Keys of commands, which files may hold too, with a sentence each. */
  parameters: readonly { schema: z.ZodType; about: Readonly<Record<string, string>> }[];
}

/** Shorter names have neighbours that mean something of their own; the loader draws the same lines. */
const MIN_TOP_LEVEL_LENGTH = 6;
const MIN_BLOCK_LENGTH = 8;

const BASES: Record<ServerType, z.ZodType> = {
  responses_api_models: modelServerConfig,
  resources_servers: resourcesServerConfig,
  responses_api_agents: agentConfig,
  environment_servers: serverConfigSchema,
};

const DIRECTIVES: Record<string, JsonSchema> = {
  _inherit_from: { description: "Path of a block whose keys this mapping takes over." },
  _copy: { description: "Path of a block that this mapping copies." },
  _delete_key: { description: "Keys that this mapping loses." },
};

export function editorSchema({ servers, parameters }: EditorSchemaOptions): JsonSchema {
  const environments = Object.entries(environmentConfigs).map(
    ([implementation, configSchema]) => ({ type: "environment_servers", implementation, configSchema }) as const,
  );
  const known = [...servers, ...environments];
  const top = topLevelKeys();
  const ofCommands = parameters.flatMap(({ schema, about }) =>
    Object.entries(propertiesOf(schema)).map(([name, value]) => [name, described(value, about[name])] as const),
  );
  const properties = Object.fromEntries([...ofCommands, ...top.map(([name, key]) => [name, topLevelSchema(key)] as const)]);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "ng-gym configuration",
    type: ["object", "null"],
    properties,
    patternProperties: slips(Object.keys(properties), { minLength: MIN_TOP_LEVEL_LENGTH, refused: { type: "object" } }),
    additionalProperties: { $ref: "#/definitions/instance" },
    definitions: {
      instance: instanceSchema(),
      ...Object.fromEntries(
        SERVER_TYPES.map((type) => [
          type,
          typeSchema(
            type,
            known.filter((one) => one.type === type),
          ),
        ]),
      ),
      ...Object.fromEntries(SERVER_TYPES.map((type) => [`${type}_block`, { properties: blockProperties(type) }])),
      block_names: { patternProperties: slips(Object.keys(BLOCK_KEYS), { minLength: MIN_BLOCK_LENGTH, refused: { not: {} } }) },
      dataset: datasetSchema(),
    },
  };
}

/** A server, or a value of one's own. A server under a name that is no type is neither. */
function instanceSchema(): JsonSchema {
  const noServer = {
    not: { type: "object", required: ["entrypoint"] },
    errorMessage: `A server stands under one of ${SERVER_TYPES.join(", ")}.`,
  };
  return {
    properties: Object.fromEntries(SERVER_TYPES.map((type) => [type, { $ref: `#/definitions/${type}` }])),
    additionalProperties: { additionalProperties: noServer },
  };
}

function typeSchema(type: ServerType, known: EditorSchemaOptions["servers"]): JsonSchema {
  return {
    type: ["object", "string", "null"],
    properties: {
      ...DIRECTIVES,
      ...Object.fromEntries(known.map(({ implementation, configSchema }) => [implementation, knownBlock(type, configSchema)])),
    },
    additionalProperties: { allOf: [{ $ref: `#/definitions/${type}_block` }, { $ref: "#/definitions/block_names" }] },
  };
}

/** The block of a server whose keys are all known. */
function knownBlock(type: ServerType, configSchema: z.ZodType): JsonSchema {
  const base = blockProperties(type);
  const own = Object.entries(propertiesOf(configSchema)).filter(([name]) => !(name in base));
  const names = [...Object.keys(base), ...own.map(([name]) => name), ...Object.keys(DIRECTIVES)];
  return {
    allOf: [{ $ref: `#/definitions/${type}_block` }],
    properties: Object.fromEntries(own),
    propertyNames: { anyOf: [{ enum: names }, { pattern: "^x-" }], errorMessage: "The server has no such setting." },
  };
}

/** Keys that the block of every server of a type may have. */
function blockProperties(type: ServerType): Record<string, JsonSchema> {
  const own: Record<string, JsonSchema> = propertiesOf(BASES[type]);
  const list = (items: JsonSchema): JsonSchema => written({ anyOf: [{ type: "array", items }, { type: "null" }] });
  own.domain = written({ anyOf: [{ type: "string", enum: DOMAINS }, { type: "null" }] });
  own.datasets = list({ $ref: "#/definitions/dataset" });
  const common = Object.entries(BLOCK_KEYS).map(([name, about]) => [name, described(own[name] ?? {}, about)] as const);
  return { ...own, ...Object.fromEntries(common) };
}

function datasetSchema(): JsonSchema {
  const text = { type: "string" };
  return {
    type: ["object", "string"],
    properties: {
      name: text,
      type: written({ type: "string", enum: DATASET_TYPES }),
      jsonl_fpath: { ...text, description: "Rows, one JSON object a line." },
      num_repeats: written({ type: "integer", minimum: 1, description: "Rollouts of every row." }),
      license: written({
        anyOf: [{ type: "string", enum: LICENSES }, { type: "null" }],
        description: "Needed by train and validation sets.",
      }),
    },
  };
}

function topLevelSchema(key: TopLevelKey): JsonSchema {
  const about = `${key.about}${key.accepted === true ? " Without effect here." : ""}`;
  const schema = { ...written({ ...TYPES[key.type], ...(key.choices === undefined ? {} : { enum: key.choices }) }), description: about };
  return key.default === null ? schema : { ...schema, default: key.default };
}

/** Null, and the laxness of the loader: a numeric text is a number. */
const TYPES: Record<TopLevelKey["type"], JsonSchema> = {
  flag: { type: ["boolean", "integer", "null"] },
  integer: { type: ["integer", "string", "null"] },
  number: { type: ["number", "string", "null"] },
  text: { type: ["string", "number", "null"] },
  path: { type: ["string", "null"] },
  names: { type: ["array", "string", "null"] },
  list: { type: ["array", "null"] },
  map: { type: ["object", "null"] },
};

function described(schema: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? schema : { ...schema, description };
}
