import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/clock.ts';
import { problemIn } from '../../../src/sources/check-value.ts';
import { type JsonSchema, plainSchema, withoutProperties } from '../../../src/sources/plain-schema.ts';
import { shownSchema, shownText } from '../../../src/sources/shown-definition.ts';

const problem = (schema: JsonSchema, value: unknown) => problemIn(plainSchema(schema), value, { userId: 'u', clock: systemClock });
const object = (properties: JsonSchema, more: JsonSchema = {}) => ({ type: 'object', properties, ...more });

/** Each level refers twice to the next: 2^40 subschemas. */
function doubling(levels: number): JsonSchema {
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => {
      const next = { $ref: `#/$defs/l${level + 1}` };
      return [`l${level}`, level === levels - 1 ? { type: 'string' } : { allOf: [next, next] }];
    }),
  );
  return { ...object({ a: { $ref: '#/$defs/l0' } }), $defs };
}

/** A tree whose branches match in several ways. */
const BRANCHING = {
  $ref: '#/$defs/node',
  $defs: { node: { anyOf: Array.from({ length: 20 }, () => object({ next: { $ref: '#/$defs/node' } }, { required: ['no'] })) } },
};

function nested(levels: number): unknown {
  return levels === 0 ? {} : { next: nested(levels - 1) };
}

describe('a foreign schema', () => {
  it.each<[string, JsonSchema, unknown, unknown]>([
    ['references in place', { ...object({ a: { $ref: '#/$defs/n' } }), $defs: { n: { type: 'number' } } }, { a: 1 }, { a: 'x' }],
    [
      'references of draft 7',
      { ...object({ a: { $ref: '#/definitions/a~1b' } }), definitions: { 'a/b': { const: 1 } } },
      { a: 1 },
      { a: 2 },
    ],
    ['alternatives', { oneOf: [object({ a: { type: 'string' } }), object({ a: { type: 'boolean' } })] }, { a: true }, { a: 1 }],
    ['negations', object({ a: { not: { type: 'null' } } }), { a: 1 }, { a: null }],
    ['tuples of draft 7', object({ a: { items: [{ type: 'string' }], additionalItems: false } }), { a: ['x'] }, { a: ['x', 1] }],
    ['patterns', object({ a: { type: 'string', pattern: '^[a-z]+$' } }), { a: 'abc' }, { a: 'ABC' }],
    ['names by patterns', { patternProperties: { '^x': { type: 'number' } }, additionalProperties: false }, { x1: 1 }, { y: 1 }],
    ['values that depend on each other', { if: { required: ['a'] }, else: { required: ['b'] } }, { a: 1 }, { c: 1 }],
  ])('is checked with %s', async (_name, schema, right, wrong) => {
    expect(await problem(schema, right)).toBeUndefined();
    expect(await problem(schema, wrong)).toEqual(expect.any(String));
  });

  it('names the innermost value that is wrong, in one short line', async () => {
    const schema = object({ to: { type: 'array', items: object({ name: { enum: ['a', 'b'.repeat(5_000)] } }) } });
    const found = await problem(schema, { to: [{ name: 'a' }, { name: 3 }] });
    expect(found).toMatch(/^to\.1\.name: Instance does not match any of \["a","bbb/);
    expect(found?.length).toBeLessThanOrEqual(300);
  });

  it.each<[string, JsonSchema, unknown]>([
    ['that doubles at each level', doubling(40), { a: 'x' }],
    ['that contains itself', { $ref: '#' }, { a: 1 }],
    ['that contains itself in a circle', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, {}],
    ['whose branches match in many ways', BRANCHING, nested(18)],
    ['that refers to an address', object({ a: { $ref: 'http://127.0.0.1/x' } }), { a: 1 }],
    ['with an invalid pattern', object({ a: { pattern: '(' } }), { a: 'x' }],
    [
      'whose keywords are of other types',
      { type: 7, required: 'a', properties: [], enum: {}, allOf: {}, maxLength: 'x', minimum: null },
      {},
    ],
    ['that is deep', JSON.parse(`${'{"not":'.repeat(2_000)}{}${'}'.repeat(2_000)}`), {}],
  ])('is bounded: one %s says at most nothing', async (_name, schema, value) => {
    expect(plainSchema(schema).size).toBeLessThan(5_000);
    await problem(schema, value);
  });

  it('never rejects more because something was left out inside a negation', async () => {
    const recursive = { not: { $ref: '#/$defs/a' }, $defs: { a: object({ a: { $ref: '#/$defs/a' } }, { required: ['a'] }) } };
    expect(await problem(recursive, { a: { a: 1 } })).toBeUndefined();
    expect(await problem(object({ a: { not: { format: 'email' } } }), { a: 'x' })).toBeUndefined();
    expect(await problem({ oneOf: [{ format: 'email' }, { type: 'string' }] }, 'x')).toBeUndefined();
    expect(await problem({ oneOf: [{ uniqueItems: true }, { type: 'number' }] }, 'x')).toBeUndefined();
  });

  it('with a pattern of exponential time ends, and leaves the main thread free', async () => {
    const state = { turns: 0, isDone: false };
    const checking = problem(object({ a: { pattern: '^(a+)+$' } }), { a: `${'a'.repeat(40)}!` }).finally(() => {
      state.isDone = true;
    });
    checking.catch(() => {});
    while (!state.isDone) {
      await nextTurn();
      state.turns += 1;
    }
    await expect(checking).rejects.toMatchObject({ code: 'too_large' });
    expect(state.turns).toBeGreaterThan(100);
  });

  it('loses the properties that are fixed', () => {
    const schema = object({ a: {}, b: {} }, { required: ['a', 'b'] });
    expect(withoutProperties(schema, ['a'])).toEqual(object({ b: {} }, { required: ['b'] }));
    expect(withoutProperties(schema, [])).toBe(schema);
  });
});

describe('a server’s text', () => {
  it('is shown without what nobody sees, and not too much of it', () => {
    expect(shownText('a\u200bb\u202ec\u{e0041}\nd\te\u0007')).toBe('abc\nd e');
    expect(shownText('x'.repeat(2_000))).toHaveLength(1_000);
    expect(shownText('\ud800')).toBe('\ufffd');
  });

  it('in a schema is cleaned, but no name of a property is taken for one', () => {
    const schema = object({
      description: { description: 'a\u200bb', default: 'c\u200bd', enum: ['e', 'f\u202e'], examples: ['g'] },
      title: { type: 'string' },
    });
    expect(shownSchema(schema)).toEqual(object({ description: { description: 'ab', examples: ['g'] }, title: { type: 'string' } }));
  });

  it('leave out names and other values with hidden characters, wherever they are', () => {
    const hidden = 'a\u{e0041}';
    const schema = {
      ...object({
        [hidden]: { type: 'string' },
        b: { const: hidden },
        c: { const: { [hidden]: 1 }, default: { d: [{ [hidden]: 1 }] }, pattern: hidden, type: ['string', hidden] },
        d: { patternProperties: { [hidden]: {}, e: { anyOf: [{ const: [hidden] }, { const: 'f' }] } } },
      }),
      required: [hidden, 'b'],
    };
    const shown = { b: {}, c: { type: ['string'] }, d: { patternProperties: { e: { anyOf: [{}, { const: 'f' }] } } } };
    expect(shownSchema(schema)).toEqual({ ...object(shown), required: ['b'] });
  });
});
