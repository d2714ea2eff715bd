import { describe, expect, it } from 'vitest';
import { Conversation } from '../../../public/console/chat/chat-conversation.js';

const asked = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Tell me' }] };
const answer = { id: 'm2', role: 'assistant', parts: [], metadata: { runId: 'r1', model: 'stand-in' } };

/** A page that shows these messages. @param isReading whether its socket reads an answer of the thread @returns what stopping it requests */
async function stopping(messages: object[], isReading: boolean): Promise<string[]> {
  const requests: string[] = [];
  const client = Object.assign(new EventTarget(), { stopChat: () => isReading });
  const session = {
    client,
    signal: new AbortController().signal,
    async request(method: string, path: string) {
      requests.push(`${method} ${path}`);
    },
  };
  const conversation = new Conversation(session, 't1');
  conversation.messages = messages;
  await conversation.stop();
  return requests;
}

describe('stopping an answer on the page', () => {
  it('stops the answer that is shown, not one that another page has begun since', async () => {
    expect(await stopping([asked, answer], false)).toEqual(['DELETE /chat/t1/stream?run=r1']);
  });

  it('stops whichever is under way before anything of it is shown', async () => {
    expect(await stopping([asked], false)).toEqual(['DELETE /chat/t1/stream']);
  });

  it('stops the one that the page reads by its socket', async () => {
    expect(await stopping([asked, answer], true)).toEqual([]);
  });
});
