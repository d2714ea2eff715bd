import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express, { type NextFunction, type Request, type Response } from 'express';
import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import { Configuration, PlaidApi } from 'plaid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../src/errors.ts';
import { createLogger } from '../src/logger.ts';
import { type BankSandbox, createBankSandbox } from '../src/sandbox/bank-sandbox.ts';
import { Controls } from '../src/sandbox/controls.ts';
import { temporaryDirectory } from './support/sandbox-host.ts';

type Body = Record<string, unknown>;
/** A call through the SDK; its closed enums are plain strings on the wire. */
type Call = (request: never) => Promise<{ data: unknown }>;

interface Host {
  url: string;
  bank: BankSandbox;
  controls: Controls;
  plaid: PlaidApi;
  /** Retries of webhooks that wait for their time. */
  waiting: { ms: number; run: () => void }[];
  stop(): Promise<void>;
}

const FRONT_END = 'https://app.example';
const PLATYPUS = 'ins_109508';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let directory: ReturnType<typeof temporaryDirectory>;
let host: Host;

beforeEach(async () => {
  directory = temporaryDirectory();
  host = await start();
});

afterEach(async () => {
  await host.stop();
  directory.remove();
});

async function start(): Promise<Host> {
  const app = express();
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const controls = new Controls();
  const waiting: Host['waiting'] = [];
  const schedule = (run: () => void, ms: number) => {
    const entry = { run, ms };
    waiting.push(entry);
    return () => void waiting.splice(waiting.indexOf(entry), 1);
  };
  const bank = createBankSandbox({
    directory: directory.path,
    publicUrl: url,
    selfUrl: url,
    controls,
    logger: createLogger('silent'),
    allowedOrigins: [FRONT_END],
    schedule,
  });
  app.use('/sandbox/bank', bank.router);
  app.use('/sandbox/control/bank', bank.controlRouter);
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const known = error instanceof AppError ? error : new AppError('internal', 'Something went wrong.');
    response.status(known.status).json({ code: known.code, message: known.message });
  });
  return { url, bank, controls, waiting, plaid: sdk(bank.settings), stop: () => stop(bank, controls, server) };
}

async function stop(bank: BankSandbox, controls: Controls, server: Server): Promise<void> {
  bank.close();
  controls.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

function sdk({ baseUrl, clientId, secret }: { baseUrl: string; clientId: string; secret: string }): PlaidApi {
  const headers = { 'PLAID-CLIENT-ID': clientId, 'PLAID-SECRET': secret };
  return new PlaidApi(new Configuration({ basePath: baseUrl, baseOptions: { headers, proxy: false } }));
}

/** The answer of an SDK call. */
async function call(method: keyof PlaidApi, request: object): Promise<Body> {
  const send = (host.plaid[method] as unknown as Call).bind(host.plaid);
  return (await send(request as never)).data as Body;
}

/** Status and error object of an SDK call that must fail. */
async function refusal(method: keyof PlaidApi, request: object, plaid = host.plaid): Promise<Body> {
  const send = (plaid[method] as unknown as Call).bind(plaid);
  try {
    await send(request as never);
  } catch (error) {
    const { response } = error as { response?: { status: number; data: Body } };
    if (response !== undefined) return { status: response.status, ...response.data };
    throw error;
  }
  throw new Error('the call was not refused');
}

async function raw(path: string, body: string, headers: Record<string, string> = {}): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${host.url}/sandbox/bank${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, body: (await response.json()) as Body };
}

async function control(path: string, body: object): Promise<Body> {
  const response = await fetch(`${host.url}/sandbox/control/bank/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Body;
  if (response.status !== 200) throw new Error(`control ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

interface Linked {
  accessToken: string;
  itemId: string;
}

/** An item, as a user who went through Link has it. */
async function link(institution = PLATYPUS, options: object = {}): Promise<Linked> {
  const { public_token } = await call('sandboxPublicTokenCreate', {
    institution_id: institution,
    initial_products: ['transactions', 'auth'],
    options,
  });
  const { access_token, item_id } = await call('itemPublicTokenExchange', { public_token });
  return { accessToken: access_token as string, itemId: item_id as string };
}

const linkRequest = {
  client_name: 'Steward',
  language: 'en',
  country_codes: ['US'],
  user: { client_user_id: 'user-1' },
  products: ['transactions', 'auth'],
};

interface Account extends Body {
  account_id: string;
  name: string;
  mask: string | null;
}

async function accounts(accessToken: string): Promise<Account[]> {
  return (await call('accountsGet', { access_token: accessToken })).accounts as Account[];
}

interface Page extends Body {
  added: { transaction_id: string; pending: boolean; pending_transaction_id: string | null; date: string; amount: number }[];
  modified: { transaction_id: string; name: string }[];
  removed: { transaction_id: string }[];
  next_cursor: string;
  has_more: boolean;
}

async function sync(accessToken: string, cursor = '', count = 500): Promise<Page> {
  return (await call('transactionsSync', { access_token: accessToken, cursor, count })) as Page;
}

describe('every call', () => {
  const complete = { public_token: 'public-sandbox-unknown' };

  test('refuses wrong credentials before it looks at the body', async () => {
    const wrong = sdk({ ...host.bank.settings, secret: 'wrong' });
    expect(await refusal('itemPublicTokenExchange', {}, wrong)).toMatchObject({
      status: 400,
      error_type: 'INVALID_INPUT',
      error_code: 'INVALID_API_KEYS',
    });
    const answer = await raw('/item/public_token/exchange', '{', { 'PLAID-CLIENT-ID': 'sandbox', 'PLAID-SECRET': 'wrong' });
    expect(answer.body.error_code).toBe('INVALID_API_KEYS');
    expect((await raw('/item/public_token/exchange', JSON.stringify(complete))).body.error_code).toBe('INVALID_API_KEYS');
  });

  test('takes the credentials from the body too', async () => {
    const answer = await raw('/item/public_token/exchange', JSON.stringify({ client_id: 'sandbox', secret: 'sandbox', ...complete }));
    expect(answer.body.error_code).toBe('INVALID_PUBLIC_TOKEN');
  });

  test.each([
    ['text that is not JSON', '{"public_token":', 'application/json'],
    ['a form', 'public_token=x', 'application/x-www-form-urlencoded'],
    ['a list', '[]', 'application/json'],
  ])('answers INVALID_BODY to %s', async (_name, body, type) => {
    const headers = { 'PLAID-CLIENT-ID': 'sandbox', 'PLAID-SECRET': 'sandbox', 'content-type': type };
    const answer = await raw('/item/public_token/exchange', body, headers);
    expect(answer).toMatchObject({ status: 400, body: { error_type: 'INVALID_REQUEST', error_code: 'INVALID_BODY' } });
  });

  test('names missing fields first, then unknown ones, then wrong ones', async () => {
    const missing = await refusal('linkTokenCreate', { language: 'en', client_name: 1, other: 1 });
    expect(missing).toMatchObject({ status: 400, error_type: 'INVALID_REQUEST', error_code: 'MISSING_FIELDS' });
    expect(missing.error_message).toContain('country_codes, user');
    const unknown = await refusal('linkTokenCreate', {
      ...linkRequest,
      client_name: 1,
      other: 1,
      user: { client_user_id: 'u', email: 'x' },
    });
    expect(unknown).toMatchObject({ error_code: 'UNKNOWN_FIELDS' });
    expect(unknown.error_message).toContain('user.email');
    expect(unknown.error_message).toContain('other');
    const wrong = await refusal('linkTokenCreate', { ...linkRequest, client_name: 'x'.repeat(31) });
    expect(wrong).toMatchObject({ error_code: 'INVALID_FIELD' });
    expect(wrong.error_message).toContain('client_name');
  });

  test('answers 404 at an unknown path and to GET', async () => {
    expect(await raw('/item/nothing', '{}')).toMatchObject({
      status: 404,
      body: { error_type: 'INVALID_REQUEST', error_code: 'NOT_FOUND' },
    });
    expect((await fetch(`${host.url}/sandbox/bank/item/get`)).status).toBe(404);
  });

  test('answers errors with the whole error object', async () => {
    const { status: _status, ...error } = await refusal('itemPublicTokenExchange', complete);
    expect(Object.keys(error).sort()).toEqual([
      'display_message',
      'documentation_url',
      'error_code',
      'error_code_reason',
      'error_message',
      'error_type',
      'request_id',
      'suggested_action',
    ]);
  });
});

describe('linking', () => {
  test('POST /link/token/create gives a token of four hours, in update mode of 30 minutes', async () => {
    const created = await call('linkTokenCreate', linkRequest);
    expect(created.link_token).toMatch(/^link-sandbox-/);
    const left = (expiration: unknown) => Math.round((Date.parse(String(expiration)) - host.controls.now()) / 60_000);
    expect(left(created.expiration)).toBe(240);
    const { accessToken } = await link();
    const { products: _products, ...update } = linkRequest;
    expect(left((await call('linkTokenCreate', { ...update, access_token: accessToken })).expiration)).toBe(30);
    expect(await refusal('linkTokenCreate', { ...linkRequest, access_token: accessToken })).toMatchObject({ error_code: 'INVALID_FIELD' });
    expect(await refusal('linkTokenCreate', update)).toMatchObject({ error_code: 'MISSING_FIELDS' });
    const shown = await call('linkTokenGet', { link_token: created.link_token });
    expect(shown.metadata).toMatchObject({ initial_products: ['transactions', 'auth'], client_name: 'Steward' });
  });

  test('a public token is exchanged once, within 30 minutes', async () => {
    const request = { institution_id: PLATYPUS, initial_products: ['transactions'] };
    const { public_token } = await call('sandboxPublicTokenCreate', request);
    expect(public_token).toMatch(/^public-sandbox-/);
    expect((await call('itemPublicTokenExchange', { public_token })).access_token).toMatch(/^access-sandbox-/);
    expect(await refusal('itemPublicTokenExchange', { public_token })).toMatchObject({ status: 400, error_code: 'INVALID_PUBLIC_TOKEN' });
    const late = await call('sandboxPublicTokenCreate', request);
    host.controls.advance(30 * 60_000 + 1);
    expect(await refusal('itemPublicTokenExchange', { public_token: late.public_token })).toMatchObject({
      error_code: 'INVALID_PUBLIC_TOKEN',
    });
  });

  test('shows the item, its bank, its accounts and one account without a mask', async () => {
    const { accessToken, itemId } = await link();
    const { item } = await call('itemGet', { access_token: accessToken });
    expect(item).toMatchObject({
      item_id: itemId,
      institution_id: PLATYPUS,
      institution_name: 'First Platypus Bank',
      error: null,
      products: ['transactions', 'auth'],
    });
    expect((await accounts(accessToken)).map(({ mask, subtype }) => [mask, subtype])).toEqual([
      ['0000', 'checking'],
      ['1111', 'savings'],
      [null, null],
    ]);
    const { institution } = await call('institutionsGetById', { institution_id: PLATYPUS, country_codes: ['US'] });
    expect(institution).toMatchObject({ name: 'First Platypus Bank', routing_numbers: ['011401533'] });
    expect(await refusal('institutionsGetById', { institution_id: 'ins_1', country_codes: ['US'] })).toMatchObject({
      error_code: 'INVALID_INSTITUTION',
    });
  });

  test('another link of the same login has new account ids and the same persistent ids', async () => {
    const [first, second, other] = [await link(), await link(), await link(PLATYPUS, { override_username: 'someone_else' })];
    const ids = async ({ accessToken }: Linked, field: string) => (await accounts(accessToken)).map((account) => account[field]);
    expect(await ids(second, 'account_id')).not.toEqual(await ids(first, 'account_id'));
    expect(await ids(second, 'persistent_account_id')).toEqual(await ids(first, 'persistent_account_id'));
    expect(await ids(other, 'persistent_account_id')).not.toEqual(await ids(first, 'persistent_account_id'));
    expect(await ids(first, 'persistent_account_id')).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
  });

  test('POST /accounts/get and /accounts/balance/get take account ids, and refuse those of another item', async () => {
    const { accessToken } = await link();
    const [, saving] = await accounts(accessToken);
    const { accounts: shown } = await call('accountsBalanceGet', {
      access_token: accessToken,
      options: { account_ids: [saving?.account_id] },
    });
    expect(shown).toMatchObject([{ mask: '1111', balances: { last_updated_datetime: expect.any(String), iso_currency_code: 'USD' } }]);
    const other = await link();
    expect(await refusal('accountsGet', { access_token: other.accessToken, options: { account_ids: [saving?.account_id] } })).toMatchObject(
      {
        error_code: 'INVALID_ACCOUNT_ID',
      },
    );
  });

  test('POST /auth/get gives the numbers of checking and savings accounts', async () => {
    const { accessToken } = await link();
    const { numbers } = await call('authGet', { access_token: accessToken });
    expect(numbers).toMatchObject({
      ach: [
        { account: expect.stringMatching(/^\d{6}0000$/), routing: '011401533' },
        { account: expect.stringMatching(/^\d{6}1111$/), routing: '011401533' },
      ],
    });
  });
});

describe('the life of an item', () => {
  test('POST /item/remove makes every later call ITEM_NOT_FOUND; a token never given is INVALID_ACCESS_TOKEN', async () => {
    const { accessToken } = await link();
    expect(await call('itemRemove', { access_token: accessToken })).toEqual({ request_id: expect.any(String) });
    for (const method of ['itemGet', 'accountsGet', 'itemRemove'] as const) {
      expect(await refusal(method, { access_token: accessToken })).toMatchObject({
        status: 400,
        error_type: 'ITEM_ERROR',
        error_code: 'ITEM_NOT_FOUND',
      });
    }
    expect(await refusal('itemGet', { access_token: 'access-sandbox-other' })).toMatchObject({ error_code: 'INVALID_ACCESS_TOKEN' });
  });

  test('POST /sandbox/item/reset_login shows in the item and refuses its data', async () => {
    const { accessToken } = await link();
    expect(await call('sandboxItemResetLogin', { access_token: accessToken })).toMatchObject({ reset_login: true });
    for (const method of ['accountsGet', 'accountsBalanceGet', 'transactionsSync', 'authGet'] as const) {
      expect(await refusal(method, { access_token: accessToken })).toMatchObject({ status: 400, error_code: 'ITEM_LOGIN_REQUIRED' });
    }
    expect((await call('itemGet', { access_token: accessToken })).item).toMatchObject({ error: { error_code: 'ITEM_LOGIN_REQUIRED' } });
  });

  test('survives a restart; tokens lie on disk as hashes only', async () => {
    const { accessToken, itemId } = await link();
    const { public_token: unused } = await call('sandboxPublicTokenCreate', { institution_id: PLATYPUS, initial_products: ['auth'] });
    const { link_token: linkToken } = await call('linkTokenCreate', linkRequest);
    const before = await accounts(accessToken);
    await host.stop();
    const kept = readFileSync(join(directory.path, 'bank.json'), 'utf8');
    for (const token of [accessToken, unused, linkToken]) expect(kept).not.toContain(token);
    host = await start();
    expect(await accounts(accessToken)).toEqual(before);
    expect((await call('itemGet', { access_token: accessToken })).item).toMatchObject({ item_id: itemId });
    expect((await call('itemPublicTokenExchange', { public_token: unused })).access_token).toEqual(expect.any(String));
    expect((await fetch(`${host.url}/sandbox/bank/link?link_token=${linkToken}`)).status).toBe(200);
  });
});

describe('POST /transactions/sync', () => {
  async function linkedAndReady(): Promise<Linked> {
    const linked = await link();
    await sync(linked.accessToken);
    return linked;
  }

  test('is empty right after linking, with an empty cursor', async () => {
    const { accessToken } = await link();
    expect(await sync(accessToken)).toMatchObject({
      transactions_update_status: 'NOT_READY',
      added: [],
      modified: [],
      removed: [],
      next_cursor: '',
      has_more: false,
    });
    expect((await sync(accessToken)).added.length).toBeGreaterThan(100);
  });

  test('pages through six months without gap or repetition', async () => {
    const { accessToken } = await linkedAndReady();
    const whole = await sync(accessToken);
    expect(whole.has_more).toBe(false);
    const ids: string[] = [];
    let page = await sync(accessToken, '', 50);
    for (; page.has_more; page = await sync(accessToken, page.next_cursor, 50)) {
      expect(page.added).toHaveLength(50);
      ids.push(...page.added.map((added) => added.transaction_id));
    }
    ids.push(...page.added.map((added) => added.transaction_id));
    expect(ids).toEqual(whole.added.map((added) => added.transaction_id));
    expect(new Set(ids).size).toBe(ids.length);
    const days = whole.added.map(({ date }) => Date.parse(date)).sort((one, other) => one - other);
    expect(host.controls.now() - (days[0] ?? 0)).toBeGreaterThan(175 * DAY_MS);
    expect(Math.max(...days)).toBeLessThanOrEqual(host.controls.now());
    expect((await sync(accessToken, page.next_cursor)).added).toEqual([]);
  });

  test('posts a pending transaction by removing it and adding another', async () => {
    const { accessToken } = await linkedAndReady();
    await call('transactionsRefresh', { access_token: accessToken });
    const first = await sync(accessToken);
    const pending = first.added.filter((added) => added.pending).at(-1);
    expect(pending).toBeDefined();
    host.controls.advance(3 * DAY_MS);
    const later = await sync(accessToken, first.next_cursor);
    expect(later.removed.map((removed) => removed.transaction_id)).toContain(pending?.transaction_id);
    expect(later.added).toContainEqual(expect.objectContaining({ pending: false, pending_transaction_id: pending?.transaction_id }));
  });

  test('keeps what it has shown when the clock goes back', async () => {
    const { accessToken } = await linkedAndReady();
    host.controls.advance(10 * DAY_MS);
    const ahead = await sync(accessToken);
    host.controls.advance(-10 * DAY_MS);
    expect((await sync(accessToken)).added).toEqual(ahead.added);
  });

  test('refuses the cursor of another item, and text that is none', async () => {
    const [one, other] = [await linkedAndReady(), await linkedAndReady()];
    const { next_cursor: cursor } = await sync(one.accessToken);
    for (const wrong of [cursor, 'nonsense', 'bnVsbA==']) {
      const request = { access_token: other.accessToken, cursor: wrong };
      expect(await refusal('transactionsSync', request)).toMatchObject({
        error_code: 'INVALID_FIELD',
        error_message: 'cursor not associated with access_token',
      });
    }
    expect(await refusal('transactionsSync', { access_token: one.accessToken, count: 501 })).toMatchObject({ error_code: 'INVALID_FIELD' });
  });

  test('meets a mutation mid-page on demand; only beginning again from the first cursor helps', async () => {
    const { accessToken, itemId } = await linkedAndReady();
    const first = await sync(accessToken, '', 100);
    await control('mutate', { item_id: itemId });
    const further = { access_token: accessToken, cursor: first.next_cursor };
    const mutation = { status: 400, error_type: 'TRANSACTIONS_ERROR', error_code: 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION' };
    expect(await refusal('transactionsSync', further)).toMatchObject(mutation);
    expect(await refusal('transactionsSync', further)).toMatchObject(mutation);
    let page = await sync(accessToken, '', 100);
    const modified = [...page.modified];
    while (page.has_more) {
      page = await sync(accessToken, page.next_cursor, 100);
      modified.push(...page.modified);
    }
    expect(modified).toMatchObject([{ transaction_id: first.added[0]?.transaction_id, name: expect.stringContaining('correction') }]);
  });

  test('POST /transactions/get is not ready at first, then gives a range of days', async () => {
    const { accessToken } = await link();
    const day = (at: number) => new Date(at).toISOString().slice(0, 10);
    const range = { start_date: day(host.controls.now() - 30 * DAY_MS), end_date: day(host.controls.now()) };
    const request = { access_token: accessToken, ...range, options: { count: 10, offset: 5 } };
    expect(await refusal('transactionsGet', request)).toMatchObject({ error_code: 'PRODUCT_NOT_READY' });
    const answer = await call('transactionsGet', request);
    const shown = answer.transactions as { date: string }[];
    expect(shown).toHaveLength(10);
    expect(answer.total_transactions).toBeGreaterThan(15);
    expect(shown.every(({ date }) => date >= range.start_date && date <= range.end_date)).toBe(true);
  });
});

describe('webhooks', () => {
  interface Received {
    proof: string;
    body: string;
  }

  let received: Received[];
  let statuses: number[];
  let receiver: Server;
  let address: string;
  let arrived: () => void;

  beforeEach(async () => {
    received = [];
    statuses = [];
    arrived = () => {};
    receiver = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      received.push({ proof: String(request.headers['plaid-verification']), body });
      response.writeHead(statuses.shift() ?? 200).end();
      arrived();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });

  afterEach(async () => {
    receiver.closeAllConnections();
    receiver.close();
    await once(receiver, 'close');
  });

  /** Resolves with the next webhook after what `act` causes. */
  async function next(act: () => Promise<unknown>): Promise<Received> {
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await act();
    await arrival;
    return received.at(-1) as Received;
  }

  /** Verifies a webhook as receivers do. */
  async function verify({ proof, body }: Received): Promise<Body> {
    const { kid, alg } = decodeProtectedHeader(proof);
    expect(alg).toBe('ES256');
    const { key } = await call('webhookVerificationKeyGet', { key_id: kid });
    expect(key).toMatchObject({ alg: 'ES256', crv: 'P-256', kty: 'EC', use: 'sig', kid, expired_at: null, created_at: expect.any(Number) });
    expect(key).not.toHaveProperty('d');
    const options = { algorithms: ['ES256'], maxTokenAge: '5 min', currentDate: new Date(host.controls.now()) };
    const { payload } = await jwtVerify(proof, await importJWK(key as JWK, 'ES256'), options);
    expect(payload.request_body_sha256).toBe(createHash('sha256').update(body).digest('hex'));
    return JSON.parse(body) as Body;
  }

  test('are signed with ES256 over the bytes of the body', async () => {
    const { accessToken, itemId } = await link(PLATYPUS, { webhook: address });
    const event = await next(() => call('sandboxItemFireWebhook', { access_token: accessToken, webhook_code: 'NEW_ACCOUNTS_AVAILABLE' }));
    expect(await verify(event)).toMatchObject({
      webhook_type: 'ITEM',
      webhook_code: 'NEW_ACCOUNTS_AVAILABLE',
      item_id: itemId,
      environment: 'sandbox',
    });
    expect(await refusal('webhookVerificationKeyGet', { key_id: 'other' })).toMatchObject({
      error_code: 'INVALID_WEBHOOK_VERIFICATION_KEY_ID',
    });
  });

  test('tell of a reset login, of new transactions and of a new address', async () => {
    const { accessToken } = await link();
    const updated = await next(() => call('itemWebhookUpdate', { access_token: accessToken, webhook: address }));
    expect(await verify(updated)).toMatchObject({ webhook_code: 'WEBHOOK_UPDATE_ACKNOWLEDGED', new_webhook_url: address });
    const ready = await next(() => sync(accessToken));
    expect(await verify(ready)).toMatchObject({ webhook_type: 'TRANSACTIONS', webhook_code: 'SYNC_UPDATES_AVAILABLE' });
    const reset = await next(() => call('sandboxItemResetLogin', { access_token: accessToken }));
    expect(await verify(reset)).toMatchObject({
      webhook_type: 'ITEM',
      webhook_code: 'ERROR',
      error: { error_code: 'ITEM_LOGIN_REQUIRED', status: 400 },
    });
  });

  test('are refused for an item without an address, and never leave this machine', async () => {
    const { accessToken } = await link();
    const fire = { access_token: accessToken, webhook_code: 'ERROR' };
    expect(await refusal('sandboxItemFireWebhook', fire)).toMatchObject({
      error_type: 'SANDBOX_ERROR',
      error_code: 'SANDBOX_WEBHOOK_INVALID',
    });
    const elsewhere = await link(PLATYPUS, { webhook: address.replace('127.0.0.1', '0.0.0.0') });
    const { deliveries } = await control('webhook', { item_id: elsewhere.itemId, webhook_code: 'ERROR' });
    expect(deliveries).toEqual([{ status: null }]);
    expect(received).toEqual([]);
  });

  test('are tried again after 30 seconds, then four times as long each, until they are taken', async () => {
    const { itemId } = await link(PLATYPUS, { webhook: address });
    statuses = [500, 404, 200];
    const { deliveries } = await control('webhook', { item_id: itemId, webhook_code: 'ERROR' });
    expect(deliveries).toEqual([{ status: 500 }]);
    const waits: number[] = [];
    for (let tries = 0; tries < 2; tries += 1) {
      await expect.poll(() => host.waiting.length).toBe(1);
      const retry = host.waiting.shift();
      waits.push(retry?.ms ?? 0);
      await next(async () => retry?.run());
    }
    expect(waits).toEqual([30_000, 120_000]);
    expect(received).toHaveLength(3);
    await verify(received[2] as Received);
    expect(host.waiting).toEqual([]);
  });

  test('come spoilt on demand', async () => {
    const { itemId } = await link(PLATYPUS, { webhook: address });
    const fire = async (variant: string) => {
      received = [];
      await control('webhook', { item_id: itemId, webhook_code: 'ERROR', variant });
      return received as [Received, ...Received[]];
    };
    const [wrongKid] = await fire('wrong_kid');
    expect(await refusal('webhookVerificationKeyGet', { key_id: decodeProtectedHeader(wrongKid.proof).kid })).toMatchObject({
      status: 400,
    });
    const [wrongAlg] = await fire('wrong_alg');
    expect(decodeProtectedHeader(wrongAlg.proof).alg).toBe('HS256');
    const [stale] = await fire('stale_iat');
    await expect(verify(stale)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
    const [altered] = await fire('altered_body');
    expect(JSON.parse(altered.body)).toMatchObject({ item_id: itemId, altered: true });
    await expect(verify(altered)).rejects.toThrow();
    const [once, twice] = await fire('duplicate');
    expect(twice).toEqual(once);
    await verify(once);
    const order = await fire('reordered');
    expect(order.map(({ body }) => (JSON.parse(body) as Body).webhook_code)).toEqual(['LOGIN_REPAIRED', 'ERROR']);
    for (const event of order) await verify(event);
  });
});

describe('GET /sandbox/bank/link', () => {
  const page = (parameters: Record<string, string>) => fetch(`${host.url}/sandbox/bank/link?${new URLSearchParams(parameters)}`);

  /** Posts a form as a browser without script does; a redirect is not followed. */
  const post = (fields: [string, string][]) =>
    fetch(`${host.url}/sandbox/bank/link`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });

  const linkToken = async (request: object = linkRequest) => String((await call('linkTokenCreate', request)).link_token);

  const updateToken = (accessToken: string) => {
    const { products: _products, ...update } = linkRequest;
    return linkToken({ ...update, access_token: accessToken, update: { account_selection_enabled: true } });
  };

  test('refuses an unknown, an expired and a used link token', async () => {
    expect((await page({ link_token: 'link-sandbox-other' })).status).toBe(400);
    expect((await page({})).status).toBe(400);
    const used = await linkToken();
    await post([
      ['link_token', used],
      ['step', 'bank'],
      ['decision', 'cancel'],
    ]);
    expect((await page({ link_token: used })).status).toBe(400);
    const late = await linkToken();
    host.controls.advance(4 * HOUR_MS + 1);
    const refused = await page({ link_token: late });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('unknown, used or expired');
  });

  test('leads without script from the bank to its accounts to a public token that works', async () => {
    const token = await linkToken();
    const first = await page({ link_token: token });
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(await first.text()).toContain('Houndstooth Bank');
    const chosen = await post([
      ['link_token', token],
      ['step', 'bank'],
      ['decision', 'continue'],
      ['institution', PLATYPUS],
    ]);
    expect(chosen.status).toBe(303);
    expect(chosen.headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
    const second = await (await fetch(new URL(chosen.headers.get('location') ?? '', host.url))).text();
    expect(second.match(/type="checkbox"[^>]* checked/g)).toHaveLength(3);
    const done = await post([
      ['link_token', token],
      ['step', 'accounts'],
      ['decision', 'continue'],
      ['account', 'checking'],
      ['account', 'envelope'],
    ]);
    const publicToken = /<code>(public-sandbox-[^<]+)<\/code>/.exec(await done.text())?.[1];
    const { access_token: accessToken } = await call('itemPublicTokenExchange', { public_token: publicToken });
    expect((await accounts(String(accessToken))).map(({ mask }) => mask)).toEqual(['0000', null]);
    expect(
      (
        await post([
          ['link_token', token],
          ['step', 'accounts'],
          ['decision', 'continue'],
          ['account', 'checking'],
        ])
      ).status,
    ).toBe(400);
  });

  test('asks again when nothing was chosen, and goes back to the banks', async () => {
    const token = await linkToken();
    expect(
      (
        await post([
          ['link_token', token],
          ['step', 'bank'],
          ['decision', 'continue'],
        ])
      ).status,
    ).toBe(400);
    expect(
      (
        await post([
          ['link_token', token],
          ['step', 'accounts'],
          ['decision', 'continue'],
          ['account', 'checking'],
        ])
      ).status,
    ).toBe(400);
    await post([
      ['link_token', token],
      ['step', 'bank'],
      ['decision', 'continue'],
      ['institution', 'ins_109511'],
    ]);
    const none = await post([
      ['link_token', token],
      ['step', 'accounts'],
      ['decision', 'continue'],
      ['account', 'envelope'],
    ]);
    expect(none.status).toBe(400);
    expect(await none.text()).toContain('Choose at least one account.');
    await post([
      ['link_token', token],
      ['step', 'accounts'],
      ['decision', 'back'],
    ]);
    expect(await (await page({ link_token: token })).text()).toContain('First Gingham Credit Union');
  });

  test('tells the opener of an allowed origin only', async () => {
    const token = await linkToken();
    for (const origin of [
      'https://evil.example',
      'null',
      'javascript:alert(1)',
      `${FRONT_END}.evil.example`,
      'http://localhost:3000/path',
    ]) {
      expect((await page({ link_token: token, origin })).status, origin).toBe(400);
    }
    const opened = await page({ link_token: token, origin: FRONT_END });
    expect(opened.headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
    await post([
      ['link_token', token],
      ['step', 'bank'],
      ['decision', 'continue'],
      ['institution', PLATYPUS],
    ]);
    const done = await (
      await post([
        ['link_token', token],
        ['step', 'accounts'],
        ['decision', 'continue'],
        ['account', 'saving'],
      ])
    ).text();
    expect(done).toContain(`data-origin="${FRONT_END}"`);
    expect(done).toMatch(/data-public-token="public-sandbox-/);
    expect(done).toContain('src="/assets/sandbox-link.js"');
  });

  test('redirects to an allowed address only, with the public token or the refusal', async () => {
    const token = await linkToken();
    for (const uri of [
      'https://evil.example/',
      'javascript:alert(1)',
      '//evil.example',
      `https://app.example@evil.example/`,
      `https://user@app.example/`,
    ]) {
      expect((await page({ link_token: token, redirect_uri: uri })).status, uri).toBe(400);
    }
    const opened = await page({ link_token: token, redirect_uri: `${FRONT_END}/banks?tab=1` });
    expect(opened.headers.get('content-security-policy')).toContain(`form-action 'self' ${FRONT_END};`);
    await post([
      ['link_token', token],
      ['step', 'bank'],
      ['decision', 'continue'],
      ['institution', PLATYPUS],
    ]);
    const done = await post([
      ['link_token', token],
      ['step', 'accounts'],
      ['decision', 'continue'],
      ['account', 'saving'],
    ]);
    const location = new URL(done.headers.get('location') ?? '');
    expect([done.status, await done.text()]).toEqual([303, '']);
    expect(`${location.origin}${location.pathname}`).toBe(`${FRONT_END}/banks`);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      tab: '1',
      outcome: 'linked',
      public_token: expect.stringMatching(/^public-sandbox-/),
    });
    const other = await linkToken();
    await page({ link_token: other, redirect_uri: `${FRONT_END}/` });
    const cancelled = await post([
      ['link_token', other],
      ['step', 'bank'],
      ['decision', 'cancel'],
    ]);
    expect(cancelled.headers.get('location')).toBe(`${FRONT_END}/?outcome=cancelled`);
  });

  test('in update mode heals the item under the same token and chooses its accounts anew', async () => {
    const { accessToken } = await link();
    const [checking] = await accounts(accessToken);
    await control('reset-login', { all: true });
    const token = await updateToken(accessToken);
    const shown = await (await page({ link_token: token })).text();
    expect(shown).toContain('First Platypus Bank');
    expect(shown).toContain('Log in again');
    const done = await (
      await post([
        ['link_token', token],
        ['step', 'accounts'],
        ['decision', 'continue'],
        ['account', 'checking'],
      ])
    ).text();
    expect(done).not.toContain('public-sandbox-');
    expect(await accounts(accessToken)).toEqual([checking]);
    expect((await call('itemGet', { access_token: accessToken })).item).toMatchObject({ error: null });
    const again = await updateToken(accessToken);
    await post([
      ['link_token', again],
      ['step', 'accounts'],
      ['decision', 'continue'],
      ['account', 'checking'],
      ['account', 'saving'],
    ]);
    expect((await accounts(accessToken)).map(({ mask }) => mask)).toEqual(['0000', '1111']);
  });

  test('an account added in update mode brings its transactions behind the cursor', async () => {
    const { accessToken } = await link();
    const choose = async (...keys: string[]) => {
      const token = await updateToken(accessToken);
      await post([
        ['link_token', token],
        ['step', 'accounts'],
        ['decision', 'continue'],
        ...keys.map((key): [string, string] => ['account', key]),
      ]);
    };
    await choose('saving');
    await sync(accessToken);
    const { next_cursor: cursor } = await sync(accessToken);
    expect((await sync(accessToken, cursor)).added).toEqual([]);
    await choose('saving', 'checking');
    const [checking] = await accounts(accessToken);
    const { added } = await sync(accessToken, cursor);
    expect(added.length).toBeGreaterThan(100);
    expect(new Set(added.map((transaction) => Reflect.get(transaction, 'account_id')))).toEqual(new Set([checking?.account_id]));
  });

  test('in update mode for an item removed meanwhile it refuses', async () => {
    const { accessToken, itemId } = await link();
    const token = await updateToken(accessToken);
    await control('remove-item', { item_id: itemId });
    expect((await page({ link_token: token })).status).toBe(400);
  });

  test('escapes what it was given', async () => {
    const token = await linkToken({ ...linkRequest, client_name: '"><script>x</script>' });
    const shown = await (await page({ link_token: token })).text();
    expect(shown).not.toContain('<script>x');
    expect(shown).toContain('&lt;script&gt;');
  });
});

describe('/sandbox/control/bank', () => {
  test('orders an error for the next calls of a path', async () => {
    const { accessToken } = await link();
    await control('error', { code: 'RATE_LIMIT_EXCEEDED', path: '/accounts/get', times: 2 });
    expect((await call('itemGet', { access_token: accessToken })).item).toBeDefined();
    const limited = { status: 429, error_type: 'RATE_LIMIT_EXCEEDED', error_code: 'RATE_LIMIT_EXCEEDED' };
    expect(await refusal('accountsGet', { access_token: accessToken })).toMatchObject(limited);
    expect(await refusal('accountsGet', { access_token: accessToken })).toMatchObject(limited);
    expect(await accounts(accessToken)).toHaveLength(3);
    await control('error', { code: 'INTERNAL_SERVER_ERROR' });
    expect(await refusal('itemGet', { access_token: accessToken })).toMatchObject({ status: 500, error_type: 'API_ERROR' });
    await control('error', { code: 'SOMETHING_NEW', error_type: 'ITEM_ERROR' });
    expect(await refusal('itemGet', { access_token: accessToken })).toMatchObject({
      status: 400,
      error_type: 'ITEM_ERROR',
      error_code: 'SOMETHING_NEW',
    });
  });

  test('shows items and the number of calls, and no token', async () => {
    const { accessToken, itemId } = await link('ins_109512');
    await control('remove-item', { item_id: itemId });
    expect(await refusal('itemGet', { access_token: accessToken })).toMatchObject({ error_code: 'ITEM_NOT_FOUND' });
    const text = await (await fetch(`${host.url}/sandbox/control/bank/state`)).text();
    expect(text).not.toMatch(/(access|public|link)-sandbox-/);
    expect(JSON.parse(text)).toEqual({
      items: [
        {
          item_id: itemId,
          institution_id: 'ins_109512',
          institution: 'Houndstooth Bank',
          exchanged: true,
          removed: true,
          status: 'removed',
        },
      ],
      calls: { '/sandbox/public_token/create': 1, '/item/public_token/exchange': 1, '/item/get': 1 },
    });
  });

  test('resets the login of one item or of all, and refuses an unknown one', async () => {
    const [one, other] = [await link(), await link()];
    await control('reset-login', { item_id: one.itemId });
    expect(await refusal('accountsGet', { access_token: one.accessToken })).toMatchObject({ error_code: 'ITEM_LOGIN_REQUIRED' });
    expect(await accounts(other.accessToken)).toHaveLength(3);
    expect(await control('reset-login', { all: true })).toMatchObject({ items: 2 });
    await expect(control('reset-login', { item_id: 'other' })).rejects.toThrow('404');
    await expect(control('reset-login', {})).rejects.toThrow('400');
  });

  test('faults come before everything else', async () => {
    const { accessToken } = await link();
    host.controls.inject({ part: 'bank', path: '/item/get', kind: 'malformed', times: 1 });
    expect(await call('itemGet', { access_token: accessToken })).toEqual(expect.any(String));
    expect((await call('itemGet', { access_token: accessToken })).item).toBeDefined();
  });
});
