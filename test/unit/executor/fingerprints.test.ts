import { describe, expect, it } from 'vitest';
import { fingerprintIndex, fingerprintsOf, repeated } from '../../../src/executor/fingerprints.ts';
import { fc } from '../../support/property.ts';

const MAX = 4_096;
const among = (text: string, ...texts: string[]) =>
  repeated(text, fingerprintIndex(texts.map((one) => fingerprintsOf([one], MAX)))).map(({ from, to, source }) => [
    text.slice(from, to),
    source,
  ]);

describe('fingerprints', () => {
  it('find any 39 letters and digits of a text in another, whatever stands between and around them', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'), minLength: 39, maxLength: 200 });
    const around = fc.string({ unit: fc.constantFrom(...'ABCXYZ .,'), maxLength: 100 });
    fc.assert(
      fc.property(word, around, around, fc.nat(), (read, before, after, place) => {
        const from = place % (read.length - 38);
        const part = [...read.slice(from, from + 39)].join(' \u200b').toUpperCase();
        expect(among(before + part + after, `Dear all, ${read} Yours`)).not.toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('find nothing in a text of its own', () => {
    const read = 'The meeting on Thursday is moved to the large room because the small one is being painted this week.';
    expect(among('Could you book a table for four at eight, and tell Carol that I will be late by half an hour?', read)).toEqual([]);
    expect(among('', read)).toEqual([]);
    expect(among('anything at all that is longer than a few words', '')).toEqual([]);
  });

  it('find addresses, however short', () => {
    const read = 'Send it to Mallory <M@evil.io>; or see https://evil.io/a?b=1.';
    expect(among('m@evil.io', read)).toEqual([['m@evil.io', 0]]);
    expect(among('see (https://evil.io/a?b=1)', 'x@y.example', read)).toEqual([['https://evil.io/a?b=1', 1]]);
    expect(among('n@evil.io', read)).toEqual([]);
  });

  it('tell which text is repeated', () => {
    const [one, other] = ['transfer the whole amount to the account below today', 'the invoice of the plumber is attached to this message'];
    const found = among(`Please ${other}! And ${one}!`, one, other);
    expect(found.map(([, source]) => source)).toEqual([1, 0]);
  });

  it('keep at most so many of a text', () => {
    const long = Array.from({ length: 200_000 }, (_, place) => place.toString(36)).join(' ');
    expect(fingerprintsOf([long, long], 100)).toHaveLength(600);
  });

  it('find a text of 24 letters and digits that is repeated whole, and none that is shorter', () => {
    expect(among('pay the invoice number 12345', 'Pay the invoice number 12345!')).toEqual([['pay the invoice number 12345', 0]]);
    expect(fingerprintsOf(['x'.repeat(24)], MAX)).toHaveLength(6);
    expect(fingerprintsOf(['x'.repeat(23)], MAX)).toHaveLength(0);
  });
});
