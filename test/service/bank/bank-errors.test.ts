import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/errors.ts';
import { describeError } from '../../../src/observability/logger.ts';
import { BankProvider } from '../../../src/providers/bank/bank-provider.ts';
import { ACCESS_TOKEN, BANK_SECRET, BankEmulator, EMULATED_ACCOUNTS } from '../../support/emulators/bank-emulator.ts';
import { type Handler, sendJson } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';
import type { HttpResponse } from '../../support/users/request.ts';

/** The aggregator's error codes and the service's. */
const CODES: Record<string, ErrorCode> = {
  ...all('relink_required', 'ITEM_LOGIN_REQUIRED ACCESS_NOT_GRANTED ADDITIONAL_CONSENT_REQUIRED NO_ACCOUNTS'),
  ...all('relink_required', 'ITEM_LOCKED PASSWORD_RESET_REQUIRED USER_SETUP_REQUIRED INVALID_UPDATED_USERNAME'),
  ...all('item_gone', 'ITEM_NOT_FOUND USER_PERMISSION_REVOKED'),
  ...all('not_found', 'INVALID_ACCOUNT_ID'),
  ...all('unsupported_account', 'NO_AUTH_ACCOUNTS PRODUCTS_NOT_SUPPORTED PRODUCT_NOT_ENABLED ITEM_NOT_SUPPORTED MFA_NOT_SUPPORTED'),
  ...all('unsupported_account', 'INSTITUTION_NO_LONGER_SUPPORTED'),
  ...all('unavailable', 'PRODUCT_NOT_READY INSTITUTION_DOWN INSTITUTION_NOT_RESPONDING INSTITUTION_NOT_AVAILABLE PLANNED_MAINTENANCE'),
  ...all('unavailable', 'RATE_LIMIT_EXCEEDED RATE_LIMIT ACCOUNTS_LIMIT ITEM_GET_LIMIT TRANSACTIONS_SYNC_LIMIT ADDITION_LIMIT'),
  ...all('provider_error', 'INTERNAL_SERVER_ERROR SOMETHING_NEW __proto__ constructor toString'),
  ...all('internal', 'INVALID_API_KEYS UNAUTHORIZED_ENVIRONMENT MISSING_FIELDS UNKNOWN_FIELDS INVALID_FIELD INVALID_BODY'),
  ...all('internal', 'INVALID_CONFIGURATION SANDBOX_ONLY INVALID_ACCESS_TOKEN'),
};
const STATUS_NOTED: Partial<Record<ErrorCode, string>> = { relink_required: 'relink_required', item_gone: 'item_gone' };

function all(code: ErrorCode, names: string): Record<string, ErrorCode> {
  // Not an object literal: `__proto__` must become a key like the others.
  return Object.fromEntries(names.split(' ').map((name) => [`${name}`, code]));
}

let emulator: BankEmulator;
let steward: TestSteward;
let token: string;
const responses: HttpResponse[] = [];

beforeAll(async () => {
  emulator = await new BankEmulator().start();
  steward = await startSteward({
    ...emulator.env,
    LIMIT_REVOCATION_RETRY_SECONDS: '1',
    // More than a real user sends.
    LIMIT_USER_PROVIDER_REQUESTS_PER_MINUTE: '10000',
  });
  token = await steward.signIn();
});

afterAll(async () => {
  await steward.stop();
  await emulator.stop();
});

afterEach(() => emulator.reset());

async function call(path: string, options: Parameters<TestSteward['call']>[1] = {}): Promise<HttpResponse> {
  const response = await steward.call(path, { token, ...options });
  responses.push(response);
  return response;
}

const createLinkToken = (form: Record<string, string> = {}) => call('/auth/bank/create_link_token', { form });
const setAccessToken = () => call('/auth/bank/set_access_token', { form: { public_token: 'public-canary' } });

function linkTokenRequest(): any {
  return emulator.calls.find(({ path }) => path === '/link/token/create')?.body;
}

async function entry(): Promise<any> {
  return (await call('/auth/bank/accounts')).body.accounts[0];
}

/** A linked entry that works; the aggregator's faults are cleared. */
async function linked(): Promise<any> {
  emulator.reset();
  expect((await setAccessToken()).body).toEqual({ success: true });
  return entry();
}

describe('POST /auth/bank/create_link_token at the aggregator', () => {
  it('sends what the aggregator requires, without the user’s mail address', async () => {
    const response = await createLinkToken();
    expect(response.body).toEqual({ link_token: 'link-emulated', expiration: '2030-01-01T00:00:00Z', request_id: expect.any(String) });
    expect(emulator.calls).toHaveLength(1);
    const [{ path, body, headers }] = emulator.calls as [BankEmulator['calls'][0]];
    expect(path).toBe('/link/token/create');
    expect(body).toEqual({
      client_name: 'Steward',
      language: 'en',
      country_codes: ['US'],
      user: { client_user_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      products: ['transactions'],
      required_if_supported_products: ['auth'],
    });
    expect(headers).toMatchObject({ 'plaid-client-id': 'canary-client', 'plaid-secret': BANK_SECRET, 'plaid-version': '2020-09-14' });
  });

  it('requests update mode with the access token and without products', async () => {
    const { id } = await linked();
    emulator.reset();
    expect((await createLinkToken({ account_id: id })).status).toBe(200);
    const body = linkTokenRequest();
    expect(body).toMatchObject({ access_token: expect.stringContaining(ACCESS_TOKEN), update: { account_selection_enabled: true } });
    for (const name of ['products', 'required_if_supported_products', 'additional_consented_products', 'webhook']) {
      expect(body).not.toHaveProperty(name);
    }
  });

  it.each<[string, object, string[] | undefined]>([
    [
      'is missing for one',
      { consented_products: ['transactions'], products: ['transactions'], available_products: ['auth', 'identity'] },
      ['auth'],
    ],
    [
      'is missing for both',
      { consented_products: [], products: [], available_products: ['auth', 'transactions'] },
      ['transactions', 'auth'],
    ],
    ['is missing and the bank’s products are unknown', { consented_products: ['transactions'] }, ['auth']],
    ['is missing for what the bank doesn’t offer', { consented_products: ['transactions'], available_products: ['identity'] }, undefined],
    ['is there', { consented_products: ['transactions', 'auth'], available_products: ['auth'] }, undefined],
    ['is not requested by product', { products: ['transactions'], consented_products: null, available_products: ['auth'] }, undefined],
    ['is in a different format', { products: 7, consented_products: { a: 1 }, available_products: 'auth' }, undefined],
  ])('requests consent in update mode if it %s', async (_name, said, asked) => {
    const { id } = await linked();
    emulator.reset();
    emulator.on('/item/get', (response) => sendJson(response, 200, { item: { item_id: 'item', ...said }, request_id: 'r' }));
    expect((await createLinkToken({ account_id: id })).status).toBe(200);
    expect(linkTokenRequest()?.additional_consented_products).toEqual(asked);
  });

  it('offers update mode even if the item cannot be read', async () => {
    const { id } = await linked();
    emulator.fail('ITEM_LOGIN_REQUIRED', '/item/get');
    expect((await createLinkToken({ account_id: id })).status).toBe(200);
    expect((await entry()).status).toBe('active');
  });

  it('returns null masks as empty strings', async () => {
    expect((await linked()).mask).toEqual(EMULATED_ACCOUNTS.map(({ name, mask }) => ({ name, mask: mask ?? '' })));
  });
});

describe('an error of the aggregator', () => {
  it.each(Object.entries(CODES))('%s on refresh becomes %s', async (bankCode, code) => {
    const { id } = await linked();
    emulator.fail(bankCode, '/accounts/get');
    const response = await call(`/auth/bank/accounts/${id}/refresh`, { method: 'POST' });
    expectError(response, code);
    if (code === 'unavailable') expect(response.headers.get('retry-after')).toBe('60');
    expect((await entry()).status).toBe(STATUS_NOTED[code] ?? 'active');
  });

  it.each(Object.entries(CODES))('%s on create_link_token becomes %s', async (bankCode, code) => {
    emulator.fail(bankCode);
    expectError(await createLinkToken(), code);
  });

  it.each(['INVALID_PUBLIC_TOKEN', 'INVALID_FIELD'])(
    '%s on set_access_token becomes a 400 that names the field, and no alarm',
    async (bankCode) => {
      const { length } = steward.logs;
      emulator.fail(bankCode);
      expectError(await setAccessToken(), 'invalid_request', /^public_token: /);
      expect(steward.logs.slice(length).filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
    },
  );

  it.each(['INVALID_API_KEYS', 'INVALID_ACCESS_TOKEN'])('%s is an alarm for the operator', async (bankCode) => {
    const { length } = steward.logs;
    emulator.fail(bankCode);
    expectError(await createLinkToken(), 'internal');
    const errors = steward.logs.slice(length).filter((line) => JSON.parse(line).level === 50);
    expect(errors.join('')).toContain(bankCode);
  });
});

/** Responses of a failing aggregator, and the service's error codes. */
const FAULTS: [string, Handler, ErrorCode][] = [
  [
    'malformed JSON',
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"link_token":"li'),
    'provider_error',
  ],
  [
    'a web page with status 200',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>'),
    'provider_error',
  ],
  ['an empty 200', (response) => response.writeHead(200).end(), 'provider_error'],
  ['fields of another kind', (response) => sendJson(response, 200, { link_token: 7, expiration: null, request_id: [] }), 'provider_error'],
  ['JSON that is not an object', (response) => sendJson(response, 200, null), 'provider_error'],
  ['a 500 without an error code', (response) => sendJson(response, 500, {}), 'provider_error'],
  ['a 401 of a gateway', (response) => response.writeHead(401).end('no'), 'provider_error'],
  ['a 404 page', (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404</h1>'), 'provider_error'],
  ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(), 'provider_error'],
  ['an error code of another kind', (response) => sendJson(response, 400, { error_code: { a: 1 } }), 'provider_error'],
  ['a response of 6 MB', (response) => sendJson(response, 200, { link_token: 'x'.repeat(6_000_000) }), 'provider_error'],
  ['a connection cut off', (response) => response.socket?.destroy(), 'provider_error'],
  [
    'a response that breaks off',
    (response) => response.writeHead(200, { 'content-length': '500' }).write('{', () => response.socket?.destroy()),
    'provider_error',
  ],
  ['no response', () => {}, 'provider_timeout'],
  [
    'a response that never ends',
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"link_token":'),
    'provider_timeout',
  ],
];

describe('a failing aggregator', () => {
  /** A response to a request on which the aggregator acts like this. */
  async function during(path: string, handler: Handler, code: string, request: () => Promise<HttpResponse>): Promise<HttpResponse> {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    emulator.on(path, (response, aggregatorCall) => {
      handler(response, aggregatorCall);
      asked();
    });
    const response = request();
    await isAsked;
    if (code === 'provider_timeout') await steward.clock.advance(steward.context.config.limits.providerTimeoutMs);
    return response;
  }

  it.each(FAULTS)('%s becomes %3$s', async (_name, handler, code) => {
    expectError(await during('*', handler, code, () => createLinkToken()), code);
  });

  it.each(FAULTS)('%s leaves an item unchanged', async (_name, handler, code) => {
    const before = await linked();
    const refresh = () => call(`/auth/bank/accounts/${before.id}/refresh`, { method: 'POST' });
    expectError(await during('/item/get', handler, code, refresh), code);
    expect(await entry()).toEqual(before);
  });

  it.each<[string, Handler]>([['a connection that is reset', (response) => response.socket?.resetAndDestroy()]])(
    '%s is worth another try',
    async (_name, handler) => {
      emulator.on('*', handler);
      const response = await createLinkToken();
      expectError(response, 'provider_error');
      expect(response.headers.get('retry-after')).toBe('30');
    },
  );

  it.each<[string, string, number]>([
    ['seconds', '17', 17],
    ['a date long past', 'Wed, 21 Oct 2015 07:28:00 GMT', 60],
    ['nothing that is known', 'soon', 60],
  ])('that returns 429 without JSON causes a pause: %s', async (_name, header, seconds) => {
    emulator.on('*', (response) => response.writeHead(429, { 'retry-after': header, 'content-type': 'text/html' }).end('<h1>no</h1>'));
    const rejected = await createLinkToken();
    expectError(rejected, 'unavailable');
    expect(rejected.headers.get('retry-after')).toBe(String(seconds));
  });

  it('logs the code of a rejection, without its words', async () => {
    const { id } = await linked();
    const { length } = steward.logs;
    emulator.on('/accounts/get', (response, { body }) =>
      sendJson(response, 400, {
        error_code: 'ITEM_NOT_SUPPORTED',
        error_message: `This kind of account has no ${body.access_token} support for ${BANK_SECRET}.`,
      }),
    );
    expectError(await call(`/auth/bank/accounts/${id}/refresh`, { method: 'POST' }), 'unsupported_account');
    const said = steward.logs.slice(length);
    expect(said.map((line) => JSON.parse(line)).find(({ reason }) => reason !== undefined)).toMatchObject({
      level: 30,
      reason: 'ITEM_NOT_SUPPORTED',
    });
    expect(said.join('')).not.toContain('This kind of account');
  });

  it('that rejects connections becomes a 502', async () => {
    const rejected = await new BankEmulator().start();
    await rejected.stop();
    const provider = providerAt(rejected.env.PLAID_BASE_URL as string);
    await expect(provider.createLinkToken('user')).rejects.toMatchObject({ code: 'provider_error', status: 502 });
  });

  it('after the exchange stores nothing, and the item is queued for removal', async () => {
    const before = await linked();
    emulator.on('/item/get', (response) => sendJson(response, 500, {}));
    expectError(await setAccessToken(), 'provider_error');
    expect((await call('/auth/bank/accounts')).body.accounts).toEqual([before]);
    const rejected = emulator.calls.findLast(({ path }) => path === '/item/get')?.body.access_token;
    expect(rejected).toContain(ACCESS_TOKEN);
    const subject = `item-${rejected.slice(ACCESS_TOKEN.length + 1)}`;
    const queued = await steward.sql('select id from revocations where subject = $1', [subject]);
    const removed = emulator.calls.some(({ path, body }) => path === '/item/remove' && body.access_token === rejected);
    expect(removed || queued.length === 1).toBe(true);
  });

  it('an exchange without the item’s id stores nothing, and the item is removed', async () => {
    const before = await linked();
    const nameless = `${ACCESS_TOKEN}-nameless`;
    emulator.on('/item/public_token/exchange', (response) => sendJson(response, 200, { access_token: nameless }));
    expectError(await setAccessToken(), 'provider_error');
    expect((await call('/auth/bank/accounts')).body.accounts).toEqual([before]);
    await eventually(() => emulator.calls.some(({ path, body }) => path === '/item/remove' && body.access_token === nameless));
  });
});

function providerAt(baseUrl: string): BankProvider {
  const settings = {
    clientId: 'canary-client',
    secret: BANK_SECRET,
    countryCodes: ['US'],
    redirectUri: undefined,
    webhookUrl: undefined,
    linkPageUrl: undefined,
  };
  return new BankProvider({ ...settings, baseUrl: baseUrl.replace(/\/$/, '') }, 1_000, steward.clock);
}

describe('the client secret and access tokens', () => {
  it.each([
    ...FAULTS.map(([name, handler]) => [name, () => emulator.on('*', handler)] as const),
    ['an error of the aggregator', () => emulator.fail('ITEM_LOCKED')] as const,
    ['an unknown error of the aggregator', () => emulator.fail('NEW')] as const,
  ])('are in no error after %s', async (_name, arrange) => {
    arrange();
    const provider = providerAt(emulator.env.PLAID_BASE_URL as string);
    const error: unknown = await provider.describe(ACCESS_TOKEN).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    const shown = [
      inspect(error, { depth: 20, showHidden: true }),
      JSON.stringify(error),
      JSON.stringify(describeError(error)),
      String((error as Error).stack),
    ].join('\n');
    for (const secret of [ACCESS_TOKEN, BANK_SECRET]) expect(shown).not.toContain(secret);
  });

  it('are in no response and no log line of these tests', () => {
    expect(responses.length).toBeGreaterThan(100);
    const said = [...steward.logs, ...responses.map(({ text, headers }) => text + JSON.stringify([...headers]))].join('\n');
    for (const secret of [BANK_SECRET, ACCESS_TOKEN, 'public-canary', 'canary-client']) expect(said).not.toContain(secret);
  });
});
