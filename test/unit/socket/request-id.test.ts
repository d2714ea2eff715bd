import { afterEach, describe, expect, it, vi } from 'vitest';
import { requestIdIn } from '../../../src/socket/frames/request-id.ts';

afterEach(() => void vi.restoreAllMocks());

describe('the request id of a frame that is not parsed', () => {
  it.each([
    ['at the first level, wherever it stands', '{"a":{"requestId":"inner"},"requestId" : "one","b":[1,2]}', 'one'],
    ['after a text of that name', '{"a":"requestId","requestId":"one"}', 'one'],
    ['at the end of what is too much', `{"a":[${'[],'.repeat(100_000)}1],"requestId":"last"}`, 'last'],
    ['at the end of a text of megabytes', `{"a":"${'x'.repeat(1_000_000)}","requestId":"last"}`, 'last'],
    ['with letters of several bytes', '{"requestId":"é\\u00e9"}', 'éé'],
    ['that is missing', '{"a":{"requestId":"inner"}}', undefined],
    ['that is no string', '{"requestId":1}', undefined],
    ['in a text without an end', `{"a":"${'x'.repeat(5_000)}\\`, undefined],
  ])('is one %s', (_where, text, id) => {
    expect(requestIdIn(Buffer.from(text))).toBe(id);
  });

  it.each(['x', '\\"', '\\\\', 'é[{', '\\u00e9,'])('follows a text of %j', (piece) => {
    for (const times of [1, 2, 255, 256, 257]) {
      expect(requestIdIn(Buffer.from(`{"a":"${piece.repeat(times)}","requestId":"one","b":{}}`))).toBe('one');
    }
  });

  it('is parsed once, however many are called so', () => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(requestIdIn(Buffer.from(`{${'"requestId":"\\q",'.repeat(10_000)}"requestId":"last"}`))).toBeUndefined();
    expect(parse).toHaveBeenCalledTimes(1);
  });
});
