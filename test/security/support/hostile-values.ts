import fc from 'fast-check';

type Schema = Record<string, any>;

/** Values that have broken other services: injections, unusual Unicode, NaN, names of inherited properties. */
const HOSTILE: readonly unknown[] = [
  '',
  ' ',
  '\0',
  'a\r\nSet-Cookie: x=1',
  "' or 1=1 --",
  '"; drop table users; --',
  '<script>alert(1)</script>',
  '{{7*7}}<%= 7*7 %>#{7*7}',
  '../../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data/',
  '//evil.example',
  'https://evil.example\\@steward.example.com/',
  'javascript:alert(1)',
  '__proto__',
  'constructor',
  'toString',
  '%00%ff%c0%af',
  '\u202egnp.exe',
  '\ud800',
  '\uffff',
  'ſteward@example.com',
  '𝕒@example.com',
  `${'a'.repeat(5000)}@example.com`,
  '00000000-0000-4000-8000-000000000000',
  'NaN',
  '1e999',
  '-0',
  null,
  true,
  0,
  -1,
  1e21,
  [],
  {},
  [['a']],
  { __proto__: null, toString: 'x' },
  { $ne: null },
];

/** Those of them that are texts. */
export const hostileText: fc.Arbitrary<string> = fc.constantFrom(...HOSTILE.filter((value) => typeof value === 'string'));

export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 50 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Values of a JSON Schema, as far as the interface uses it. */
export function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(fitting));
  if (schema.allOf !== undefined) return fitting(schema.allOf[0]);
  switch (schema.type) {
    case 'string':
      return strings(schema);
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? -1e6, -1e9), max: Math.min(schema.maximum ?? 1e6, 1e9) });
    case 'number':
      return fc.double();
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(fitting(schema.items ?? {}), { maxLength: 5 });
    case 'object':
      return objects(schema, fitting);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** Mostly valid objects: fields omitted, of another type, too many, and sometimes not an object. */
export function nearly(schema: Schema): fc.Arbitrary<unknown> {
  const nearlyField = (field: Schema) => fc.oneof({ weight: 3, arbitrary: fitting(field) }, { weight: 2, arbitrary: hostile });
  const near = objects({ ...schema, required: [] }, nearlyField);
  const withMore = fc.tuple(
    near,
    fc.dictionary(fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('__proto__', 'constructor')), hostile, { maxKeys: 3 }),
  );
  return fc.oneof(
    { weight: 4, arbitrary: near },
    { weight: 2, arbitrary: withMore.map(([one, more]) => ({ ...(one as object), ...more })) },
    { weight: 3, arbitrary: fitting(schema) },
    { weight: 1, arbitrary: hostile },
  );
}

/** One valid value with a single field at a time at one of its bounds, or just beyond. */
export function onTheEdges(schema: Schema, seed: number): object[] {
  const [fits] = fc.sample(fitting(schema), { seed, numRuns: 1 });
  const fields = Object.entries<Schema>(schema.properties ?? {});
  return fields.flatMap(([name, field]) => edges(field).map((edge) => ({ ...(fits as object), [name]: edge })));
}

function edges({ type, minimum, maximum, minLength, maxLength }: Schema): unknown[] {
  if (type === 'integer') return [minimum, minimum - 1, maximum, maximum + 1].filter(Number.isFinite);
  if (type !== 'string') return [];
  return [minLength - 1, maxLength, maxLength + 1].filter((length) => length >= 0).map((length) => 'a'.repeat(length));
}

function strings({ format, minLength, maxLength }: Schema): fc.Arbitrary<string> {
  if (format === 'email') return fc.emailAddress();
  if (format === 'uuid') return fc.uuid();
  if (format === 'uri') return fc.webUrl();
  return fc.string({ minLength: minLength ?? 0, maxLength: Math.min(maxLength ?? 100, 300) });
}

function objects(schema: Schema, field: (schema: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const properties: Record<string, Schema> = schema.properties ?? {};
  const required: string[] = schema.required ?? [];
  const model = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, field(one)]));
  return fc.record(model, { requiredKeys: required.filter((name) => name in model) as never[] });
}
