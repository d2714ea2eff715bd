import { describe, expect, it } from 'vitest';
import { addressesIn } from '../../../src/executor/addresses-in.ts';

const ANA = 'ana@example.com';

describe('an address that the user typed', () => {
  it.each([
    'Send it to ana@example.com.',
    'ANA@Example.com',
    'to: <ana@example.com>, please',
    'Is it (ana@example.com)?',
    '“ana@example.com”',
    "'ana@example.com'",
    "ana@example.com's balance",
    '**ana@example.com**',
    'mailto:ana@example.com',
    'bob@example.com,ana@example.com;zoe@example.com',
    'first line\nana@example.com\nlast line',
    '发给ana@example.com。'.replace('发给', '发给 '),
  ])('is in %j', (text) => {
    expect(addressesIn(text).has(ANA)).toBe(true);
  });

  it.each([
    'xana@example.com',
    'x.ana@example.com',
    'x+ana@example.com',
    'ana@example.com.evil.example',
    'ana@example.com-evil.example',
    'ana@example.community',
    'ana at example.com',
    'ana @example.com',
    'ana@@example.com',
    'ana@example.com@evil.example',
    'аna@example.com',
    'ana\u200b@example.com',
    'example.com ana',
    '',
  ])('is not in %j', (text) => {
    expect(addressesIn(text).has(ANA)).toBe(false);
  });

  it('is not there without a text', () => {
    expect(addressesIn(undefined).size).toBe(0);
  });

  it('is found in time in a long text', () => {
    expect(addressesIn(`${'.'.repeat(1_000_000)}@ ${"'".repeat(1_000_000)} ${ANA}`).has(ANA)).toBe(true);
  });
});
