import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { type Change, WorkspaceEmulator } from '../../support/emulators/workspace-emulator.ts';
import { newName, outcome, workspaceAccounts } from '../../support/scenes/flows.ts';
import { sendJson } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

let provider: WorkspaceEmulator;
let bank: BankEmulator;
let steward: TestSteward;

beforeAll(async () => {
  [provider, bank] = [await new WorkspaceEmulator().start(), await new BankEmulator().start()];
  const limits = { LIMIT_REVOCATION_RETRY_SECONDS: '1' };
  steward = await startSteward({ ...provider.env, ...bank.env, ...limits });
});

afterAll(async () => {
  await steward.stop();
  await Promise.all([provider.stop(), bank.stop()]);
});

beforeEach(() => {
  provider.reset();
  bank.reset();
});

/** A flow of a bound browser with the provider's changed responses; returns the issued tokens. */
async function connect(change: Change = {}, on = steward) {
  const token = await on.signIn(newName());
  const email = `${newName()}@example.com`;
  const browser = new FormBrowser(on.url);
  const { body } = await browser.visit('/workspace_access_request', { token, form: { email } });
  const consentUrl = (await browser.visit(body.login_url)).headers.get('location') ?? '';
  const issuedBefore = provider.issued.length;
  const logged = on.logs.length;
  let page = await browser.visit(provider.approve(consentUrl, email, change));
  // Another address than requested: the page asks.
  if (page.status === 200) page = await browser.submit(page, '/auth/workspace/confirm', (fields) => fields.set('decision', 'confirm'));
  const [access = '', refresh = ''] = provider.issued.slice(issuedBefore);
  return { token, email, ended: outcome(page), access, refresh, log: on.logs.slice(logged).join('') };
}

const sentBack = (token: string) => eventually(() => provider.revoked.includes(token));

describe('display data of a workspace account', () => {
  it.each([
    ['a name that is null', { name: null }, { name: '' }],
    ['a name that is a number', { name: 42 }, { name: '' }],
    ['a name of 501 characters', { name: 'n'.repeat(501) }, { name: `${'n'.repeat(499)}…` }],
    ['a name cut within a character', { name: `${'n'.repeat(498)}😀n` }, { name: `${'n'.repeat(498)}…` }],
    ['a picture that is null', { picture: null }, { picture: '' }],
    ['a picture that is an object', { picture: {} }, { picture: '' }],
    ['a picture of 2,049 characters', { picture: `https://p.example/${'p'.repeat(2_031)}` }, { picture: '' }],
    ['a mail address that is null', { email: null }, { email: '' }],
    ['a mail address that is a list', { email: ['a@example.com'] }, { email: '' }],
    ['a mail address of 321 characters', { email: `${'a'.repeat(309)}@example.com` }, { email: '' }],
    ['an email_verified that is null', { email_verified: null }, {}],
    ['all of it missing', { email: undefined, email_verified: undefined, name: undefined, picture: undefined }, { email: '', name: '' }],
    ['all of it null', { email: null, email_verified: null, name: null, picture: null }, { email: '', name: '', picture: '' }],
  ])('%s does not prevent its connection', async (_name, userinfo, shown) => {
    const { token, ended } = await connect({ userinfo });
    expect(ended).toMatchObject({ status: 'connected' });
    expect(await workspaceAccounts(steward, token)).toMatchObject([shown]);
  });
});

describe('a response to the code', () => {
  it.each(['id_token', 'scope', 'expires_in', 'token_type'])('whose %s is null is like one without it', async (field) => {
    expect((await connect({ fields: { [field]: null } })).ended).toMatchObject({ status: 'connected' });
  });

  it.each([null, ''])('whose refresh token is %j has none, and its tokens are revoked', async (refresh_token) => {
    const { ended, access } = await connect({ fields: { refresh_token } });
    expect(ended).toMatchObject({ status: 'error', code: 'no_refresh_token' });
    await sentBack(access);
  });

  it.each([
    ['token_type', { fields: { token_type: 'secret-kind' } }],
    ['scope', { fields: { scope: ['secret-kind'] } }],
    ['id_token', { fields: { id_token: 17 } }],
    ['nonce', { claims: { nonce: 'secret-kind' } }],
    ['exp', { claims: { exp: 1 } }],
  ])('with an invalid %s has its tokens revoked, and the log names the field without its value', async (field, change) => {
    const { ended, refresh, log } = await connect(change);
    expect(ended).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(log).toMatch(new RegExp(`unexpected ${field}\\b`));
    expect(log).not.toContain('secret-kind');
    await sentBack(refresh);
  });

  it('whose refresh token is a number is revoked by its access token', async () => {
    const { ended, access, log } = await connect({ fields: { refresh_token: 17 } });
    expect(ended).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(log).toContain('unexpected refresh_token');
    await sentBack(access);
  });

  it('is revoked once its account is known, if userinfo fails and there is no id_token', async () => {
    provider.on('/userinfo', (response) => void response.writeHead(503).end());
    const { ended, refresh } = await connect({ omit: ['id_token'] });
    expect(ended).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(provider.revoked).not.toContain(refresh);
    provider.reset();
    await sentBack(refresh);
  });

  it('is revoked if userinfo names no account, and the log names the field', async () => {
    const { ended, refresh, log } = await connect({ userinfo: { sub: null } });
    expect(ended).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(log).toContain('unexpected sub');
    await sentBack(refresh);
  });

  it('that arrives too late is revoked', async () => {
    const response = Promise.withResolvers<void>();
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    provider.beforeExchange = () => {
      asked();
      return response.promise;
    };
    const connecting = connect();
    await isAsked;
    await steward.clock.advance(steward.context.config.limits.providerTimeoutMs);
    const { ended, log } = await connecting;
    expect(ended).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(log).toContain('did not respond in time');
    const issuedBefore = provider.issued.length;
    response.resolve();
    await eventually(() => provider.issued.length > issuedBefore);
    await sentBack(provider.issued.at(-1) ?? '');
    provider.beforeExchange = () => {};
  });

  it('that arrives too late is revoked, though the service is stopping', async () => {
    const response = Promise.withResolvers<void>();
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    provider.beforeExchange = () => {
      asked();
      return response.promise;
    };
    const stopping = await startSteward(provider.env);
    const connecting = connect({}, stopping);
    await isAsked;
    await stopping.clock.advance(stopping.context.config.limits.providerTimeoutMs);
    await connecting;
    const { orphanedTokens, db } = stopping.context;
    const settling = orphanedTokens.settle();
    const issuedBefore = provider.issued.length;
    response.resolve();
    await settling;
    const late = provider.issued.at(-1) ?? '';
    expect(provider.issued.length).toBeGreaterThan(issuedBefore);
    // Stored, or already revoked.
    const stored = await db.query('select 1 from revocations');
    expect(stored.length > 0 || provider.revoked.includes(late)).toBe(true);
    provider.beforeExchange = () => {};
    await stopping.stop();
  });

  it('does not affect another user who has connected the same account', async () => {
    const owner = await connect();
    expect(owner.ended).toMatchObject({ status: 'connected' });
    const [row] = await steward.sql<{ subject: string }>(
      'select g.subject from grants g join workspace_accounts a on a.grant_id = g.id where a.email = $1',
      [owner.email],
    );
    const before = provider.revoked.length;
    // The owner's account, with another address.
    const { ended } = await connect({ fields: { token_type: 'other' }, userinfo: { sub: row?.subject } });
    expect(ended).toMatchObject({ status: 'error', code: 'provider_error' });
    await eventually(async () => steward.logs.some((line) => line.includes('revocation dropped')));
    await eventually(async () => expect(await steward.sql('select id from revocations where unconfirmed_at is null')).toEqual([]));
    expect(provider.revoked.slice(before)).toEqual([]);
  });
});

describe('a bank', () => {
  const link = async () => {
    const token = await steward.signIn(newName());
    const { status, body } = await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'public-1' } });
    const { accounts } = (await steward.call('/auth/bank/accounts', { token })).body;
    return { status, body, accounts };
  };
  const ITEM = { item_id: 'item', institution_id: 'ins_1', institution_name: 'Emulated Bank', error: null };
  const ACCOUNT = { account_id: 'a1', persistent_account_id: null, name: 'Giro', mask: '4242' };

  it.each([
    ['institution_name missing', { institution_name: undefined }, {}, { bank_name: 'Bank' }],
    ['institution_name null', { institution_name: null }, {}, { bank_name: 'Bank' }],
    ['institution_name a number', { institution_name: 7 }, {}, { bank_name: 'Bank' }],
    ['institution_name of 501 characters', { institution_name: 'b'.repeat(501) }, {}, { bank_name: `${'b'.repeat(499)}…` }],
    ['institution_id a number', { institution_id: 7 }, {}, {}],
    ['consent_expiration_time no time', { consent_expiration_time: 'soon' }, {}, {}],
    ['webhook a number', { webhook: 7 }, {}, {}],
    ['name null', {}, { name: null }, { mask: [{ name: 'Account', mask: '4242' }] }],
    ['name of 501 characters', {}, { name: 'n'.repeat(501) }, { mask: [{ name: `${'n'.repeat(499)}…`, mask: '4242' }] }],
    ['mask a number', {}, { mask: 4242 }, { mask: [{ name: 'Giro', mask: '' }] }],
    ['persistent_account_id a number', {}, { persistent_account_id: 7 }, {}],
  ])('with %s is linked', async (_name, item, account, shown) => {
    bank.on('/item/get', (response) => sendJson(response, 200, { item: { ...ITEM, ...item }, request_id: 'r' }));
    bank.on('/accounts/get', (response) => sendJson(response, 200, { accounts: [{ ...ACCOUNT, ...account }], item: {}, request_id: 'r' }));
    const linked = await link();
    expect(linked.status).toBe(200);
    expect(linked.accounts).toMatchObject([{ status: 'active', ...shown }]);
  });

  it.each([null, 17, 'é'])('whose item id is %j is removed at the aggregator', async (item_id) => {
    bank.on('/item/public_token/exchange', (response) =>
      sendJson(response, 200, { access_token: 'access-canary-odd', item_id, request_id: 'r' }),
    );
    const linked = await link();
    expect(linked.status).toBe(502);
    expect(linked.accounts).toEqual([]);
    await eventually(() => bank.calls.some(({ path, body }) => path === '/item/remove' && body.access_token === 'access-canary-odd'));
  });
});
