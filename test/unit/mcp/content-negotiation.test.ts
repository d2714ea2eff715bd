import { describe, expect, it } from 'vitest';
import { isAccepted, negotiated } from '../../../src/mcp/content-negotiation.ts';

describe('an Accept header', () => {
  it.each<[string, boolean, boolean]>([
    ['', true, true],
    [' , ', true, true],
    ['*/*', true, true],
    // What clients older than RFC 7231 mean by it.
    ['*', true, true],
    ['text/html, *; q=.2', true, true],
    ['*;q=0', false, false],
    ['application/json;q=0, *', false, true],
    ['application/json', true, false],
    ['text/event-stream', false, true],
    ['application/json, text/event-stream', true, true],
    ['text/event-stream,application/json', true, true],
    ['APPLICATION/JSON;Q=0.5 , Text/Event-Stream', true, true],
    ['application/json;charset=utf-8, text/event-stream; charset="utf-8"', true, true],
    ['application/*', true, false],
    ['text/*;q=0.001', false, true],
    ['text/html, */*;q=0.1', true, true],
    ['text/html', false, false],
    ['application/json;q=0', false, false],
    ['application/json;q=0, */*', false, true],
    ['*/*, text/event-stream;q=0.000', true, false],
    ['application/json, */*;q=0', true, false],
    ['application/*;q=0, application/json;q=1', true, false],
    ['application/json ; q = 0, application/json', true, false],
    ['*/*;q=0', false, false],
    ['application/json;q=0, text/event-stream;q=0.0', false, false],
    ['application/json;q=0.01', true, false],
    ['text/plain;note="a, application/json"', false, false],
    ['application/jsonx, xtext/event-stream', false, false],
  ])('%j admits JSON: %j, events: %j', (accept, json, events) => {
    expect([isAccepted('application/json', accept), isAccepted('text/event-stream', accept)]).toEqual([json, events]);
  });

  it('may be as long as headers are', () => {
    expect(isAccepted('application/json', `${'"\\'.repeat(8_000)},${'a;q=0 '.repeat(2_000)},application/json`)).toBe(true);
  });
});

describe('a response', () => {
  const request = (accept: string) => new Request('http://127.0.0.1/mcp', { method: 'POST', headers: { accept } });
  const stream = (text: string) => new Response(text, { headers: { 'content-type': 'text/event-stream' } });

  it('that is a stream is its last message to who takes no stream', async () => {
    const text = 'event: message\ndata: {"method":"notifications/progress"}\n\n: \n\nevent: message\ndata: {"id":1,"result":{}}\n\n';
    const response = await negotiated(request('application/json'), false, async () => stream(text));
    expect([response.headers.get('content-type'), await response.json()]).toEqual(['application/json', { id: 1, result: {} }]);
  });

  it('is the answer, also if more is told after it', async () => {
    const text = 'data: {"id":1,"error":{"code":1,"message":"x"}}\n\ndata: {"method":"notifications/message","params":{"result":1}}\n\n';
    const response = await negotiated(request('application/json'), false, async () => stream(text));
    expect(await response.json()).toEqual({ id: 1, error: { code: 1, message: 'x' } });
  });

  it.each([
    ['message', ': \n\n'],
    ['answer', 'data: {"method":"notifications/progress","params":{"error":1}}\n\ndata: {"id":1,"method":"ping"}\n\n'],
  ])('that has no %s is an error', async (_what, text) => {
    const response = await negotiated(request('application/json'), false, async () => stream(text));
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: -32_603 } });
  });
});
