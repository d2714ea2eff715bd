import { describe, expect, it } from 'vitest';
import { areArgumentsListed } from '../../../src/executor/policy/allow-lists.ts';
import type { LoadedAction } from '../../../src/integrations/catalog.ts';

const allow = { status: ['open', 'closed'], flags: ['true'], size: ['5'], query: ['code *'] };
const listed = (input: object) => areArgumentsListed({ policy: { allow } } as unknown as LoadedAction, input);

describe('arguments that allow-lists fix', () => {
  it.each<object>([
    { status: 'open' },
    { status: ['closed', 'open'] },
    { flags: true },
    { size: 5 },
    { status: 'open', flags: [true], size: 5 },
  ])('%j', (input) => {
    expect(listed(input)).toBe(true);
  });
});

describe('arguments that could spell a text out', () => {
  it.each<object>([
    {},
    { status: 'Open' },
    { status: ['open', 'open', 'closed'] },
    { status: [['open']] },
    { status: null },
    { status: { toString: 'open' } },
    { flags: false },
    { flags: [true, false, true] },
    { size: 47 },
    { query: 'code 4711' },
    { query: 'code *' },
    { unlisted: true },
    { unlisted: null },
    { unlisted: [] },
    { constructor: 'open' },
    { status: 'open', unlisted: false },
  ])('%j', (input) => {
    expect(listed(input)).toBe(false);
  });
});
