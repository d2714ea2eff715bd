import { afterEach, describe, expect, it, vi } from 'vitest';
import { scanJson } from '../../../src/validation/json-scan.ts';

afterEach(() => void vi.restoreAllMocks());

describe('a scan of JSON', () => {
  it('finds the request id at the first level, wherever it stands', () => {
    const text = '{"a":{"requestId":"inner"},"requestId" : "one","b":[1,2]}';
    expect(scanJson(Buffer.from(text))).toEqual({ depth: 2, values: 7, requestId: 'one' });
  });

  it('parses one string only, however many are called the request id', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const text = Buffer.from(`{${'"requestId":"\\q",'.repeat(10_000)}"requestId":"last"}`);
    expect(scanJson(text).requestId).toBeUndefined();
    expect(parse).toHaveBeenCalledTimes(1);
  });
});
