import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { MessageStream } from '../../../public/console/chat/message-stream.js';

const descriptor = { approvalId: 'a1', action: 'mail.send', summary: 'Send to ana@example.com: “Lunch”' };
const output = { data: { items: [] }, meta: { account: 'demo@example.com', integrity: 'others' } };

/** An answer that does everything that answers do. */
const ANSWER: UIMessageChunk[] = [
  { type: 'start', messageId: 'm1', messageMetadata: { runId: 'r1', model: 'stand-in' } },
  { type: 'start-step' },
  { type: 'reasoning-start', id: '0' },
  { type: 'reasoning-delta', id: '0', delta: 'Let me look.' },
  { type: 'reasoning-end', id: '0' },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'I look ' },
  { type: 'text-delta', id: '0', delta: 'at your mail.' },
  { type: 'text-end', id: '0' },
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'mail_search' },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"max":1}' },
  { type: 'tool-input-available', toolCallId: 'c1', toolName: 'mail_search', input: { max: 1 } },
  { type: 'tool-input-available', toolCallId: 'c2', toolName: 'bank_balances', input: {} },
  { type: 'tool-input-error', toolCallId: 'c3', toolName: 'nothing', input: '{"', errorText: 'not_found: There is no such tool.' },
  { type: 'tool-output-error', toolCallId: 'c2', errorText: 'not_found: No bank is connected.' },
  { type: 'tool-output-available', toolCallId: 'c1', output },
  { type: 'finish-step' },
  { type: 'start-step' },
  { type: 'tool-input-available', toolCallId: 'c4', toolName: 'mail_send', input: { to: ['ana@example.com'] }, dynamic: true },
  { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c4', approvalDescriptor: descriptor, reason: descriptor.summary },
  { type: 'finish-step' },
  { type: 'finish', messageMetadata: { status: 'awaiting_approval' } },
];
const DENIED: UIMessageChunk[] = [
  { type: 'start', messageId: 'm1' },
  { type: 'tool-approval-response', approvalId: 'a1', approved: false },
  { type: 'tool-output-denied', toolCallId: 'c4' },
  { type: 'start-step' },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Then I don’t send it.' },
  { type: 'text-end', id: '0' },
  { type: 'finish-step' },
  { type: 'finish', messageMetadata: { status: 'done' } },
];

async function bySdk(chunks: UIMessageChunk[], message?: UIMessage): Promise<UIMessage | undefined> {
  const stream = ReadableStream.from(chunks) as ReadableStream<UIMessageChunk>;
  let last: UIMessage | undefined;
  for await (const one of readUIMessageStream({ stream, ...(message !== undefined && { message }) })) last = one;
  return last;
}

function fold(chunks: UIMessageChunk[], message?: UIMessage) {
  const stream = new MessageStream(message);
  for (const chunk of chunks) stream.add(chunk);
  return stream;
}

/** Without what the SDK keeps beside, and without undefined values. */
function plain(message: UIMessage | undefined): unknown {
  const { parts, ...rest } = JSON.parse(JSON.stringify(message)) as UIMessage;
  return { ...rest, parts: parts.map(({ rawInput: _, id: __, ...part }: any) => part) };
}

describe('MessageStream', () => {
  it('builds the message that the SDK’s reader builds, in one piece and after each chunk', async () => {
    expect(plain(fold(ANSWER).message)).toEqual(plain(await bySdk(ANSWER)));
    for (let length = 12; length < ANSWER.length; length += 1) {
      const part = ANSWER.slice(0, length);
      // The SDK's reader emits nothing for it.
      if (part.at(-1)?.type === 'start-step') continue;
      expect(plain(fold(part).message)).toEqual(plain(await bySdk(part)));
    }
  });

  it('continues a message after a decision as the SDK does', async () => {
    const before = (await bySdk(ANSWER)) as UIMessage;
    const continued = plain(fold(DENIED, before).message);
    expect(continued).toEqual(plain(await bySdk(DENIED, structuredClone(before))));
    expect(continued).toMatchObject({ metadata: { status: 'done', runId: 'r1' } });
  });

  it('removes a step that the model begins again', async () => {
    const chunks: UIMessageChunk[] = [...ANSWER.slice(0, 9), { type: 'reset-step' }, ...DENIED.slice(4)];
    expect(plain(fold(chunks).message)).toEqual(plain(await bySdk(chunks)));
  });

  it('keeps the error and the end by a stop, and ignores what it does not know', () => {
    const stream = fold([
      { type: 'start', messageId: 'm1' },
      { type: 'error', errorText: 'provider_error: The model is unavailable.' },
      { type: 'abort' },
      { type: 'source-url', sourceId: '1', url: 'https://example.com' },
      { type: 'text-delta', id: 'unknown', delta: 'lost' },
      { type: 'tool-output-available', toolCallId: 'unknown', output },
    ]);
    expect(stream).toMatchObject({ error: 'provider_error: The model is unavailable.', aborted: true, message: { id: 'm1', parts: [] } });
  });

  it('does not change the message that it continues', async () => {
    const before = (await bySdk(ANSWER)) as UIMessage;
    const copy = structuredClone(before);
    fold(DENIED, before);
    expect(before).toEqual(copy);
  });
});
