import { describe, expect, it } from 'vitest';
import { readCapped } from '../../../src/rate-limit/capped-body.ts';

async function* chunks(...sizes: number[]) {
  for (const size of sizes) yield new Uint8Array(size);
}

describe('readCapped', () => {
  const tooLarge = () => new Error('too large');

  it('returns a body of up to the limit', async () => {
    expect(await readCapped(chunks(3, 0, 7), 10, tooLarge)).toHaveLength(10);
    expect(await readCapped(chunks(), 10, tooLarge)).toHaveLength(0);
  });

  it('rejects a longer one and reads no further', async () => {
    let read = 0;
    async function* endless() {
      for (;;) {
        read += 4;
        yield new Uint8Array(4);
      }
    }
    await expect(readCapped(endless(), 10, tooLarge)).rejects.toThrow('too large');
    expect(read).toBe(12);
  });
});
