import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isObject } from '../../../src/validation/is-object.ts';

/**
 * What the vendors publish about the form of tools, as JSON Schemas and checks. Each answers with its complaints, none
 * for valid tools.
 */
type Rules = (tools: unknown[]) => string[];

const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
const ajv2020 = new Ajv2020({ strict: false, logger: false });
const NAME = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' };
const TEXT = { type: 'string', minLength: 1, maxLength: 1_024 };
const OBJECT = { type: 'object' };
const TYPE_NAMES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const TYPE = { anyOf: [{ enum: TYPE_NAMES }, { type: 'array', items: { enum: TYPE_NAMES }, minItems: 1, uniqueItems: true }] };
const SCALARS = { type: 'array', minItems: 1, items: { type: ['string', 'number', 'boolean', 'null'] } };
const NODE = { $ref: '#/definitions/node' };

function shape(required: string[], properties: object): object {
  return { type: 'object', additionalProperties: false, required, properties };
}

/** A schema that may have these keywords at every level, and no other. */
function keywords(properties: object, more: object = {}): ValidateFunction {
  return ajv.compile({ ...NODE, definitions: { node: { type: 'object', additionalProperties: false, properties, ...more } } });
}

function complaints(check: ValidateFunction, value: unknown): string[] {
  return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** JSON Schema of both dialects with an object at its root and no union there. */
function plainComplaints(schema: unknown): string[] {
  if (!isObject(schema) || schema.type !== 'object' || !isObject(schema.properties)) return ['the root must be an object'];
  const unions = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref'].filter((keyword) => keyword in schema);
  const invalid = [ajv, ajv2020].filter((one) => !one.validateSchema(schema)).map((one) => one.errorsText());
  const names = schemasIn(schema).flatMap((one) => Object.keys(isObject(one.properties) ? one.properties : {}));
  // platform.claude.com: “Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'”.
  return [...unions, ...invalid, ...names.filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))];
}

function schemasIn(schema: unknown): Record<string, unknown>[] {
  if (!isObject(schema)) return [];
  const { properties, items, anyOf } = schema;
  const inside = [...Object.values(isObject(properties) ? properties : {}), items, ...(Array.isArray(anyOf) ? anyOf : [])];
  return [schema, ...inside.flatMap(schemasIn)];
}

function depthOf(schema: unknown): number {
  if (!isObject(schema)) return 0;
  const { properties, items, anyOf } = schema;
  const inside = [...Object.values(isObject(properties) ? properties : {}), items, ...(Array.isArray(anyOf) ? anyOf : [])];
  return Number(schema.properties !== undefined || items !== undefined) + Math.max(0, ...inside.map(depthOf));
}

/** developers.openai.com/api/docs/guides/structured-outputs, “Supported schemas”. */
const openAiStrict = keywords(
  {
    ...{ type: TYPE, description: { type: 'string' }, enum: SCALARS, anyOf: { type: 'array', items: NODE, minItems: 1 } },
    ...{ properties: { type: 'object', additionalProperties: NODE }, required: { type: 'array' }, additionalProperties: { const: false } },
    ...{ items: NODE, minItems: { type: 'integer' }, maxItems: { type: 'integer' } },
    ...{
      minimum: { type: 'number' },
      maximum: { type: 'number' },
      exclusiveMinimum: { type: 'number' },
      exclusiveMaximum: { type: 'number' },
    },
    multipleOf: { type: 'number' },
  },
  { anyOf: [{ required: ['type'] }, { required: ['anyOf'] }] },
);

function openAiStrictComplaints(schema: unknown): string[] {
  const all = schemasIn(schema);
  const open = all.filter(({ type, properties = {}, required, additionalProperties }) => {
    const isComplete = additionalProperties === false && String(required) === String(Object.keys(properties as object));
    return [type].flat().includes('object') && !isComplete;
  });
  const values = all.flatMap(({ enum: listed }) => (Array.isArray(listed) ? listed : []));
  const names = all.flatMap(({ properties }) => Object.keys(isObject(properties) ? properties : {}));
  return [
    ...complaints(openAiStrict, schema),
    ...open.map((one) => `not every property is required: ${JSON.stringify(one)}`),
    ...(depthOf(schema) > 10 ? ['more than 10 levels'] : []),
    ...(names.length > 5_000 ? ['more than 5,000 properties'] : []),
    ...(values.length > 1_000 ? ['more than 1,000 values'] : []),
    ...([...names, ...values].join('').length > 120_000 ? ['names and values of more than 120,000 characters'] : []),
  ];
}

/** platform.openai.com/docs/api-reference/chat/create, `tools`. */
const openAiTool = ajv.compile(
  shape(['type', 'function'], {
    type: { const: 'function' },
    function: shape(['name', 'parameters'], { name: NAME, description: TEXT, parameters: OBJECT, strict: { type: 'boolean' } }),
  }),
);

export const openAiRules: Rules = (tools) =>
  tools.flatMap((tool) => {
    const { parameters, strict } = (tool as any).function;
    return [
      ...complaints(openAiTool, tool),
      ...plainComplaints(parameters),
      ...(strict === true ? openAiStrictComplaints(parameters) : []),
    ];
  });

/** platform.claude.com/docs/en/build-with-claude/structured-outputs, “JSON Schema limitations”. */
const anthropicStrict = keywords(
  {
    ...{ type: TYPE, description: { type: 'string' }, enum: SCALARS, anyOf: { type: 'array', items: NODE, minItems: 1 }, default: true },
    ...{ properties: { type: 'object', additionalProperties: NODE }, required: { type: 'array' }, additionalProperties: { const: false } },
    ...{ items: NODE, minItems: { enum: [0, 1] } },
  },
  {
    anyOf: [{ required: ['type'] }, { required: ['anyOf'] }],
    if: { required: ['type'], properties: { type: { const: 'object' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['properties', 'additionalProperties'] },
  },
);

/** platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools. */
const anthropicTool = ajv.compile(
  shape(['name', 'input_schema'], { name: NAME, description: TEXT, input_schema: OBJECT, strict: { const: true } }),
);

export const anthropicRules: Rules = (tools) => {
  const strict = tools.filter((tool) => (tool as any).strict === true);
  const all = strict.flatMap((tool) => schemasIn((tool as any).input_schema));
  const optional = all.flatMap(({ properties, required = [] }) =>
    Object.keys(isObject(properties) ? properties : {}).filter((name) => !(required as string[]).includes(name)),
  );
  const unions = all.filter(({ type, anyOf }) => Array.isArray(type) || anyOf !== undefined);
  return [
    ...tools.flatMap((tool) => [...complaints(anthropicTool, tool), ...plainComplaints((tool as any).input_schema)]),
    ...strict.flatMap((tool) => complaints(anthropicStrict, (tool as any).input_schema)),
    // “Schema complexity limits”, over all strict tools.
    ...(strict.length > 20 ? ['more than 20 strict tools'] : []),
    ...(optional.length > 24 ? ['more than 24 optional parameters'] : []),
    ...(unions.length > 16 ? ['more than 16 unions'] : []),
  ];
};

/** ai.google.dev/api/caching, `Schema`. */
const geminiSchema = keywords(
  {
    type: { enum: ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT'] },
    ...{ description: { type: 'string' }, nullable: { type: 'boolean' }, anyOf: { type: 'array', items: NODE, minItems: 1 } },
    enum: { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
    ...{ items: NODE, minItems: { type: 'string', pattern: '^\\d+$' }, maxItems: { type: 'string', pattern: '^\\d+$' } },
    ...{ minimum: { type: 'number' }, maximum: { type: 'number' } },
    properties: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[a-zA-Z_][a-zA-Z0-9_]{0,63}$' },
      additionalProperties: NODE,
    },
    required: { type: 'array', items: { type: 'string' } },
  },
  {
    anyOf: [{ required: ['type'] }, { required: ['anyOf'] }],
    allOf: [
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { if: { properties: { type: { const: 'ARRAY' } }, required: ['type'] }, then: { required: ['items'] } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { if: { properties: { type: { const: 'OBJECT' } }, required: ['type'] }, then: { required: ['properties'] } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { if: { required: ['enum'] }, then: { properties: { type: { const: 'STRING' } } } },
    ],
  },
);

/** ai.google.dev/api/caching, `FunctionDeclaration`: `parameters` and `parametersJsonSchema` exclude one another. */
const geminiTool = ajv.compile({
  ...shape(['name', 'description'], {
    name: { type: 'string', pattern: '^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$' },
    ...{ description: TEXT, parameters: OBJECT, parametersJsonSchema: OBJECT },
  }),
  not: { required: ['parameters', 'parametersJsonSchema'] },
});

export const geminiRules: Rules = (tools) =>
  tools.flatMap((tool) => {
    const { functionDeclarations, ...rest } = tool as any;
    return [
      ...Object.keys(rest),
      ...functionDeclarations.flatMap((one: any) => [
        ...complaints(geminiTool, one),
        ...(one.parameters === undefined ? [] : complaints(geminiSchema, one.parameters)),
        ...(one.parametersJsonSchema === undefined ? [] : plainComplaints(one.parametersJsonSchema)),
        ...schemasIn(one.parameters).flatMap(({ required = [], properties }) =>
          (required as string[]).filter((name) => !Object.hasOwn(properties as object, name)),
        ),
      ]),
    ];
  });

/** modelcontextprotocol.io/specification/2025-11-25/schema, `Tool`; schemas without `$schema` are of 2020-12. */
const mcpTool = ajv.compile(
  shape(['name', 'inputSchema'], {
    name: NAME,
    description: { type: 'string' },
    inputSchema: OBJECT,
    // `ToolAnnotations`: destructiveHint “is meaningful only when `readOnlyHint == false`”.
    annotations: {
      oneOf: [
        shape(['readOnlyHint', 'openWorldHint'], { readOnlyHint: { const: true }, openWorldHint: { const: true } }),
        shape(['readOnlyHint', 'destructiveHint', 'openWorldHint'], {
          ...{ readOnlyHint: { const: false }, destructiveHint: { type: 'boolean' }, openWorldHint: { const: true } },
        }),
      ],
    },
  }),
);

export const mcpRules: Rules = (tools) =>
  tools.flatMap((tool) => [...complaints(mcpTool, tool), ...plainComplaints((tool as any).inputSchema)]);
