import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callsTools, type ModelScript, ScriptedModel, says } from '../support/emulators/scripted-model.ts';
import { WorkspaceEmulator } from '../support/emulators/workspace-emulator.ts';
import { CALLS, FILES, FORMS, FRAMES, JSON_VALUES, MAIL_PARTS, MAIL_PAYLOADS, RECIPIENTS } from '../support/inputs/worst-inputs.ts';
import { MainThread } from '../support/processes/main-thread.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { FrontEnd } from '../support/scenes/chat-scene.ts';
import { newName } from '../support/scenes/flows.ts';
import { type LoopbackServer, startLoopbackServer } from '../support/servers/loopback-server.ts';
import { connectGrant } from '../support/users/refreshing.ts';
import { SocketClient } from '../support/users/socket-client.ts';

const FILE = `version: 1
defaults:
  policy: { approval: never, rate: 1000/min }
agents:
  mail: { provider: workspace, description: Mail., scopes: [mail.modify, mail.send] }
  drive: { provider: workspace, description: Files., scopes: [drive] }
  own:
    provider: workspace
    description: Declared.
    scopes: [drive]
    actions:
      names: { call: drive.files.list, description: Names., effect: read, project: 'files[].name' }
      others: { call: drive.files.list, description: Others., effect: read, project: 'files[?$.files[0].name == name].name' }
      whole: { call: drive.files.list, description: All., effect: read }
      create:
        call: drive.files.create
        description: Create.
        effect: write
        input:
          type: object
          properties:
            object: { type: object }
            text1: { type: string, minLength: 1 }
            text2: { type: string, minLength: 1 }
            text3: { type: string, minLength: 1 }
            text4: { type: string, minLength: 1 }
        with:
          { appProperties: $input.object, name: $input.text1, description: $input.text2, createdTime: $input.text3, originalFilename: $input.text4 }
`;
const PLENTY = '1000000000000';
const CREATED = '{"id":"f1","name":"a","mimeType":"text/plain","threadId":"t1","message":{"id":"m1","threadId":"t1"}}';
/** Of one answer of a model, when the test makes a long thread. */
const LONG_ANSWER = 2_900_000;

const mainThread = new MainThread();
let place: Place;
let provider: WorkspaceEmulator;
let api: LoopbackServer;
let model: ScriptedModel;
let steward: TestProcess;
let token: string;
let client: SocketClient;
/** The provider's responses, by the end of their path. */
let said: Record<string, string> = {};

beforeAll(async () => {
  [place, provider, model] = await Promise.all([createPlace(), new WorkspaceEmulator().start(), ScriptedModel.start()]);
  api = await startLoopbackServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://api.invalid');
    const body = Object.entries(said).find(([path]) => pathname.endsWith(path))?.[1] ?? CREATED;
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
  });
  writeFileSync(join(place.dataDir, 'integrations.yaml'), FILE);
  steward = await startProcess({
    ...place.env,
    ...provider.env,
    ...mainThread.env,
    GOOGLE_API_URL: api.url,
    INTEGRATIONS_FILE: join(place.dataDir, 'integrations.yaml'),
    MODELS: model.models(),
    LIMIT_USER_PROVIDER_REQUESTS_PER_MINUTE: PLENTY,
    LIMIT_SOCKET_MESSAGES_PER_MINUTE: PLENTY,
    LIMIT_SOCKET_BYTES_PER_MINUTE: PLENTY,
    LIMIT_RUN_OUTPUT_BYTES: String(LONG_ANSWER + 1_000),
    LIMIT_RUN_BYTES: String(4 * LONG_ANSWER),
  });
  token = await steward.signIn(newName());
  await connectGrant(steward, provider, async () => [], { token });
  client = await SocketClient.signedIn(steward.url, token);
});

afterAll(async () => {
  mainThread.close();
  MainThread.print();
  await client.close();
  await steward.kill('SIGKILL');
  await Promise.all([api.close(), provider.stop(), model.stop()]);
  await place.remove();
});

/** The service says how it ended, and no turn of the main thread takes more than its budget, where that is measured. */
async function staysWithin(name: string, work: () => Promise<string>): Promise<void> {
  const { outcome, excess } = await mainThread.longestTurn(name, work);
  expect(['internal', 'rate_limited', 'unavailable']).not.toContain(outcome);
  expect(excess, outcome).toBeUndefined();
}

async function act(action: string, input: object): Promise<string> {
  return (await client.request({ type: 'call', action, input })).error?.code ?? 'result';
}

const message = (payload: string) => `{"id":"m1","threadId":"t1","internalDate":"1700000000000","payload":${payload}}`;
const partOf = ({ mimeType, content }: { mimeType: string; content: string | Buffer }) =>
  JSON.stringify({ mimeType, body: { size: content.length, data: Buffer.from(content).toString('base64url') } });

describe('an answer of a provider', () => {
  it.each(Object.entries(JSON_VALUES))('of 12 MB: %s', async (kind, make) => {
    const value = make();
    said = { '/labels': `{"labels":${value}}`, '/files': `{"files":${value}}`, '/messages/m1': message(value) };
    await staysWithin(`for a reader: ${kind}`, () => act('mail.read', { message: 'm1' }));
    await staysWithin(`for a schema: ${kind}`, () => act('mail.labels', {}));
    for (const action of ['names', 'others', 'whole']) await staysWithin(`declared, ${action}: ${kind}`, () => act(`own.${action}`, {}));
    said = { '/files': `{"files":[{"name":${value},"appProperties":${value.slice(0, 100) === value ? value : '1'}}]}` };
    await staysWithin(`declared, in an item: ${kind}`, () => act('own.whole', {}));
  });

  it.each(Object.entries(MAIL_PARTS))('with a part of %s', async (kind, make) => {
    said = { '/messages/m1': message(partOf(make())) };
    await staysWithin(`mail: ${kind}`, () => act('mail.read', { message: 'm1' }));
  });

  it.each(Object.entries(MAIL_PAYLOADS))('with %s', async (kind, make) => {
    said = { '/messages/m1': message(make()) };
    await staysWithin(`mail: ${kind}`, () => act('mail.read', { message: 'm1' }));
  });

  it.each(Object.entries(RECIPIENTS))('with a draft that has %s', async (kind, make) => {
    const headers = ['To', 'Cc', 'Bcc'].flatMap((name) => Array(10).fill({ name, value: make() }));
    said = { '/drafts/r1': `{"id":"r1","message":${message(JSON.stringify({ mimeType: 'text/plain', headers }))}}` };
    await staysWithin(`draft: ${kind}`, () => act('mail.draft_send', { id: 'r1' }));
  });

  it.each(Object.entries(FILES))('with %s', async (kind, make) => {
    const { mimeType, content } = make();
    const payload = {
      mimeType: 'multipart/mixed',
      parts: [{ partId: '1', mimeType, filename: 'a', body: { size: 9, attachmentId: 'at' } }],
    };
    said = { '/attachments/at': JSON.stringify({ data: content.toString('base64url') }), '/messages/m1': message(JSON.stringify(payload)) };
    await staysWithin(`mail.attachment: ${kind}`, () => act('mail.attachment', { message: 'm1', attachment: '1' }));
  });
});

describe('a client', () => {
  it.each(Object.entries(CALLS))('may call with %s', async (kind, make) => {
    const [action, input] = make();
    said = {};
    const frames = async () => {
      client.send(`{"type":"call","requestId":"${kind}","action":"${action}","input":${input}}`);
      const { error } = await client.next((frame) => frame.requestId === kind && frame.type !== 'progress');
      client.frames.length = 0;
      return error?.code ?? 'result';
    };
    await staysWithin(`frame: ${kind}`, frames);
    const body = { token, body: input, headers: { 'content-type': 'application/json' } };
    await staysWithin(`body: ${kind}`, async () => (await steward.call(`/agents/${action}`, body)).body.code ?? 'result');
  });

  it.each(Object.entries(FORMS))('may decide with a form of %s', async (kind, make) => {
    const body = { token, body: make(), headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    await staysWithin(`form: ${kind}`, async () => (await steward.call(`/approvals/${randomUUID()}`, body)).body.code ?? 'result');
  });

  it.each(Object.entries(FRAMES))('may send a frame %s', async (kind, make) => {
    const text = make();
    await staysWithin(`frame: ${kind}`, async () => {
      client.send(text);
      const { error } = await client.next((frame) => frame.type === 'error');
      client.frames.length = 0;
      return error?.code ?? 'result';
    });
  });
});

describe('the assistant', () => {
  let frontEnd: FrontEnd;
  beforeEach(() => {
    const user = { token, email: '', accountId: '', userId: '', grantId: '' };
    frontEnd = new FrontEnd(steward, user, 'DefaultChatTransport');
  });

  /** A new message of the thread, answered by the script. */
  async function ask(script: ModelScript): Promise<string> {
    model.always = script;
    frontEnd.messages = [];
    return (await frontEnd.say('Go on')).error ?? 'result';
  }

  const delta = (content: string) =>
    `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"test-1","choices":[{"index":0,"delta":{"role":"assistant","content":"${content}"},"finish_reason":null}]}\n\n`;
  const sends = (text: string) => (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${text}data: [DONE]\n\n`);

  it.each<[string, ModelScript]>([
    ['one piece of half a megabyte', says('é'.repeat(250_000))],
    ['50,000 pieces of one letter', sends(delta('x').repeat(50_000))],
    ['150,000 pieces of one letter', sends(delta('x').repeat(150_000))],
    ['a line without an end', sends(`data: ${'x'.repeat(8_000_000)}`)],
    ['arguments of half a megabyte', callsTools([{ name: 'drive_search', input: { query: 'x'.repeat(500_000) } }])],
    ['arguments of many objects', callsTools([{ name: 'drive_search', input: { query: Array(100_000).fill({}) } }])],
    ['10,000 calls', callsTools(Array.from({ length: 10_000 }, () => ({ name: 'drive_search', input: {} })))],
  ])('reads a model that sends %s', async (kind, script) => {
    await ask(says('Hello'));
    await staysWithin(`model: ${kind}`, () => ask(script));
  });

  it('reads and continues a thread of 12 megabytes', async () => {
    const long = says('é'.repeat(LONG_ANSWER / 2 - 1_000));
    // A summary is short.
    const answer: ModelScript = (response, call) => (call.text.includes('Summarize') ? says('Short.') : long)(response, call);
    for (let bytes = 0; bytes < 11_000_000; bytes += LONG_ANSWER) expect(await ask(answer)).toBe('result');
    await staysWithin('thread: continued', () => ask(says('Done')));
    await staysWithin('thread: read', async () => {
      const { status, text } = await steward.call(`/threads/${frontEnd.thread}`, { token });
      expect(text.length).toBeGreaterThan(5_000_000);
      return String(status);
    });
    await staysWithin('thread: exported', async () => String((await steward.call('/user/export', { token })).status));
  });
});
