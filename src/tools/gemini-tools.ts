import { hints, plainSchema } from './json-schema.ts';
import { describe, isClosed, type Tool } from './tool.ts';
import type { Bound, JsonSchema, ToolSchema } from './tool-schema.ts';

/** Bounds that have no field in `Schema`. */
const OMITTED: readonly Bound[] = ['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/**
 * Tools of the Gemini API: one `Tool` with all function declarations (ai.google.dev/api/caching, `Tool`,
 * `FunctionDeclaration`). There is no strict mode. A function whose schema `parameters` can't express, because a value has
 * no type or an object lists no properties, has `parametersJsonSchema` in its place.
 */
export function geminiTools(tools: readonly Tool[]): object[] {
  return tools.length === 0 ? [] : [{ functionDeclarations: tools.map(functionDeclaration) }];
}

function functionDeclaration({ name, description, input }: Tool): object {
  // An object without properties is rejected; a function without parameters has none.
  if (Object.keys(input.properties ?? {}).length === 0) return { name, description };
  if (!isExpressible(input)) return { name, description, parametersJsonSchema: plainSchema(input) };
  return { name, description, parameters: schemaOf(input) };
}

function isExpressible(schema: ToolSchema): boolean {
  const { type, items, properties, anyOf = [] } = schema;
  const nested = [...Object.values(properties ?? {}), ...(items === undefined ? [] : [items]), ...anyOf];
  const isEmpty = type === 'object' && Object.keys(properties ?? {}).length === 0;
  return isClosed(schema) && !isEmpty && nested.every(isExpressible);
}

/** `Schema`, a subset of OpenAPI 3.0 (ai.google.dev/api/caching, `Schema`): 64-bit integers are texts, as in all of Google's APIs. */
function schemaOf(schema: ToolSchema): JsonSchema {
  const { type, nullable, enum: values, items, properties, required, anyOf } = schema;
  // Only texts can be listed, and an empty one can't.
  const listed = values?.filter((value) => typeof value === 'string' && value !== '');
  const isListed = listed !== undefined && listed.length > 0 && listed.length === values?.length;
  const numbers = values === undefined || isListed ? undefined : `One of ${values.map((value) => JSON.stringify(value)).join(', ')}.`;
  const described = describe(schema, { default: true, bounds: OMITTED });
  const description = [described.description, numbers].filter((part) => part !== undefined).join(' ');
  const { minimum, maximum, minItems, maxItems } = hints(schema.bounds);
  return {
    ...(type !== undefined && { type: type.toUpperCase() }),
    ...(description !== '' && { description }),
    ...(nullable && { nullable }),
    ...(isListed && { enum: listed }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(minItems !== undefined && { minItems: String(minItems) }),
    ...(maxItems !== undefined && { maxItems: String(maxItems) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(schemaOf) }),
    ...(items !== undefined && { items: schemaOf(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, schemaOf(property)])),
    }),
    ...(required !== undefined && { required }),
  };
}
