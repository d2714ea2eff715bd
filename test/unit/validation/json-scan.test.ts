import { afterEach, describe, expect, it, vi } from 'vitest';
import { scanJson } from '../../../src/validation/json-scan.ts';

afterEach(() => void vi.restoreAllMocks());

describe('a scan of JSON', () => {
  it('finds the request id at the first level, wherever it stands', async () => {
    const text = '{"a":{"requestId":"inner"},"requestId" : "one","b":[1,2]}';
    expect(await scanJson(Buffer.from(text))).toEqual({ depth: 2, values: 7, requestId: 'one' });
  });

  it('parses one string only, however many are called the request id', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const text = Buffer.from(`{${'"requestId":"\\q",'.repeat(10_000)}"requestId":"last"}`);
    expect((await scanJson(text)).requestId).toBeUndefined();
    expect(parse).toHaveBeenCalledTimes(1);
  });
});

describe('a scan of a long text', () => {
  it.each(['x', '\\"', '\\\\', `${'x'.repeat(300)}\\"`, 'é[{', `\\u00e9,`])('of %j finds its end', async (piece) => {
    for (const times of [1, 2, 100, 255, 256, 257, 1_000]) {
      const text = Buffer.from(`{"a":"${piece.repeat(times)}","requestId":"one"}`);
      expect(await scanJson(text)).toEqual({ depth: 1, values: 3, requestId: 'one' });
    }
  });

  it('that has no end ends with it', async () => {
    expect((await scanJson(Buffer.from(`{"a":"${'x'.repeat(5_000)}\\`))).requestId).toBeUndefined();
  });

  it('ends at the first excess, and after its steps', async () => {
    const lists = Buffer.from(`{"a":[${'[],'.repeat(1_000_000)}`);
    expect((await scanJson(lists)).values).toBeLessThan(33_000);
    expect((await scanJson(lists, 100)).values).toBeLessThan(100);
    const long = Buffer.from(`{"a":"${'x'.repeat(1_000_000)}","requestId":"last"}`);
    expect((await scanJson(long, 100)).requestId).toBe('last');
  });
});
