import { isObject } from '../validation/is-object.ts';

export type JsonSchema = Record<string, unknown>;

/** A schema that says at most what its server wrote, without anything that makes checking it expensive. */
export interface PlainSchema {
  schema: JsonSchema;
  /** Its subschemas and listed values: what a check of one value costs. */
  size: number;
  /** It has regular expressions, which may take exponential time. */
  hasPatterns: boolean;
}

/** What lies deeper, or exceeds this, may be any value. */
const MAX_DEPTH = 24;
const MAX_SIZE = 2_000;

const BOUNDS = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minProperties', 'maxProperties', 'minContains', 'maxContains'],
]);
const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples', 'deprecated']);
const SCHEMAS = new Set(['additionalProperties', 'items', 'contains', 'propertyNames']);
const LISTS = new Set(['allOf', 'anyOf', 'prefixItems']);
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas']);
/** A check that says less would reject more. */
const NEGATIONS = new Set(['not', 'if', 'then', 'else', 'oneOf']);

/**
 * A foreign JSON Schema of draft 7 or later, with its references in place. What is left out, or too large, may be any value: the
 * server itself checks what it receives. Left out are recursion, formats, `uniqueItems`, `unevaluated…`, and what isn't valid.
 */
export function plainSchema(given: JsonSchema): PlainSchema {
  const plain = new Plain(given);
  const schema = plain.of(given, 1, []);
  return { schema: isObject(schema) ? schema : {}, size: plain.size, hasPatterns: plain.hasPatterns };
}

class Plain {
  readonly #root: JsonSchema;
  size = 0;
  hasPatterns = false;
  /** Something was left out. */
  #isCut = false;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** @param through the references that lead here */
  of(given: unknown, depth: number, through: readonly string[]): JsonSchema | boolean {
    if (typeof given === 'boolean') return given;
    this.size += 1;
    if (!isObject(given) || depth > MAX_DEPTH || this.size > MAX_SIZE) {
      this.#isCut = true;
      return true;
    }
    const plain: JsonSchema = {};
    for (const [key, value] of Object.entries(given)) this.#add(plain, key, value, given, depth, through);
    const { $ref: reference } = given;
    if (typeof reference !== 'string') return plain;
    const target = this.#referred(reference, depth, through);
    if (Object.keys(plain).length === 0) return target;
    return { ...plain, allOf: [...(Array.isArray(plain.allOf) ? plain.allOf : []), target] };
  }

  #referred(reference: string, depth: number, through: readonly string[]): JsonSchema | boolean {
    const target = through.includes(reference) ? undefined : this.#at(reference);
    return this.of(target, depth + 1, [...through, reference]);
  }

  #add(plain: JsonSchema, key: string, value: unknown, whole: JsonSchema, depth: number, through: readonly string[]): void {
    const inside = (one: unknown) => this.of(one, depth + 1, through);
    if (key === 'items' && Array.isArray(value)) plain.prefixItems = value.map(inside);
    else if (key === 'additionalItems') {
      if (Array.isArray(whole.items)) plain.items = inside(value);
    } else if (SCHEMAS.has(key)) plain[key] = inside(value);
    else if (LISTS.has(key) && Array.isArray(value)) plain[key] = value.map(inside);
    else if (MAPS.has(key) && isObject(value)) this.#addMap(plain, key, value, inside);
    else if (NEGATIONS.has(key)) this.#addNegation(plain, key, value, inside);
    else this.#addValue(plain, key, value);
  }

  #addMap(plain: JsonSchema, key: string, value: JsonSchema, inside: (one: unknown) => unknown): void {
    if (key === 'patternProperties') this.hasPatterns = true;
    plain[key] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inside(one)]));
  }

  /** Where something is left out inside, the whole is. */
  #addNegation(plain: JsonSchema, key: string, value: unknown, inside: (one: unknown) => unknown): void {
    const before = this.#isCut;
    this.#isCut = false;
    const made = key === 'oneOf' ? Array.isArray(value) && value.map(inside) : inside(value);
    if (!this.#isCut && made !== false) plain[key] = made;
    // Each of the alternatives may still be told.
    else if (key === 'oneOf' && made !== false) plain.anyOf ??= made;
    this.#isCut = before || this.#isCut;
  }

  #addValue(plain: JsonSchema, key: string, value: unknown): void {
    if (ANNOTATIONS.has(key) || (key === 'const' && value !== undefined) || (BOUNDS.has(key) && typeof value === 'number'))
      plain[key] = value;
    else if (key === 'type' && [value].flat().every((one) => typeof one === 'string')) plain.type = value;
    else if (key === 'required' && Array.isArray(value)) plain.required = value.filter((name) => typeof name === 'string');
    else if (key === 'enum' && Array.isArray(value)) {
      this.size += value.length;
      plain.enum = value;
    } else if (key === 'pattern' && typeof value === 'string') {
      this.hasPatterns = true;
      plain.pattern = value;
    } else this.#isCut = true;
  }

  /** RFC 6901, in a fragment. */
  #at(reference: string): unknown {
    if (reference !== '#' && !reference.startsWith('#/')) return undefined;
    let found: unknown = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
      found = typeof found === 'object' && found !== null && Object.hasOwn(found, name) ? (found as JsonSchema)[name] : undefined;
    }
    return found;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Without some of its properties, which have fixed values. */
export function withoutProperties(schema: JsonSchema, names: readonly string[]): JsonSchema {
  if (names.length === 0) return schema;
  const { properties, required } = schema;
  const isLeft = (name: unknown) => !names.includes(name as string);
  return {
    ...schema,
    ...(isObject(properties) && { properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isLeft(name))) }),
    ...(Array.isArray(required) && { required: required.filter(isLeft) }),
  };
}
