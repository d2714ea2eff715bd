import { describe, expect, it } from 'vitest';
import { singleMessage } from '../../../src/mcp/single-message.ts';

function read(body: string | object, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return singleMessage(new Request('http://localhost/mcp', { method: 'POST', body: text, headers }));
}

describe('the message of a body', () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };

  it.each([
    ['parameters', { ...call, params: null }, call],
    ['members of parameters', { ...call, params: { name: 'x', arguments: null, cursor: null } }, { ...call, params: { name: 'x' } }],
    ['what is meta', { ...call, params: { _meta: { progressToken: null, a: 0 } } }, { ...call, params: { _meta: { a: 0 } } }],
    ['members of a response', { jsonrpc: '2.0', id: 1, result: {}, error: null }, { jsonrpc: '2.0', id: 1, result: {} }],
  ])('leaves %s out that are null', async (_what, sent, message) => {
    expect(await read(sent)).toEqual({ message });
  });

  it.each([
    ['an id', { ...call, id: null }],
    ['an argument', { ...call, params: { name: 'x', arguments: { note: null } } }],
    ['a member of a list', { ...call, params: [null] }],
    ['what is empty', { ...call, params: { name: '', arguments: {}, cursor: 0, _meta: [] } }],
  ])('keeps %s', async (_what, message) => {
    expect(await read(message)).toEqual({ message });
  });

  it.each(['null', '"text"', '1', 'false'])('may be %s, which is no message', async (text) => {
    expect(await read(text)).toEqual({ message: JSON.parse(text) });
  });

  it('is read after a byte order mark', async () => {
    expect(await read(`\ufeff${JSON.stringify(call)}`)).toEqual({ message: call });
  });
});
