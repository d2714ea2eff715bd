import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  accounts,
  call,
  control,
  directory,
  host,
  type Linked,
  link,
  linkRequest,
  PLATYPUS,
  raw,
  refusal,
  restart,
  sdk,
  useBankSandbox,
} from '../support/emulators/bank-sandbox-host.ts';

useBankSandbox();

describe('every call', () => {
  const complete = { public_token: 'public-sandbox-unknown' };

  test('rejects wrong credentials before it validates the body', async () => {
    const wrong = sdk({ ...host.bank.settings, secret: 'wrong' });
    expect(await refusal('itemPublicTokenExchange', {}, wrong)).toMatchObject({
      status: 400,
      error_type: 'INVALID_INPUT',
      error_code: 'INVALID_API_KEYS',
    });
    const response = await raw('/item/public_token/exchange', '{', { 'PLAID-CLIENT-ID': 'sandbox', 'PLAID-SECRET': 'wrong' });
    expect(response.body.error_code).toBe('INVALID_API_KEYS');
    expect((await raw('/item/public_token/exchange', JSON.stringify(complete))).body.error_code).toBe('INVALID_API_KEYS');
  });

  test('accepts the credentials in the body, too', async () => {
    const response = await raw('/item/public_token/exchange', JSON.stringify({ client_id: 'sandbox', secret: 'sandbox', ...complete }));
    expect(response.body.error_code).toBe('INVALID_PUBLIC_TOKEN');
  });

  test.each([
    ['text that is not JSON', '{"public_token":', 'application/json'],
    ['a form', 'public_token=x', 'application/x-www-form-urlencoded'],
    ['a list', '[]', 'application/json'],
  ])('returns INVALID_BODY for %s', async (_name, body, type) => {
    const headers = { 'PLAID-CLIENT-ID': 'sandbox', 'PLAID-SECRET': 'sandbox', 'content-type': type };
    const response = await raw('/item/public_token/exchange', body, headers);
    expect(response).toMatchObject({ status: 400, body: { error_type: 'INVALID_REQUEST', error_code: 'INVALID_BODY' } });
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

  test('returns 404 for an unknown path and for GET', async () => {
    expect(await raw('/item/nothing', '{}')).toMatchObject({
      status: 404,
      body: { error_type: 'INVALID_REQUEST', error_code: 'NOT_FOUND' },
    });
    expect((await fetch(`${host.url}/sandbox/bank/item/get`)).status).toBe(404);
  });

  test('returns errors as the complete error object', async () => {
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
  test('POST /link/token/create returns a token valid for four hours, in update mode for 30 minutes', async () => {
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

  test('POST /accounts/get and /accounts/balance/get accept account ids, and reject those of another item', async () => {
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

  test('POST /auth/get returns the numbers of checking and savings accounts', async () => {
    const { accessToken } = await link();
    const { numbers } = await call('authGet', { access_token: accessToken });
    expect(numbers).toMatchObject({
      ach: [
        { account: expect.stringMatching(/^\d{6}0000$/), routing: '011401533', wire_routing: '011401533' },
        { account: expect.stringMatching(/^\d{6}1111$/), routing: '011401533', wire_routing: null },
      ],
      eft: [],
      international: [],
      bacs: [],
    });
  });

  test('POST /auth/get returns an IBAN for an account in euro', async () => {
    const { accessToken } = await link('ins_109509');
    const { numbers, accounts: shown } = await call('authGet', { access_token: accessToken });
    expect(shown).toHaveLength(3);
    expect(numbers).toMatchObject({
      ach: [{}, {}],
      international: [{ iban: expect.stringMatching(/^DE\d{2}37040044\d{6}2222$/), bic: 'SANDDEFFXXX' }],
    });
  });
});

describe('the life of an item', () => {
  test('POST /item/remove makes every later call ITEM_NOT_FOUND; a token never issued is INVALID_ACCESS_TOKEN', async () => {
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

  test('POST /sandbox/item/reset_login sets the item’s error, and its data calls fail', async () => {
    const { accessToken } = await link();
    expect(await call('sandboxItemResetLogin', { access_token: accessToken })).toMatchObject({ reset_login: true });
    for (const method of ['accountsGet', 'accountsBalanceGet', 'transactionsSync', 'authGet'] as const) {
      expect(await refusal(method, { access_token: accessToken })).toMatchObject({ status: 400, error_code: 'ITEM_LOGIN_REQUIRED' });
    }
    expect((await call('itemGet', { access_token: accessToken })).item).toMatchObject({ error: { error_code: 'ITEM_LOGIN_REQUIRED' } });
  });

  test('survives a restart; tokens are stored as hashes only', async () => {
    const { accessToken, itemId } = await link();
    const { public_token: unused } = await call('sandboxPublicTokenCreate', { institution_id: PLATYPUS, initial_products: ['auth'] });
    const { link_token: linkToken } = await call('linkTokenCreate', linkRequest);
    const before = await accounts(accessToken);
    await restart(() => {
      const kept = readFileSync(join(directory.path, 'bank.json'), 'utf8');
      for (const token of [accessToken, unused, linkToken]) expect(kept).not.toContain(token);
    });
    expect(await accounts(accessToken)).toEqual(before);
    expect((await call('itemGet', { access_token: accessToken })).item).toMatchObject({ item_id: itemId });
    expect((await call('itemPublicTokenExchange', { public_token: unused })).access_token).toEqual(expect.any(String));
    expect((await fetch(`${host.url}/sandbox/bank/link?link_token=${linkToken}`)).status).toBe(200);
  });
});

describe('/sandbox/control/bank', () => {
  test('makes the next calls of a path fail with an error', async () => {
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

  test('makes the calls of one item only fail with an error', async () => {
    const [one, other] = [await link(), await link()];
    await control('error', { code: 'PRODUCT_NOT_READY', path: '/auth/get', item_id: one.itemId, times: 1 });
    expect(await call('authGet', { access_token: other.accessToken })).toHaveProperty('numbers');
    expect(await refusal('authGet', { access_token: one.accessToken })).toMatchObject({ status: 400, error_code: 'PRODUCT_NOT_READY' });
    expect(await call('authGet', { access_token: one.accessToken })).toHaveProperty('numbers');
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

  test('resets the login of one item or of all, and rejects an unknown one', async () => {
    const [one, other] = [await link(), await link()];
    await control('reset-login', { item_id: one.itemId });
    expect(await refusal('accountsGet', { access_token: one.accessToken })).toMatchObject({ error_code: 'ITEM_LOGIN_REQUIRED' });
    expect(await accounts(other.accessToken)).toHaveLength(3);
    expect(await control('reset-login', { all: true })).toMatchObject({ items: 2 });
    await expect(control('reset-login', { item_id: 'other' })).rejects.toThrow('404');
    await expect(control('reset-login', {})).rejects.toThrow('400');
  });

  test('faults take precedence over every check', async () => {
    const { accessToken } = await link();
    host.controls.inject({ part: 'bank', path: '/item/get', kind: 'malformed', times: 1 });
    expect(await call('itemGet', { access_token: accessToken })).toEqual(expect.any(String));
    expect((await call('itemGet', { access_token: accessToken })).item).toBeDefined();
  });
});
