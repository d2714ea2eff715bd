import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as module from '../../../client/steward-client.js';
import { BUILT_INS } from '../../../src/actions/built-ins.ts';
import { guardInput } from '../../../src/executor/checks/input-guard.ts';
import { connect } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

// Its types are those of a browser.
const { StewardClient } = module as any;

const MEGABYTE = 1024 * 1024;
const MAX_BYTES = 8 * MEGABYTE;
/** Actions whose files may together be larger than any frame: their schemas limit each file only. */
const ATTACHING = ['mail.draft', 'mail.send'];
/** Longest text of a field without a `maxLength`: an address. */
const UNBOUNDED = 1_000;

/** The largest input that a schema allows, in characters that UTF-8 writes with three bytes. */
function largest(schema: any, isLast = true): unknown {
  const { type, properties = {}, items, maxItems = 1, maxLength = UNBOUNDED, enum: values } = schema;
  if (values !== undefined) return values[0];
  if (type === 'object') {
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, largest(one, isLast)]));
  }
  if (type === 'array') return Array.from({ length: maxItems }, () => largest(items, false));
  return type === 'string' ? '€'.repeat(maxLength) : 1;
}

function isRefused(input: unknown): boolean {
  try {
    guardInput(input);
    return false;
  } catch {
    return true;
  }
}

describe('the largest input that the schema allows', () => {
  it.each([...BUILT_INS.keys()])('of %s fits a frame, or is too large for it', async (name) => {
    const action = BUILT_INS.get(name);
    const input = largest((await action?.schemas())?.input);
    const bytes = Buffer.byteLength(JSON.stringify({ type: 'call', requestId: 'x'.repeat(64), action: name, input }));
    if (ATTACHING.includes(name)) expect(bytes).toBeGreaterThan(MAX_BYTES);
    else expect([bytes <= MAX_BYTES, isRefused(input)]).toEqual([true, false]);
  });
});

describe('a call that is too large', () => {
  let steward: TestSteward;
  let token: string;
  const file = { name: 'a.txt', text: 'x'.repeat(1_000_000) };
  const mail = (count: number) => ({ to: ['ana@example.org'], subject: 'x', body: 'y', attachments: Array(count).fill(file) });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  beforeAll(async () => {
    steward = await startSteward();
    token = await steward.signIn();
    await connect(steward, { token, email: 'demo@example.com' });
  });
  afterAll(async () => {
    agent.destroy();
    await steward.stop();
  });

  /** A request on the one connection; `socket` identifies it. */
  function post(input: object | string): Promise<{ status: number | undefined; code: string; message: string; socket: unknown }> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: token, 'content-type': 'application/json' };
      const sent = request(`${steward.url}/agents/mail.draft`, { method: 'POST', agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        const { socket } = response;
        response.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
        response.on('end', () => resolve({ ...JSON.parse(String(Buffer.concat(chunks))), status: response.statusCode, socket }));
      });
      sent.on('error', reject).end(typeof input === 'string' ? input : JSON.stringify(input));
    });
  }

  it('is not sent by the client, whose connection stays open', async () => {
    const client = new StewardClient({ url: steward.url, token: () => token });
    await client.connect();
    let ended = 0;
    client.addEventListener('state', () => (ended += 1));
    await expect(client.call('mail.draft', mail(20))).rejects.toMatchObject({ code: 'too_large' });
    await expect(client.call('mail.draft', mail(2))).rejects.toMatchObject({ code: 'too_large' });
    expect(await client.call('mail.draft', mail(1))).toMatchObject({ data: { id: expect.any(String) } });
    expect(ended).toBe(0);
    client.close();
  });

  it('is rejected with 413 over HTTP, and the connection is usable', async () => {
    const first = await post(mail(20));
    expect(first).toMatchObject({ status: 413, code: 'too_large' });
    expect(await post(mail(2))).toMatchObject({ status: 413, code: 'too_large', socket: first.socket });
    expect(await post(mail(1))).toMatchObject({ status: 200, socket: first.socket });
  });

  it('is rejected before it is parsed if it holds more than any call may', async () => {
    const nested = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(await post(nested)).toMatchObject({ status: 400, message: 'The body has more than 32 levels.' });
    const wide = `{"a":[${'{},'.repeat(100_000)}{}]}`;
    expect(await post(wide)).toMatchObject({ status: 413, message: 'The body has more than 32768 values.' });
  });

  it('counts towards the bytes that a user may send in a minute', async () => {
    const limited = await startSteward({ LIMIT_SOCKET_BYTES_PER_MINUTE: '10000' });
    const send = async (user: string, length: number) => {
      const options = { token: user, body: `{"a":"${'x'.repeat(length)}"}`, headers: { 'content-type': 'application/json' } };
      const { status, headers } = await limited.call('/agents/mail.search', options);
      return [status, headers.has('retry-after')];
    };
    const [one, other] = [await limited.signIn('one'), await limited.signIn('other')];
    expect(await send(one, 6_000)).toEqual([400, false]);
    expect(await send(one, 6_000)).toEqual([429, true]);
    expect(await send(other, 6_000)).toEqual([400, false]);
    await limited.stop();
  });
});
