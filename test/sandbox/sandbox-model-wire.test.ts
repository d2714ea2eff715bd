import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostSandbox, type SandboxHost, temporaryDirectory } from '../support/emulators/sandbox-host.ts';
import { eventsOf, everyTool, postChat } from '../support/servers/chat-completions.ts';

let host: SandboxHost;
let tools: object[];
const directory = temporaryDirectory();

beforeAll(async () => {
  host = await hostSandbox(directory.path);
  tools = await everyTool();
});

afterAll(async () => {
  await host.stop();
  directory.remove();
});

const say = (content: string) => [{ role: 'user', content }];

describe('POST /sandbox/model/v1/chat/completions', () => {
  it('answers in JSON, with usage', async () => {
    const response = await postChat(host.url, { messages: say('Hello') });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'stand-in',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: expect.stringContaining('stand-in') } }],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    });
  });

  it('rejects half of a character, like vendors', async () => {
    const response = await postChat(host.url, { messages: say('Hello \ud83d') });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining('surrogate') },
    });
  });

  it('streams text as deltas, then the reason, usage if asked for, and [DONE]', async () => {
    const body = { messages: say('Hello'), stream: true, stream_options: { include_usage: true } };
    const response = await postChat(host.url, body);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = eventsOf(await response.text());
    const whole: any = await (await postChat(host.url, { messages: say('Hello') })).json();
    const deltas = events.slice(0, -2).map(({ choices }) => choices[0]);
    expect(deltas[0].delta).toEqual({ role: 'assistant', content: '' });
    expect(deltas.length).toBeGreaterThan(10);
    expect(deltas.map(({ delta }) => delta.content ?? '').join('')).toBe(whole.choices[0].message.content);
    expect(deltas.map(({ finish_reason: reason }) => reason)).toEqual([...deltas.slice(1).map(() => null), 'stop']);
    expect(events.at(-2)).toMatchObject({ object: 'chat.completion.chunk', choices: [], usage: whole.usage });
    expect(events.at(-1)).toBe('[DONE]');
    expect(new Set(events.slice(0, -1).map(({ id }) => id)).size).toBe(1);
    expect(eventsOf(await (await postChat(host.url, { ...body, stream_options: null })).text()).filter((one) => one.usage)).toEqual([]);
  });

  it('streams calls in pieces, several with their own index and id', async () => {
    const response = await postChat(host.url, { messages: say('What is my balance and what is on my calendar?'), tools, stream: true });
    const choices = eventsOf(await response.text())
      .slice(0, -1)
      .map((event) => event.choices[0]);
    const pieces = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
    const begun = pieces.filter(({ id }) => id !== undefined);
    expect(begun.map(({ index, type, function: { name } }) => ({ index, type, name }))).toEqual([
      { index: 0, type: 'function', name: 'bank_balances' },
      { index: 1, type: 'function', name: 'calendar_list' },
    ]);
    expect(new Set(begun.map(({ id }) => id)).size).toBe(2);
    const written = (index: number) =>
      pieces
        .filter((piece) => piece.index === index)
        .map((piece) => piece.function.arguments)
        .join('');
    expect([written(0), written(1)].map((one) => JSON.parse(one))).toEqual([{}, {}]);
    expect(choices.at(-1)).toEqual({ index: 0, delta: {}, finish_reason: 'tool_calls' });
  });

  it('gives the same answer to the same request, and other ids of calls in another turn', async () => {
    const ask = async (messages: object[]) => ((await (await postChat(host.url, { messages, tools })).json()) as any).choices[0].message;
    const first = await ask(say('List my labels'));
    expect(await ask(say('List my labels'))).toEqual(first);
    const again = await ask([...say('List my labels'), { role: 'assistant', content: 'Done.' }, ...say('List my labels')]);
    expect(again.tool_calls[0].function).toEqual(first.tool_calls[0].function);
    expect(again.tool_calls[0].id).not.toBe(first.tool_calls[0].id);
  });

  it('ends at max_tokens, with the reason', async () => {
    const { choices }: any = await (await postChat(host.url, { messages: say('Be over-long'), max_tokens: 10 })).json();
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: expect.stringMatching(/^.{40}$/) } });
  });

  it.each([
    ['no messages', { messages: [] }],
    ['an unknown role', { messages: [{ role: 'robot', content: 'x' }] }],
    ['tools of another kind', { messages: say('x'), tools: [{ type: 'retrieval' }] }],
  ])('rejects %s in the format of the API', async (_name, body) => {
    const response = await postChat(host.url, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param: null, code: null },
    });
  });

  it('rejects what is not JSON, and other paths', async () => {
    const path = `${host.url}/sandbox/model/v1`;
    const broken = await fetch(`${path}/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' });
    expect(broken.status).toBe(400);
    expect((await fetch(`${path}/embeddings`, { method: 'POST' })).status).toBe(400);
  });

  it('is behind the sandbox’s guard', async () => {
    const headers = { 'content-type': 'application/json', origin: 'https://evil.example' };
    const body = JSON.stringify({ model: 'stand-in', messages: say('x') });
    expect((await fetch(`${host.url}/sandbox/model/v1/chat/completions`, { method: 'POST', headers, body })).status).toBe(403);
  });

  it('has the faults of the sandbox’s controls', async () => {
    await host.control('faults', { part: 'model', kind: 'status', status: 429, retry_after: 7, times: 1 });
    const limited = await postChat(host.url, { messages: say('x') });
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    await host.control('faults', { part: 'model', kind: 'html', times: 1 });
    expect((await postChat(host.url, { messages: say('x') })).headers.get('content-type')).toContain('text/html');
    expect((await postChat(host.url, { messages: say('x') })).status).toBe(200);
  });
});

describe('GET /sandbox/model/v1/models', () => {
  it('lists the stand-in', async () => {
    const response = await fetch(`${host.sandbox.model.baseUrl}/models`);
    expect(await response.json()).toEqual({
      object: 'list',
      data: [{ id: 'stand-in', object: 'model', created: 0, owned_by: expect.any(String) }],
    });
  });
});

describe('the official OpenAI-compatible client', () => {
  const schema = jsonSchema<object>({ type: 'object', properties: {} });
  const model = () => createOpenAICompatible({ name: 'stand-in', baseURL: host.sandbox.model.baseUrl, includeUsage: true })('stand-in');

  it('runs the tools of several steps and reads the answer with its usage', async () => {
    const called: unknown[] = [];
    const answered = (data: object) => async (input: object) => {
      called.push(input);
      return { data, meta: { account: 'a' } };
    };
    const mail = { id: 'm1', thread: 't1', from: 'Ana <ana@example.org>', subject: 'Plan', date: '2026-01-02T03:04:05Z' };
    const result = streamText({
      model: model(),
      prompt: 'Find the newest mail from Ana and read it.',
      stopWhen: stepCountIs(5),
      tools: {
        mail_search: tool({ inputSchema: schema, execute: answered({ items: [mail] }) }),
        mail_read: tool({ inputSchema: schema, execute: answered({ thread: 't1', messages: [{ ...mail, text: 'See you at noon.' }] }) }),
      },
    });
    expect(await result.text).toContain('See you at noon.');
    expect(called).toEqual([{ query: 'from:Ana', max: 1 }, { message: 'm1' }]);
    expect((await result.steps).map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'tool-calls', 'stop']);
    expect((await result.totalUsage).totalTokens).toBeGreaterThan(0);
  });

  it('sees a failure of a tool and a denial, which the answer tells', async () => {
    const failing = (said: string, execute: () => Promise<unknown>, name: string) =>
      streamText({ model: model(), prompt: said, stopWhen: stepCountIs(3), tools: { [name]: tool({ inputSchema: schema, execute }) } })
        .text;
    const rejects = async () => {
      throw new Error('reauthorization_required: The account has to be connected again.');
    };
    expect(await failing('List my labels', rejects, 'mail_labels')).toContain(
      '“List labels” failed: The account has to be connected again.',
    );
    const waits = async () => ({ code: 'approval_required', message: 'The user has to approve this first.' });
    expect(await failing('Write to bob@example.com: Hi', waits, 'mail_send')).toContain('needs your approval and waits for it');
  });
});
