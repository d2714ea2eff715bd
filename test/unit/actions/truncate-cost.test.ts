import { describe, expect, it } from 'vitest';
import { truncateOutput } from '../../../src/actions/shared/truncate-output.ts';

describe('cutting a result', () => {
  it('measures each part once, however deep it lies', () => {
    let reads = 0;
    const items = new Proxy(
      Array.from({ length: 5_000 }, (_, index) => index),
      {
        get(target, name, receiver) {
          if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
          return Reflect.get(target, name, receiver);
        },
      },
    );
    let value: unknown = items;
    for (let level = 0; level < 90; level += 1) value = { inside: value, beside: 'x'.repeat(300) };
    const { leftOut } = truncateOutput(value, 40_000);
    expect(leftOut).not.toEqual([]);
    expect(reads).toBeLessThan(10 * items.length);
  });

  it('keeps as much of a text as fits, whatever its characters', () => {
    for (const piece of ['x', 'é', '😀', '\u0001', '"', '\ud83d']) {
      const { value } = truncateOutput({ text: piece.repeat(50_000) }, 10_000);
      const bytes = Buffer.byteLength(JSON.stringify(value));
      expect(bytes).toBeLessThanOrEqual(10_000);
      expect(bytes).toBeGreaterThan(10_000 - 20);
    }
  });
});
