import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BankProvider } from '../../../src/providers/bank/bank-provider.ts';
import { WorkspaceApi } from '../../../src/providers/workspace/workspace-api.ts';
import { loadTable } from '../../../src/providers/workspace/workspace-methods.ts';
import { WorkspaceProvider } from '../../../src/providers/workspace/workspace-provider.ts';
import { TestClock } from '../../support/time/test-clock.ts';

/** Sends compressed JSON on request, and sets the shared number then; in a thread that a blocked main thread does not stop. */
const PROVIDER = `
const { createServer } = require('node:http');
const { gzipSync } = require('node:zlib');
const { parentPort, workerData } = require('node:worker_threads');
let waiting;
const server = createServer((request, response) => {
  waiting = response;
  request.resume().on('end', () => parentPort.postMessage('asked'));
});
parentPort.on('message', (body) => {
  waiting.on('finish', () => {
    Atomics.store(workerData, 0, 1);
    Atomics.notify(workerData, 0);
  });
  waiting.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync(body));
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
const TIMEOUT_MS = 60_000;

const answered = new Int32Array(new SharedArrayBuffer(4));
let provider: Worker;
let url: string;
let clock: TestClock;

beforeAll(async () => {
  provider = new Worker(PROVIDER, { eval: true, workerData: answered });
  const [port] = await once(provider, 'message');
  url = `http://127.0.0.1:${port}`;
  // Loaded at the first request, they would keep it from being sent at once.
  await Promise.all([import('plaid'), loadTable(), import('google-auth-library')]);
});

beforeEach(() => {
  clock = new TestClock({ standsAt: '2026-05-04T10:00:00Z' });
});

afterAll(() => provider.terminate());

/** Makes the provider respond while this process is blocked, which continues after the response's time limit: its timers run before its sockets are read. */
async function stalled<T>(request: () => Promise<T>, response: object): Promise<T> {
  const asked = once(provider, 'message');
  const result = request();
  await asked;
  Atomics.store(answered, 0, 0);
  provider.postMessage(JSON.stringify(response));
  Atomics.wait(answered, 0, 0);
  await clock.advance(TIMEOUT_MS);
  return result;
}

/** The provider receives the request, and time passes until it has ended. */
async function unanswered<T>(request: () => Promise<T>): Promise<T> {
  const asked = once(provider, 'message');
  const result = request();
  await asked;
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  result.then(over, over);
  while (!isOver) await clock.advance(TIMEOUT_MS);
  return result;
}

function workspace(): WorkspaceProvider {
  const settings = { clientId: 'c', clientSecret: 's', tokenUrl: url } as ConstructorParameters<typeof WorkspaceProvider>[0];
  const limits = { providerTimeoutMs: TIMEOUT_MS, refreshTimeoutMs: TIMEOUT_MS };
  return new WorkspaceProvider(settings, 'http://localhost/callback', limits, clock);
}

function bank(): BankProvider {
  const settings = { clientId: 'c', secret: 's', baseUrl: url, countryCodes: ['US'] } as ConstructorParameters<typeof BankProvider>[0];
  return new BankProvider(settings, TIMEOUT_MS, clock);
}

function session() {
  const tokens = { current: async () => 'token', renewed: async () => 'token' };
  const api = new WorkspaceApi({ apiUrl: url, timeoutMs: TIMEOUT_MS, clock });
  return api.session('u1', tokens, new AbortController().signal);
}

describe('a response that arrived in time at a process that was blocked past the deadline', () => {
  it('is accepted: a new access token', async () => {
    const response = { access_token: 'new', refresh_token: 'rotated', token_type: 'Bearer', expires_in: 3600 };
    expect(await stalled(() => workspace().refresh('old'), response)).toMatchObject({ kind: 'renewed' });
  });

  it('is accepted: a bank’s token, which is issued only once', async () => {
    const response = { access_token: 'access-1', item_id: 'item-1', request_id: 'r' };
    expect(await stalled(() => bank().exchange('public'), response)).toEqual({ accessToken: 'access-1', itemId: 'item-1' });
  });

  it('is accepted: the response to a change', async () => {
    const send = () =>
      session().call('gmail.users.messages.send', { userId: 'me', requestBody: { raw: 'aGk' } }, z.object({ id: z.string() }));
    expect(await stalled(send, { id: 'm1' })).toEqual({ id: 'm1' });
  });
});

describe('a response that never arrives', () => {
  it('is not waited for', async () => {
    const refreshed = await unanswered(() => workspace().refresh('old'));
    expect(refreshed).toMatchObject({ kind: 'failed', reason: { code: 'provider_timeout' } });
    const exchanged = unanswered(() => bank().exchange('public'));
    await expect(exchanged).rejects.toMatchObject({ code: 'provider_timeout' });
  });
});
