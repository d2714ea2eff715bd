import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedHash } from '../../../src/crypto/keyed-hash.ts';

describe('KeyedHash', () => {
  const expected = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('hex');

  it('is HMAC-SHA-256, for keys and texts of any kind, in any order', () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 });
    const property = fc.property(fc.uint8Array({ maxLength: 64 }), fc.array(text, { maxLength: 4 }), (key, texts) => {
      const bytes = Buffer.from(key);
      const hash = new KeyedHash(createSecretKey(bytes));
      for (const one of [...texts, ...texts]) expect(hash.hex(one)).toBe(expected(bytes, one));
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('is HMAC-SHA-256 around the room that usual texts have, and of halves of characters', () => {
    const key = randomBytes(32);
    const hash = new KeyedHash(createSecretKey(key));
    for (const length of [0, 1, 5_439, 5_440, 5_441, 16_320, 16_384, 1_000_000]) {
      for (const character of ['a', 'é', '€', '\ud800']) {
        expect(hash.hex(character.repeat(length))).toBe(expected(key, character.repeat(length)));
      }
    }
  });

  it('takes no key that HMAC would hash first', () => {
    expect(() => new KeyedHash(createSecretKey(randomBytes(65)))).toThrow('at most 64 bytes');
  });
});
