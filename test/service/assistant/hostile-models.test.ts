import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callsTools, type ModelScript, says } from '../../support/emulators/scripted-model.ts';
import { ChatScene, toolParts } from '../../support/scenes/chat-scene.ts';
import { ScriptedServer } from '../../support/servers/scripted-server.ts';
import { eventually } from '../../support/time/eventually.ts';
import { withinOneDay } from '../../support/time/within-one-day.ts';

const MEGABYTE = 1_000_000;
const KEY = 'sk-of-the-test';
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
let chat: ChatScene;

beforeAll(async () => {
  chat = await ChatScene.start({ MODEL_BUDGET_TOKENS_PER_DAY: '1000000', OPENAI_API_KEY: KEY }, { inputPrice: 1, outputPrice: 1 });
});
beforeEach(() => chat.reset());
afterAll(() => chat.stop());

function event(choice: object, more: object = {}): string {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'test-1' };
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }], ...more })}\n\n`;
}

function writes(...texts: (string | Buffer)[]): ModelScript {
  return (response) => {
    response.writeHead(200, EVENTS);
    for (const text of texts) response.write(text);
    response.end();
  };
}

/** Writes as long as somebody reads. @returns how many megabytes it has written */
function floods(status: number, first: string, megabytes = 100): { script: ModelScript; written: () => number } {
  let written = 0;
  const script: ModelScript = async (response) => {
    response.writeHead(status, status === 200 ? EVENTS : JSON_TYPE);
    response.write(first);
    const one = Buffer.alloc(MEGABYTE, 'x');
    for (; written < megabytes && !response.destroyed; written += 1) {
      if (response.write(one)) continue;
      const { promise, resolve } = Promise.withResolvers<void>();
      response.once('drain', resolve).once('close', resolve);
      await promise;
      response.off('drain', resolve).off('close', resolve);
    }
    response.end();
  };
  return { script, written: () => written };
}

async function usedBy(token: string) {
  const { steps, tokens, cost } = (await chat.steward.call('/models', { token })).body.budget;
  return { steps: steps.used, tokens: tokens.used, cost: cost.used };
}

describe('numbers of tokens', () => {
  it.each([
    ['negative', { prompt_tokens: -1e6, completion_tokens: -1e6, total_tokens: -2e6 }],
    ['huge', { prompt_tokens: 1e308, completion_tokens: 1e308, total_tokens: 1e308 }],
    ['fractions', { prompt_tokens: 5000.5, completion_tokens: 0.25, total_tokens: 5001 }],
    ['missing', null],
  ])('that are %s count as what they can be', (_name, usage) =>
    withinOneDay(chat.steward, async () => {
      chat.reset();
      const frontEnd = await chat.frontEnd();
      chat.model.script(writes(event({ delta: { content: 'Hi.' } }), event({ finish_reason: 'stop' }, { usage }), 'data: [DONE]\n\n'));
      const { error } = await frontEnd.say('Hi');
      expect(error).toBeUndefined();
      expect((await frontEnd.stored()).run?.status).toBe('done');
      const { steps, tokens, cost } = await usedBy(frontEnd.user.token);
      expect(steps).toBe(1);
      // The request alone, with its tools, has some thousand.
      expect(tokens).toBeGreaterThan(1_000);
      expect(tokens).toBeLessThan(100_000);
      expect(cost).toBeCloseTo(tokens / MEGABYTE);
    }),
  );

  it('of a step that the user stops are used all the same', () =>
    withinOneDay(chat.steward, async () => {
      chat.reset();
      const frontEnd = await chat.frontEnd();
      chat.model.script((response) => {
        response.writeHead(200, EVENTS);
        response.write(event({ delta: { content: 'x'.repeat(4_000) } }));
      });
      const answer = frontEnd.say('Hi');
      const isWritten = async () =>
        (await chat.steward.sql('select 1 from run_chunks where user_id = $1 and length(chunks) > 4000', [frontEnd.user.userId])).length >
        0;
      await eventually(isWritten);
      await chat.steward.call(`/chat/${frontEnd.thread}/stream`, { method: 'DELETE', token: frontEnd.user.token });
      const { message } = await answer;
      expect(message.metadata).toMatchObject({ status: 'cancelled', usage: { steps: 1 } });
      const { steps, tokens } = await usedBy(frontEnd.user.token);
      expect(steps).toBe(1);
      expect(tokens).toBeGreaterThan(2_000);
    }));
});

describe('a model’s response', () => {
  it('is not followed to another host, which would get the conversation', async () => {
    const other = await new ScriptedServer().start();
    other.on('*', { status: 200, body: {} });
    chat.model.always = (response) => response.writeHead(307, { location: `${other.url}/v1/chat/completions` }).end();
    const frontEnd = await chat.frontEnd();
    const { error } = await frontEnd.say('Secret words');
    expect(error).toContain('could not be reached');
    expect(other.calls).toHaveLength(0);
    await other.stop();
  });

  it.each([
    ['one line without an end', 200, 'data: '],
    ['an error without an end', 400, '{"error":{"message":"'],
  ])('that is %s is read to a limit', async (_name, status, first) => {
    const { script, written } = floods(status, first);
    chat.model.always = script;
    const frontEnd = await chat.frontEnd();
    const { error } = await frontEnd.say('Hi');
    expect(error).toContain('model test');
    expect(written()).toBeLessThan(60);
  });

  it('that alternates between text and thoughts ends at a limit', async () => {
    const frontEnd = await chat.frontEnd('DefaultChatTransport');
    chat.model.script(writes((event({ delta: { reasoning_content: 'r' } }) + event({ delta: { content: 't' } })).repeat(10_000)));
    const { error, message } = await frontEnd.say('Hi');
    expect(error).toContain('answer is too long');
    expect((await frontEnd.stored()).messages.at(-1)).toEqual(message);
  });

  it('of bytes that are no text is stored as it was shown', async () => {
    const frontEnd = await chat.frontEnd();
    const [before, after] = event({ delta: { content: 'a\u0000\ud800|b' } }).split('|');
    chat.model.script(writes(`${before}`, Buffer.from([0xff, 0xfe]), `${after}`, event({ finish_reason: 'stop' })));
    const { error, message } = await frontEnd.say('Hi');
    expect(error).toBeUndefined();
    expect((await frontEnd.stored()).messages.at(-1)).toEqual(message);
  });
});

describe('half of a character of a model', () => {
  const wellFormedJson = (value: unknown) =>
    JSON.stringify(value)
      .replaceAll('\\\\', '')
      .match(/\\ud[89a-f]/i) === null;

  it('is joined with the other half, if that comes in the next piece', async () => {
    const frontEnd = await chat.frontEnd();
    const pieces = ['Done \ud83d', '\ude00', '\ud83d', ' and \ude00'].map((content) => event({ delta: { content } }));
    chat.model.script(writes(...pieces, event({ finish_reason: 'stop' })), says('Ok.'));
    const { error, message } = await frontEnd.say('Hi');
    expect(error).toBeUndefined();
    expect(message.parts.filter(({ type }) => type === 'text')).toMatchObject([{ text: 'Done 😀\ufffd and \ufffd' }]);
    expect((await frontEnd.stored()).messages.at(-1)).toEqual(message);
    await frontEnd.say('And?');
    expect(wellFormedJson(chat.model.calls.at(-1)?.body)).toBe(true);
  });

  it('in arguments is refused, and neither stored nor sent on', async () => {
    const frontEnd = await chat.frontEnd();
    chat.model.script(callsTools([{ name: 'test_return', input: '{"text":"a\\ud83d"}' }]), says('Ok.'));
    const { message } = await frontEnd.say('Hi');
    expect(toolParts(message)).toMatchObject([
      {
        state: 'output-error',
        input: { text: 'a\ufffd' },
        errorText: expect.stringContaining('text: must not contain half of a character'),
      },
    ]);
    expect((await frontEnd.stored()).messages.at(-1)).toEqual(message);
    expect(wellFormedJson(chat.model.calls.at(-1)?.body)).toBe(true);
  });
});

describe('a model’s call', () => {
  it.each([200, 10_000])('with arguments of %d levels is not made, and the thread goes on', async (levels) => {
    const frontEnd = await chat.frontEnd();
    chat.model.script(callsTools([{ name: 'test_return', input: `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}` }]));
    const { error, message } = await frontEnd.say('Hi');
    expect(error).toContain('too many levels');
    expect(toolParts(message)).toMatchObject([{ state: 'output-error', errorText: expect.stringContaining('aborted') }]);
    expect((await frontEnd.stored()).run).toMatchObject({ status: 'failed', error: 'provider_error' });
    expect((await frontEnd.say('And now?')).error).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'test\u0000_return', 'test.return'])('of a tool named %j is told not to exist', async (name) => {
    const frontEnd = await chat.frontEnd();
    chat.model.script(callsTools([{ name, input: {} }]), says('Ok.'));
    const { error, message } = await frontEnd.say('Hi');
    expect(error).toBeUndefined();
    expect(toolParts(message)).toMatchObject([{ state: 'output-error', errorText: expect.stringContaining('unavailable tool') }]);
    expect((await frontEnd.stored()).messages.at(-1)).toEqual(message);
  });

  it('can’t change the prototype of objects', async () => {
    const frontEnd = await chat.frontEnd();
    const input = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}';
    chat.model.script(callsTools([{ name: 'test_return', input }]), says('Ok.'));
    expect((await frontEnd.say('Hi')).error).toBeUndefined();
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it.each(['same', '', 'a\u0000b', 'x'.repeat(MEGABYTE)])('of two with one id is made like the other', async (id) => {
    const frontEnd = await chat.frontEnd();
    const calls = ['bob@example.com', 'eve@example.com'].map((to) => ({ name: 'test_send', input: { to: [to] }, id }));
    chat.model.script(callsTools(calls), says('Ok.'));
    const { message } = await frontEnd.say('Hi');
    expect(toolParts(message)).toMatchObject(calls.map(({ input }) => ({ input, state: 'output-available' })));
    expect(chat.scene.sent).toBe(2);
  });
});

describe('a model that numbers its calls anew', () => {
  it('keeps the record of an approved call when the answer goes on', async () => {
    chat.scene.policies.set('test.send', { approval: 'always' });
    chat.model.script(callsTools([{ name: 'test_send', input: { to: ['bob@example.com'] }, id: 'call_1' }]));
    const frontEnd = await chat.frontEnd();
    const { message } = await frontEnd.say('Write to Bob');
    const approvalId = toolParts(message)[0]?.approval.id;
    await frontEnd.decide(approvalId, true);
    frontEnd.respond(approvalId, true);
    chat.model.script(callsTools([{ name: 'test_return', input: {}, id: 'call_1' }]), says('Sent.'));
    const { message: continued } = await frontEnd.submit();
    expect(toolParts(continued)).toMatchObject([
      { toolName: 'test_send', input: { to: ['bob@example.com'] }, state: 'output-available' },
      { toolName: 'test_return', state: 'output-available' },
    ]);
    expect((await frontEnd.stored()).messages.at(-1)?.parts).toHaveLength(continued.parts.length);
    await frontEnd.say('And now?');
    const ids = chat.model.lastMessages.flatMap(({ tool_calls }) => tool_calls ?? []).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('a thread with a call that no provider would take', () => {
  it.each([
    ['arguments that are text', 'test_return', '{"a": nonsense'],
    ['arguments that are a list', 'test_return', '[1]'],
    ['arguments that are null', 'test_return', 'null'],
    ['a name with other characters', 'test return\u0000', '{}'],
    ['a name that is too long', 'x'.repeat(100), '{}'],
  ])('because of %s is told in a form that they take', async (_name, name, input) => {
    const frontEnd = await chat.frontEnd();
    chat.model.script(callsTools([{ name, input }]), says('I failed.'));
    await frontEnd.say('Hi');
    await frontEnd.say('Again');
    const told = chat.model.lastMessages.flatMap(({ tool_calls }) => tool_calls ?? []).map(({ function: called }) => called);
    expect(told).toEqual([{ name: expect.stringMatching(/^[\w-]{1,64}$/), arguments: expect.stringMatching(/^\{.*\}$/) }]);
  });
});

describe('a file that a model sends', () => {
  it('is no part of the answer', async () => {
    const server = await new ScriptedServer().start();
    const part = (content: object) => `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [content] } }] })}\n\n`;
    const file = part({ inlineData: { mimeType: 'text/html', data: Buffer.from('<script>alert(1)</script>').toString('base64') } });
    server.on('*', (response) => response.writeHead(200, EVENTS).end(part({ text: 'Look.' }) + file));
    const models = [{ name: 'other', provider: 'google', model: 'other-1', baseUrl: `${server.url}/v1beta` }];
    const google = await ChatScene.start({ GOOGLE_GENERATIVE_AI_API_KEY: 'key', MODELS: JSON.stringify(models) });
    const frontEnd = await google.frontEnd();
    const { message } = await frontEnd.say('Hi');
    expect(message.parts.map(({ type }) => type)).toEqual(['step-start', 'text']);
    expect((await frontEnd.stored()).messages.at(-1)).toEqual(message);
    await google.stop();
    await server.stop();
  });
});

describe('the log', () => {
  it('has neither the key nor the conversation, however a model fails', async () => {
    const frontEnd = await chat.frontEnd();
    const secret = 'Confidential-words';
    const echo = { error: { message: `${secret} ${KEY}` } };
    chat.model.script(
      writes(event({ delta: { content: secret } }), 'data: {"error":{"message":"Confidential-words"}}\n\n'),
      writes(`data: ${secret}\n\n`),
      callsTools([{ name: 'test_return', input: `{"a": ${secret}` }]),
      callsTools([{ name: secret, input: { secret } }]),
    );
    for (let times = 0; times < 4; times += 1) await frontEnd.say(`${secret} ${times}`);
    chat.model.always = (response) => response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(echo));
    await frontEnd.say(secret);
    expect(chat.model.calls.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    const log = chat.steward.logs.join('');
    expect(log).toContain('a model failed');
    expect(log).not.toContain(secret);
    expect(log).not.toContain(KEY);
  });
});
