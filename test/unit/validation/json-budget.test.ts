import { describe, expect, it } from 'vitest';
import { excessIn, JsonBudget } from '../../../src/validation/json-budget.ts';

const LEVELS = { code: 'invalid_request', reason: 'more than 32 levels' };
const VALUES = { code: 'too_large', reason: 'more than 32768 values' };

describe('what is too much in a JSON text', () => {
  it.each([
    ['levels', '['.repeat(33), LEVELS],
    ['levels of objects', '{"a":'.repeat(33), LEVELS],
    ['values of a list', `[${'1,'.repeat(32_768)}1]`, VALUES],
    ['members', `{${'"a":1,'.repeat(32_768)}"a":1}`, VALUES],
    ['lists, before their end', `{"a":[${'[],'.repeat(1_000_000)}`, VALUES],
  ])('are %s', async (_what, text, excess) => {
    expect(await excessIn(Buffer.from(text))).toEqual(excess);
  });

  it.each([
    ['levels', `${'['.repeat(32)}${']'.repeat(32)}`],
    ['lists one after the other', `[${'[[]],'.repeat(10_000)}1]`],
    ['texts', JSON.stringify('[{,'.repeat(1_000_000))],
  ])('are not as many %s as are allowed', async (_what, text) => {
    expect(await excessIn(Buffer.from(text))).toBeUndefined();
  });

  it.each(['x', '\\"', '\\\\', `${'x'.repeat(300)}\\"`, 'é[{', '\\u00e9,'])(
    'is found after a text of %j, however it is divided',
    (piece) => {
      for (const times of [1, 2, 100, 255, 256, 257, 1_000]) {
        const text = Buffer.from(`{"a":"${piece.repeat(times)}",${'"b":['.repeat(32)}`);
        for (const size of [1, 7, text.length]) {
          const budget = new JsonBudget();
          const found = [];
          for (let at = 0; at < text.length; at += size) found.push(budget.add(text.subarray(at, at + size)));
          expect(found.slice(0, -1).every((one) => one === undefined)).toBe(true);
          expect(found.at(-1)).toEqual(LEVELS);
        }
      }
    },
  );
});
