import { describe, isRequired, says } from './tool.ts';
import type { Bound, JsonSchema, ToolSchema } from './tool-schema.ts';

/** How a vendor's strict mode writes a schema. */
export interface StrictRules {
  /** Bounds that it accepts; others become part of the description. */
  accepts(name: Bound, value: number): boolean;
  acceptsDefault: boolean;
  /** Every property is required; the optional ones may be null. */
  requiresAll: boolean;
}

/** Nothing sensible is greater. */
const GUESSED_MAXIMUM = 10_000;
/** No sensible list is longer. */
const GUESSED_ITEMS = 100;

/** JSON Schema (draft 7 and 2020-12) in few words, for modes in which a schema is a hint. */
export function plainSchema(schema: ToolSchema): JsonSchema {
  const { default: usual, bounds, items, properties, required, anyOf } = schema;
  return {
    ...typeOf(schema, schema.nullable === true),
    ...describe(schema, { default: false, bounds: [] }),
    ...(says(usual) && { default: usual }),
    ...hints(bounds),
    ...(anyOf !== undefined && { anyOf: anyOf.map(plainSchema) }),
    ...(items !== undefined && { items: plainSchema(items) }),
    ...(properties !== undefined && { properties: mapValues(properties, plainSchema) }),
    ...(required !== undefined && { required }),
  };
}

/** The bounds that a model can't guess. */
export function hints(bounds: ToolSchema['bounds'] = {}): Partial<Record<Bound, number>> {
  const { minimum, maximum, minItems, maxItems, ...others } = bounds;
  return {
    ...(minimum !== undefined && minimum !== 0 && minimum !== 1 && { minimum }),
    ...(maximum !== undefined && maximum <= GUESSED_MAXIMUM && { maximum }),
    ...(minItems !== undefined && minItems > 1 && { minItems }),
    ...(maxItems !== undefined && maxItems < GUESSED_ITEMS && { maxItems }),
    ...others,
  };
}

/** JSON Schema for modes in which a schema is enforced. The schema is closed; see {@link isClosed}. */
export function strictSchema(schema: ToolSchema, rules: StrictRules, nullable = schema.nullable === true): JsonSchema {
  const { default: usual, items, properties, anyOf } = schema;
  const bounds = Object.entries(schema.bounds ?? {}) as [Bound, number][];
  const [kept, omitted] = [true, false].map((is) => bounds.filter(([name, value]) => rules.accepts(name, value) === is));
  const alternatives = anyOf?.map((one) => strictSchema(one, rules));
  return {
    ...typeOf(schema, nullable),
    ...describe(schema, { default: !rules.acceptsDefault, bounds: (omitted ?? []).map(([name]) => name) }),
    ...(rules.acceptsDefault && says(usual) && { default: usual }),
    ...Object.fromEntries(kept ?? []),
    ...(alternatives !== undefined && { anyOf: nullable ? [...alternatives, { type: 'null' }] : alternatives }),
    ...(items !== undefined && { items: strictSchema(items, rules) }),
    ...(properties !== undefined && strictProperties(schema, properties, rules)),
  };
}

function strictProperties(schema: ToolSchema, properties: Record<string, ToolSchema>, rules: StrictRules): JsonSchema {
  const names = Object.keys(properties);
  const isOptional = (name: string) => !isRequired(schema, name);
  const strict = names.map((name) => {
    const property = properties[name] as ToolSchema;
    return [name, strictSchema(property, rules, property.nullable === true || (rules.requiresAll && isOptional(name)))];
  });
  const required = rules.requiresAll ? names : (schema.required ?? []);
  return { properties: Object.fromEntries(strict), required, additionalProperties: false };
}

function typeOf({ type, enum: values }: ToolSchema, nullable: boolean): JsonSchema {
  if (type === undefined) return {};
  const listed = values !== undefined && { enum: nullable ? [...values, null] : values };
  return { type: nullable ? [type, 'null'] : type, ...listed };
}

function mapValues<Value, Mapped>(record: Record<string, Value>, map: (value: Value) => Mapped): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
