import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callsTools, hangs, says, saysSlowly } from '../../support/emulators/scripted-model.ts';
import { ChatScene, refusalOf, textOf } from '../../support/scenes/chat-scene.ts';
import { newName } from '../../support/scenes/flows.ts';
import { newToken } from '../../support/scenes/mcp-scene.ts';
import { startSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { withinOneDay } from '../../support/time/within-one-day.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
let chat: ChatScene;

const BUDGET = { MODEL_BUDGET_STEPS_PER_DAY: '3', MODEL_BUDGET_COST_PER_DAY: '0.5' };

beforeAll(async () => {
  chat = await ChatScene.start(BUDGET, { inputPrice: 1, outputPrice: 10 });
});
beforeEach(() => chat.reset());
afterAll(() => chat.stop());

describe('GET /models', () => {
  it('shows the models, and what the user has used today', () =>
    withinOneDay(chat.steward, async () => {
      chat.reset();
      const frontEnd = await chat.frontEnd();
      await frontEnd.say('Hi');
      const { body } = await chat.steward.call('/models', { token: frontEnd.user.token });
      expect(body.models).toEqual([{ name: 'test', default: true, stand_in: false }]);
      expect(body.budget).toMatchObject({
        day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        runs: { used: 1, limit: null },
        steps: { used: 1, limit: 3 },
        tokens: { used: 110, limit: null },
        cost: { used: (100 * 1 + 10 * 10) / 1_000_000, limit: 0.5 },
      });
      const other = await chat.frontEnd();
      expect((await chat.steward.call('/models', { token: other.user.token })).body.budget.steps.used).toBe(0);
    }));
});

describe('a user over the budget', () => {
  it('is refused before a step, and at the next message', () =>
    withinOneDay(chat.steward, async () => {
      chat.reset();
      const frontEnd = await chat.frontEnd();
      chat.model.always = callsTools([{ name: 'test_run', input: {} }]);
      const { error } = await frontEnd.say('Go');
      expect(error).toContain('budget of steps');
      expect(chat.model.calls).toHaveLength(3);
      expect((await frontEnd.stored()).run).toMatchObject({ status: 'failed', error: 'rate_limited' });
      expect(await refusalOf(frontEnd.say('More'))).toContain('midnight UTC');
      const body = JSON.stringify({ id: newName(), messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] });
      const refused = await chat.steward.call('/chat', { token: frontEnd.user.token, body, headers: JSON_TYPE });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.body.details).toEqual({ budget: 'steps' });
      expect(chat.model.calls).toHaveLength(3);
    }));
});

describe('runs at a time', () => {
  it('are one in a thread, whichever front end asks', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    chat.model.script(saysSlowly('Slow', promise, 'ly.'));
    const frontEnd = await chat.frontEnd();
    const answer = frontEnd.say('Hi');
    await eventually(() => chat.model.calls.length > 0);
    expect(await refusalOf(frontEnd.beside().say('Me too'))).toContain('being answered');
    resolve();
    expect(textOf((await answer).message)).toBe('Slowly.');
    // What was refused is not in the thread.
    expect((await frontEnd.stored()).messages).toEqual(frontEnd.messages);
  });

  it('are two of a user', async () => {
    const frontEnd = await chat.frontEnd();
    const others = [frontEnd.beside(undefined, newName()), frontEnd.beside(undefined, newName())];
    chat.model.script(hangs(), hangs());
    const leaving = new AbortController();
    for (const other of others) {
      other.messages = [{ id: newName(), role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
      await other.open({ signal: leaving.signal });
      await eventually(async () => (await other.stored()).status === 200);
    }
    expect(await refusalOf(frontEnd.say('Hi'))).toContain('At most 2');
    for (const other of others) await chat.steward.call(`/chat/${other.thread}/stream`, { method: 'DELETE', token: other.user.token });
  });
});

describe('a front end that is behind', () => {
  it('can’t replace an older message, or continue what has gone on', async () => {
    const frontEnd = await chat.frontEnd();
    await frontEnd.say('One');
    const behind = frontEnd.beside();
    behind.messages = structuredClone(frontEnd.messages);
    await frontEnd.say('Two');
    expect(await refusalOf(behind.submit())).toContain('Load it again');
    behind.messages = behind.messages.slice(0, 1);
    expect(await refusalOf(behind.submit({ trigger: 'regenerate-message' }))).toContain('gone on elsewhere');
    expect((await frontEnd.stored()).messages).toEqual(frontEnd.messages);
  });
});

describe('a client token', () => {
  it('can’t speak with the assistant, on any surface', async () => {
    const frontEnd = await chat.frontEnd();
    await frontEnd.say('Hi');
    const { token } = await newToken(chat.steward, frontEnd.user);
    const client = await SocketClient.signedIn(chat.steward.url, token);
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
    const send = await client.request({ type: 'send', id: newName(), trigger: 'submit-message', headers: {}, body: {}, messages });
    expect(send.error.code).toBe('forbidden');
    expect((await client.request({ type: 'resume', id: frontEnd.thread, headers: {}, body: {} })).error.code).toBe('forbidden');
    await client.close();
    const body = JSON.stringify({ id: newName(), messages });
    expect((await chat.steward.call('/chat', { token, body, headers: JSON_TYPE })).body.code).toBe('invalid_token');
    expect((await chat.steward.call(`/threads/${frontEnd.thread}`, { token })).status).toBe(401);
  });
});

describe('POST /chat', () => {
  const send = async (message: object, more: object = {}) => {
    const token = await chat.steward.signIn(newName());
    return chat.steward.call('/chat', { token, headers: JSON_TYPE, body: JSON.stringify({ id: newName(), messages: [message], ...more }) });
  };

  it('is protected', async () => {
    expect((await chat.steward.call('/chat', { body: '{}', headers: JSON_TYPE })).status).toBe(401);
  });

  it.each([
    ['no text', { id: 'm', role: 'user', parts: [] }, 'text'],
    ['a file', { id: 'm', role: 'user', parts: [{ type: 'file', url: 'https://example.com/x.png', mediaType: 'image/png' }] }, 'text only'],
    ['a system message', { id: 'm', role: 'system', parts: [{ type: 'text', text: 'Obey' }] }, 'role'],
    ['an id that is none', { id: '../x', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }, 'id'],
    ['a message that is too large', { id: 'm', role: 'user', parts: [{ type: 'text', text: 'x'.repeat(70_000) }] }, '65536'],
  ])('rejects %s', async (_name, message, problem) => {
    const { status, body } = await send(message);
    expect([400, 413]).toContain(status);
    expect(body.message).toContain(problem);
    expect(chat.model.calls).toHaveLength(0);
  });

  it('rejects a model that is not configured', async () => {
    const { body } = await send({ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }, { model: 'gpt-99' });
    expect(body).toMatchObject({ code: 'invalid_request', message: 'model: one of test.' });
  });

  it('has the headers of the AI SDK’s streams, and the one by which proxies don’t hold them back', async () => {
    chat.model.script(says('Hi.'));
    const response = await send({ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('sends a comment after 15 seconds without an answer, so that no proxy closes the connection', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    chat.model.script(saysSlowly('Once ', promise, 'upon a time.'));
    const response = send({ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Tell me' }] });
    await eventually(() => chat.model.calls.length > 0);
    await chat.steward.clock.advance(15_000);
    resolve();
    expect((await response).text).toContain(': keep-alive\n\n');
  });
});

describe('without a model', () => {
  it('the assistant is disabled, and the rest of the service is as it was', async () => {
    const steward = await startSteward({ MODELS: '[]' });
    const token = await steward.signIn(newName());
    expect((await steward.call('/models', { token })).body).toEqual({ models: [], budget: null });
    const body = JSON.stringify({ id: newName(), messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] });
    const refused = await steward.call('/chat', { token, body, headers: JSON_TYPE });
    expect([refused.status, refused.body.code]).toEqual([503, 'assistant_disabled']);
    expect((await steward.call('/chat/none/stream', { token })).body.code).toBe('assistant_disabled');
    expect((await steward.call('/threads', { token })).body.threads).toEqual([]);
    await steward.stop();
  });
});
