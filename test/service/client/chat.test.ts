import { once } from 'node:events';
import { safeValidateWebSocketChatTransportRequest, type UIMessageChunk } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import * as module from '../../../client/steward-client.js';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';

// Its types are those of a browser.
const { StewardClient } = module as any;

const ANSWER: UIMessageChunk[] = [
  { type: 'start', messageId: 'answer' },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Hello' },
  { type: 'text-end', id: '0' },
  { type: 'finish' },
];

interface Asked {
  socket: WebSocket;
  frame: any;
  reply(...frames: object[]): void;
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A service that knows chats only. The AI SDK's own reader says whether a frame of the client is one of its transport's. */
async function chatting(answer: (asked: Asked) => void) {
  const clock = new TestClock();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const frames: any[] = [];
  server.on('connection', (socket) => {
    socket.on('message', async (data) => {
      const frame = JSON.parse(String(data));
      const reply = (...replies: object[]) => {
        for (const one of replies) socket.send(JSON.stringify({ requestId: frame.requestId, ...one }));
      };
      if (frame.type === 'authenticate')
        return reply({ type: 'ready', expiresAt: new Date(clock.now() + 3_600_000).toISOString(), seq: 0 });
      frames.push(frame);
      const { success } = await safeValidateWebSocketChatTransportRequest({ value: frame });
      if (!success) return reply({ type: 'error', errorText: 'not a frame of the SDK', error: { code: 'invalid_request' } });
      return answer({ socket, frame, reply });
    });
  });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const client = new StewardClient({ url: `http://127.0.0.1:${port}`, token: () => 'token', clock });
  stops.push(() => {
    client.close();
    server.close();
  });
  return { client, frames };
}

const asFrames = (chunks: UIMessageChunk[]) => chunks.map((chunk, sequence) => ({ type: 'chunk', sequence, chunk }));

describe('StewardClient’s chats', () => {
  it('send a message as the SDK’s transport does, and pass on the chunks of the answer', async () => {
    const { client, frames } = await chatting(({ reply }) => reply({ type: 'start' }, ...asFrames(ANSWER), { type: 'end' }));
    const chunks: UIMessageChunk[] = [];
    const message = { threadId: 'thread-1', text: 'Hi', model: 'stand-in', messageId: 'mine' };
    await client.chat(message, { onChunk: (chunk: UIMessageChunk) => chunks.push(chunk) });
    expect(chunks).toEqual(ANSWER);
    const messages = [{ id: 'mine', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
    expect(frames).toMatchObject([{ type: 'send', id: 'thread-1', trigger: 'submit-message', messages, body: { model: 'stand-in' } }]);
  });

  it('go on after a decision with the id of the assistant’s message', async () => {
    const { client, frames } = await chatting(({ reply }) => reply({ type: 'start' }, { type: 'end' }));
    await client.continueChat({ threadId: 'thread-1', messageId: 'answer' });
    expect(frames[0].messages).toMatchObject([{ id: 'answer', role: 'assistant' }]);
  });

  it('reject with the service’s code, in the middle of an answer too', async () => {
    const failure = { type: 'error', errorText: 'Today’s budget is used up.', error: { code: 'rate_limited', retryAfter: 60 } };
    const { client } = await chatting(({ reply }) => reply({ type: 'start' }, ...asFrames(ANSWER.slice(0, 2)), failure));
    await expect(client.chat({ threadId: 'thread-1', text: 'Hi' })).rejects.toMatchObject({
      code: 'rate_limited',
      message: failure.errorText,
      details: { retryAfter: 60 },
    });
  });

  it('resume an answer, and say if there is none', async () => {
    const { client } = await chatting(({ frame, reply }) =>
      frame.id === 'running' ? reply({ type: 'start' }, ...asFrames(ANSWER), { type: 'end' }) : reply({ type: 'no-active' }),
    );
    const chunks: UIMessageChunk[] = [];
    const onChunk = (chunk: UIMessageChunk) => void chunks.push(chunk);
    expect(await client.resumeChat('running', { onChunk })).toBe(true);
    expect(chunks).toEqual(ANSWER);
    expect(await client.resumeChat('over', { onChunk })).toBe(false);
  });

  it.each(['stopChat', 'signal'])('stop by %s with the SDK’s frame: the answer’s own request id, and no other answer’s', async (how) => {
    const asked: Asked[] = [];
    const { client } = await chatting((one) => {
      asked.push(one);
      if (one.frame.type !== 'abort') return one.reply({ type: 'start' }, ...asFrames(ANSWER.slice(0, 3)));
      return one.reply({ type: 'chunk', sequence: 3, chunk: { type: 'abort' } }, { type: 'end' });
    });
    const stop = new AbortController();
    const chunks: UIMessageChunk[] = [];
    const other = client.chat({ threadId: 'thread-2', text: 'Hi' });
    other.catch(() => {});
    const reading = client.chat(
      { threadId: 'thread-1', text: 'Hi' },
      { onChunk: (one: UIMessageChunk) => chunks.push(one), signal: stop.signal },
    );
    await eventually(() => chunks.length === 3);
    if (how === 'signal') stop.abort();
    else expect(client.stopChat('thread-1')).toBe(true);
    await reading;
    const sent = asked.find(({ frame }) => frame.type === 'send' && frame.id === 'thread-1');
    expect(asked.filter(({ frame }) => frame.type === 'abort').map(({ frame }) => frame)).toEqual([
      { type: 'abort', requestId: sent?.frame.requestId },
    ]);
    expect(chunks.at(-1)).toEqual({ type: 'abort' });
    expect(client.stopChat('thread-1')).toBe(false);
  });

  it('tell a lost answer from a lost resumption: only the latter may be repeated', async () => {
    const { client, frames } = await chatting(({ socket }) => socket.close(1012));
    await expect(client.chat({ threadId: 'thread-1', text: 'Hi' })).rejects.toMatchObject({ code: 'outcome_unknown', retryable: false });
    await expect(client.resumeChat('thread-1')).rejects.toMatchObject({ code: 'disconnected', retryable: true });
    expect(frames.map(({ type }) => type)).toEqual(['send', 'resume']);
  });
});
