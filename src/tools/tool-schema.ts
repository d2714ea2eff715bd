import { isObject } from '../validation/is-object.ts';

export type JsonSchema = Record<string, unknown>;
export type Scalar = string | number | boolean;
export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

/**
 * The part of JSON Schema that models' tools have in common. Where it says less than the schema that it was made of, it
 * permits more: the executor checks every call against that one.
 */
export interface ToolSchema {
  /** Left out: any value, or one of `anyOf`. */
  type?: TypeName;
  nullable?: true;
  description?: string;
  enum?: Scalar[];
  default?: unknown;
  /** Bounds of numbers and lists, by their keyword in JSON Schema. */
  bounds?: Partial<Record<Bound, number>>;
  items?: ToolSchema;
  /** Left out of an object: any properties. */
  properties?: Record<string, ToolSchema>;
  required?: string[];
  anyOf?: ToolSchema[];
}

const NUMBER_BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;
const LIST_BOUNDS = ['minItems', 'maxItems'] as const;
export type Bound = (typeof NUMBER_BOUNDS)[number] | (typeof LIST_BOUNDS)[number];

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);
/** A property's name that every vendor accepts. */
const PROPERTY_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** OpenAI permits 10 levels; what lies deeper may be any value. */
const MAX_DEPTH = 8;
/** References can make a schema exponentially large; what exceeds this may be any value. */
const MAX_NODES = 1_000;
/** A longer list of values says nothing to a model, and OpenAI limits its length. */
const MAX_VALUES = 200;

/** Makes the schema of a tool's arguments from a JSON Schema of draft 7. Never fails: what has no equivalent is left out. */
export function toToolSchema(schema: object): ToolSchema {
  return new Conversion(schema as JsonSchema).root();
}

class Conversion {
  readonly #root: JsonSchema;
  #nodes = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** Without unions, which no vendor accepts at the root. */
  root(): ToolSchema {
    const { properties, required } = this.#merged(this.#root, 0);
    const named = list(required).filter((name) => isUsableName(name));
    return this.#convert({ type: 'object', properties: members(properties), required: named }, 1);
  }

  #convert(given: unknown, depth: number): ToolSchema {
    this.#nodes += 1;
    if (!isObject(given) || depth > MAX_DEPTH || this.#nodes > MAX_NODES) return {};
    const schema = this.#merged(given, 0);
    const common = annotations(schema);
    const values = valuesOf(schema);
    if (values !== undefined) return { ...common, ...enumeration(values) };
    const types = typesOf(schema);
    const nullable = types.includes('null') && types.length > 1;
    const named = types.filter((type): type is TypeName => TYPES.has(type));
    const union = [schema.anyOf, schema.oneOf].find(Array.isArray);
    // Of an object with properties, alternatives only say which go together.
    if (union !== undefined && !isObject(schema.properties)) return { ...common, ...this.#union(schema, union, depth) };
    const [type, ...others] = named;
    const kind = { ...common, ...(nullable && { nullable: true as const }) };
    if (type === undefined) return kind;
    if (others.length > 0) return { ...kind, anyOf: named.map((one) => this.#typed(one, schema, depth)) };
    return { ...kind, ...this.#typed(type, schema, depth) };
  }

  #union(schema: JsonSchema, given: unknown[], depth: number): ToolSchema {
    const { anyOf: _, oneOf: __, description: ___, default: ____, ...shared } = schema;
    const options = given.map((option) => (isObject(option) ? { ...shared, ...option } : option));
    const isNull = (option: unknown) => isObject(option) && (option.type === 'null' || option.const === null);
    const nullable = options.some(isNull) && { nullable: true as const };
    const converted = options.filter((option) => !isNull(option)).map((option) => this.#convert(option, depth + 1));
    const [only, ...others] = converted;
    if (others.length === 0) return { ...only, ...nullable };
    const values = converted.flatMap((option) => option.enum ?? []);
    const areValues = converted.length > 0 && converted.every((option) => option.enum !== undefined && option.type === only?.type);
    if (areValues && only?.type !== undefined) return { type: only.type, enum: [...new Set(values)], ...nullable };
    return { anyOf: converted, ...nullable };
  }

  #typed(type: TypeName, schema: JsonSchema, depth: number): ToolSchema {
    switch (type) {
      case 'object':
        return { type, ...this.#object(schema, depth) };
      case 'array':
        return { type, items: Array.isArray(schema.items) ? {} : this.#convert(schema.items, depth + 1), ...boundsOf(schema, LIST_BOUNDS) };
      case 'number':
      case 'integer':
        return { type, ...boundsOf(schema, NUMBER_BOUNDS) };
      default:
        return { type };
    }
  }

  #object({ properties, required, additionalProperties }: JsonSchema, depth: number): ToolSchema {
    const needed = [...new Set(list(required))].filter((name) => typeof name === 'string');
    // A map, or an object that can't be called without a property whose name some vendor rejects.
    if (!isObject(properties) || isObject(additionalProperties) || !needed.every(isUsableName)) return {};
    // False permits no value at all.
    const usable = Object.entries(properties).filter(([name, value]) => isUsableName(name) && value !== false);
    const converted = Object.fromEntries(usable.map(([name, value]) => [name, this.#convert(value, depth + 1)]));
    const known = needed.filter((name) => Object.hasOwn(converted, name));
    return { properties: converted, ...(known.length > 0 && { required: known }) };
  }

  /** The schema with its references and `allOf` in place. A schema that contains itself may be any value from there on. */
  #merged(schema: JsonSchema, resolved: number): JsonSchema {
    if (resolved > MAX_DEPTH) return {};
    const { $ref: reference, allOf: parts, ...own } = schema;
    // Draft 7 ignores what stands beside a reference; a description does no harm.
    const target = typeof reference === 'string' ? this.#at(reference) : undefined;
    const base = target === undefined ? own : { ...this.#merged(target, resolved + 1), ...describedBy(own) };
    if (!Array.isArray(parts) || target !== undefined) return base;
    return parts
      .filter(isObject)
      .map((part) => this.#merged(part, resolved + 1))
      .reduceRight(mergeInto, base);
  }

  #at(reference: string): JsonSchema {
    let found: unknown = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const name = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
      found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    return isObject(found) ? found : {};
  }
}

/** Both have to hold: properties and requirements add up; of any other keyword, the outer one is taken. */
function mergeInto(outer: JsonSchema, part: JsonSchema): JsonSchema {
  const properties = { ...members(part.properties), ...members(outer.properties) };
  const required = [...list(outer.required), ...list(part.required)];
  return {
    ...part,
    ...outer,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

function annotations({ description, default: usual }: JsonSchema): ToolSchema {
  return { ...(typeof description === 'string' && { description }), ...(usual !== undefined && usual !== null && { default: usual }) };
}

function describedBy({ description }: JsonSchema): JsonSchema {
  return description === undefined ? {} : { description };
}

/** The listed values of a schema that lists some. */
function valuesOf({ enum: values, const: only }: JsonSchema): unknown[] | undefined {
  if (only !== undefined) return [only];
  return Array.isArray(values) ? values : undefined;
}

/** Values of several types, of lists and of objects, or of too great a number are not listed. */
function enumeration(values: unknown[]): ToolSchema {
  const scalars = values.filter((value): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value));
  const nullable = values.includes(null) && { nullable: true as const };
  const types = new Set(scalars.map((value) => (Number.isInteger(value) ? 'integer' : (typeof value as TypeName))));
  if (types.has('integer') && types.has('number')) types.delete('integer');
  const [type, ...others] = types;
  const hasOthers = values.some((value) => typeof value === 'object' && value !== null);
  if (type === undefined || others.length > 0 || hasOthers) return {};
  const listed = type !== 'boolean' && scalars.length <= MAX_VALUES;
  return { type, ...(listed && { enum: [...new Set(scalars)] }), ...nullable };
}

function typesOf({ type, properties, items }: JsonSchema): unknown[] {
  if (type !== undefined) return [type].flat();
  if (isObject(properties)) return ['object'];
  return items === undefined ? [] : ['array'];
}

function boundsOf(schema: JsonSchema, names: readonly Bound[]): Pick<ToolSchema, 'bounds'> {
  const found = names.flatMap((name) => {
    const value = schema[name];
    return isBound(name, value) ? [[name, value]] : [];
  });
  return found.length === 0 ? {} : { bounds: Object.fromEntries(found) };
}

/** A bound that says something: those of safe integers don't. */
function isBound(name: Bound, value: unknown): value is number {
  if (typeof value !== 'number' || Math.abs(value) >= Number.MAX_SAFE_INTEGER) return false;
  if (name === 'multipleOf') return value > 0;
  return name === 'minItems' || name === 'maxItems' ? Number.isInteger(value) && value >= (name === 'minItems' ? 1 : 0) : true;
}

function isUsableName(name: unknown): name is string {
  return typeof name === 'string' && PROPERTY_NAME.test(name);
}

function members(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A reference is a URI fragment. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
