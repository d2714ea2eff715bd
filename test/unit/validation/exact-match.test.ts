import { expect, it } from 'vitest';
import { z } from 'zod';
import { singleLine } from '../../../src/actions/display-text.ts';
import { exactMatch } from '../../../src/validation/exact-match.ts';

const node = z.object({
  get inner() {
    return node.optional();
  },
});

/** Each with values that it returns unchanged, and others. */
const SCHEMAS: [name: string, schema: z.ZodType, same: unknown[], others: unknown[]][] = [
  ['a text', z.string(), ['', 'a'], [1, null, undefined, ['a']]],
  ['a text of a length', z.string().min(1).max(3), ['a', 'abc'], ['', 'abcd']],
  ['a text of a form', z.string().regex(/^[a-z]+$/), ['a'], ['', 'A', 'a\n1']],
  ['a line', singleLine(5), ['', 'a b'], ['a\nb', 'abcdef', '\ud800']],
  ['a number', z.number(), [0, -1.5], [Number.NaN, Number.POSITIVE_INFINITY, '1', 1n]],
  ['one of several', z.enum(['a', 'b']), ['a'], ['c', 'toString', 0]],
  ['a constant', z.literal('a'), ['a'], ['b']],
  ['null or a text', z.string().nullable(), [null, 'a'], [undefined]],
  ['a list', z.array(z.boolean()), [[], [true]], [[1], new Array(1), {}, { length: 0 }]],
  ['what a function accepts', z.custom<string>((value) => value === 'a'), ['a'], ['b']],
  [
    'an object',
    z.object({ constructor: z.string(), b: z.string().optional(), c: z.string().default('c') }),
    [
      { constructor: 'a', c: 'x' },
      { constructor: 'a', b: 'b', c: 'x' },
    ],
    [
      {},
      { c: 'x' },
      { constructor: 'a' },
      { constructor: 'a', c: 'x', d: 1 },
      { constructor: 'a', b: null, c: 'x' },
      [],
      null,
      new Date(0),
    ],
  ],
  ['an object by the name of its prototype', z.object({}), [{}], [JSON.parse('{"__proto__":{}}'), Object.create({ a: 1 })]],
  ['a strict object', z.strictObject({ a: z.string() }), [{ a: 'a' }], [{ a: 'a', b: 1 }]],
];

/** Kinds of which nothing is accepted, because the schema returns something else, or isn't known. */
const UNKNOWN: [name: string, schema: z.ZodType, value: unknown][] = [
  ['a transformation', z.string().transform((text) => `${text}!`), 'a'],
  ['a coercion', z.coerce.string(), 'a'],
  ['a format', z.email(), 'a@example.com'],
  ['a refinement', z.string().refine((text) => text === 'a'), 'a'],
  ['a pattern with a state', z.string().regex(/a/g), 'a'],
  [
    'a union, whose first match drops fields',
    z.union([z.object({ a: z.string() }), z.object({ a: z.string(), b: z.string() })]),
    { a: '', b: '' },
  ],
  ['an object that contains itself', node, { inner: {} }],
  ['an object with one of these', z.object({ a: z.object({ b: z.coerce.number() }) }), { a: { b: 1 } }],
  ['a list with a limit', z.array(z.string()).max(1), ['a']],
];

it.each(SCHEMAS)('%s matches exactly when parsing returns the same', (_name, schema, same, others) => {
  const isExact = exactMatch(schema);
  for (const value of same) {
    expect(isExact(value)).toBe(true);
    expect(schema.parse(value)).toEqual(value);
  }
  for (const value of others) expect(isExact(value), String(value)).toBe(false);
});

it.each(UNKNOWN)('nothing matches %s', (_name, schema, value) => {
  expect(schema.safeParse(value).success).toBe(true);
  expect(exactMatch(schema)(value)).toBe(false);
});
