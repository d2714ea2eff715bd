import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { subjectOf, WorkspaceEmulator } from '../../support/emulators/workspace-emulator.ts';
import {
  connect,
  connectUnbound,
  linkBank,
  liveTokens,
  newName,
  outcome,
  sweepNow,
  workspaceAccounts,
} from '../../support/scenes/flows.ts';
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { earlierSignIn } from '../../support/users/earlier-sign-in.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request } from '../../support/users/request.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const NONE = { access: 0, refresh: 0 };
/** Every table with data of one user. */
const OWNED = ['user_keys', 'grants', 'workspace_accounts', 'bank_items', 'browser_bindings', 'oauth_flows'];

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({ LIMIT_REVOCATION_RETRY_SECONDS: '1' });
});

afterAll(() => steward.stop());
afterEach(() => steward.control('faults/clear', {}));

function erase(token: string, service = steward) {
  return service.call('/user', { method: 'DELETE', token });
}

function subjectIn(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub;
}

async function userId(token: string, service = steward): Promise<string | undefined> {
  return (await service.sql<{ id: string }>('select id from users where subject = $1', [subjectIn(token)]))[0]?.id;
}

async function rowsOf(id: string | undefined): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of OWNED) {
    counts[table] = (await steward.sql(`select 1 from ${table} where user_id = $1`, [id])).length;
  }
  return counts;
}

async function connectedUser() {
  const name = newName();
  const token = await steward.signIn(name);
  const email = `${name}@example.com`;
  await connect(steward, { token, email });
  return { name, token, email };
}

const revoked = () => eventually(async () => expect(await steward.sql('select id from revocations')).toEqual([]));

/** Signs in a second later by the sandbox's clock: an ID token's `iat` has whole seconds. */
async function signInAgain(name: string): Promise<string> {
  await steward.control('clock', { advance_ms: 2_000 });
  const token = await steward.signIn(name);
  await steward.control('clock', { advance_ms: -2_000 });
  return token;
}

describe('DELETE /user', () => {
  it('is protected', async () => {
    expectError(await request(steward.url).delete('/user'), 'invalid_token');
  });

  it('disconnects all accounts, and leaves no data of the user', async () => {
    const { name, token, email } = await connectedUser();
    const other = `${newName()}@example.com`;
    await connect(steward, { token, email: other });
    const held = `${newName()}@example.com`;
    expect((await connectUnbound(steward, { token, email: held })).page.status).toBe(200);
    await linkBank(steward, token);
    const id = await userId(token);
    expect(Object.values(await rowsOf(id)).every((count) => count > 0)).toBe(true);
    const itemsBefore: { status: string }[] = (await steward.control('bank/state')).items;

    const response = await erase(token);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ success: true });
    expect(await userId(token)).toBeUndefined();
    expect(Object.values(await rowsOf(id)).every((count) => count === 0)).toBe(true);
    for (const account of [email, other, held]) {
      await eventually(async () => expect(await liveTokens(steward, account)).toEqual(NONE));
    }
    await revoked();
    expect(JSON.stringify((await steward.control('bank/state')).items)).not.toBe(JSON.stringify(itemsBefore));
    expect(JSON.stringify(await steward.sql('select * from deleted_users'))).not.toContain(name);
  });

  it('closes the user’s sockets with 4401, and no other user’s', async () => {
    const [gone, stays] = [await steward.signIn(newName()), await steward.signIn(newName())];
    const theirs = await Promise.all([SocketClient.signedIn(steward.url, gone), SocketClient.signedIn(steward.url, gone)]);
    const bystander = await SocketClient.signedIn(steward.url, stays);
    expect((await erase(gone)).status).toBe(200);
    for (const { ended } of theirs) expect(await ended).toEqual({ code: 4401, reason: 'user deleted' });
    expect((await bystander.request({ type: 'list' })).type).toBe('result');
    await bystander.close();
  });

  it('does not affect other users', async () => {
    const [gone, stays] = [await connectedUser(), await connectedUser()];
    await erase(gone.token);
    await revoked();
    expect(await workspaceAccounts(steward, stays.token)).toMatchObject([{ email: stays.email, status: 'active' }]);
    expect((await liveTokens(steward, stays.email)).refresh).toBe(1);
  });

  it('does not revoke an account that another user has connected, too', async () => {
    const gone = await connectedUser();
    const stays = await steward.signIn(newName());
    await connect(steward, { token: stays, email: gone.email });
    await erase(gone.token);
    await revoked();
    expect((await liveTokens(steward, gone.email)).refresh).toBe(2);
    expect(await workspaceAccounts(steward, stays)).toHaveLength(1);
  });

  it('destroys the user’s key even while the provider is unavailable, and revokes once it is available', async () => {
    const { token, email } = await connectedUser();
    const id = await userId(token);
    await steward.control('faults', { part: 'workspace', path: '/revoke', kind: 'status', status: 503 });
    expect((await erase(token)).body).toEqual({ success: true });
    expect(await steward.sql('select 1 from user_keys where user_id = $1', [id])).toEqual([]);
    await eventually(async () => (await steward.sql('select 1 from revocations where attempts > 0')).length > 0);
    expect((await liveTokens(steward, email)).refresh).toBe(1);
    await steward.control('faults/clear', {});
    await eventually(async () => expect(await liveTokens(steward, email)).toEqual(NONE));
    await revoked();
  });

  it('invalidates every token issued before, also after a restart; a new sign-in creates a new user, who can be deleted too', async () => {
    const { name, token } = await connectedUser();
    const second = await steward.signIn(name);
    await request(steward.url).get('/auth/workspace/accounts').set('Authorization', second);
    const id = await userId(token);
    await erase(token);
    for (const old of [token, second]) {
      expectError(await request(steward.url).get('/auth/workspace/accounts').set('Authorization', old), 'invalid_token');
      expectError(
        await request(steward.url)
          .post('/workspace_access_request')
          .set('Authorization', old)
          .type('form')
          .send({ email: 'demo@example.com' }),
        'invalid_token',
      );
      expectError(await request(steward.url).get(`/auth/workspace/login?token=${old}`), 'invalid_token');
    }
    expectError(await erase(token), 'invalid_token');
    expect(await userId(token)).toBeUndefined();
    await revoked();

    steward = await steward.restart();
    expectError(await request(steward.url).get('/auth/workspace/accounts').set('Authorization', token), 'invalid_token');
    const fresh = await signInAgain(name);
    expect(await workspaceAccounts(steward, fresh)).toEqual([]);
    expect(await userId(fresh)).not.toBe(id);
    expectError(await request(steward.url).get('/auth/workspace/accounts').set('Authorization', token), 'invalid_token');
    expect(outcome((await connect(steward, { token: fresh })).callback).status).toBe('connected');
    expect((await erase(fresh)).body).toEqual({ success: true });
    expectError(await request(steward.url).get('/auth/workspace/accounts').set('Authorization', fresh), 'invalid_token');
    await revoked();
  });

  it('ends the user’s flows: ticket, callback and confirmation become invalid', async () => {
    const { token } = await connectedUser();
    const { body } = await request(steward.url)
      .post('/workspace_access_request')
      .set('Authorization', token)
      .type('form')
      .send({ email: 'demo@example.com' });
    const { browser, page, callbackUrl } = await connectUnbound(steward, { token, email: `${newName()}@example.com` });
    await erase(token);
    expectError(await request().get(body.login_url), 'invalid_token');
    expect(outcome(await browser.visit(callbackUrl))).toMatchObject({ status: 'error', code: 'expired' });
    const fields = { confirmation: /name="confirmation" value="([^"]+)"/.exec(page.text)?.[1] ?? '', decision: 'confirm' };
    expectError(await browser.visit('/auth/workspace/confirm', { form: fields, headers: { accept: 'application/json' } }), 'forbidden');
  });

  it('requires a sign-in within the last five minutes', async () => {
    const name = newName();
    const token = await earlierSignIn(steward, name, 6 * 60_000);
    const { callback } = await connect(steward, { token, email: `${name}@example.com` });
    const response = await erase(token);
    expectError(response, 'recent_login_required');
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ id: outcome(callback).account_id, status: 'active' }]);
    expect((await liveTokens(steward, `${name}@example.com`)).refresh).toBe(1);
    expect((await erase(await earlierSignIn(steward, name, 3 * 60_000))).body).toEqual({ success: true });
    expectError(await request(steward.url).get('/auth/workspace/accounts').set('Authorization', token), 'invalid_token');
  });
});

describe('DELETE /user with an operator’s issuer, while a connection is in progress', () => {
  let issuer: TestIssuer;
  let provider: WorkspaceEmulator;
  let service: TestSteward;

  beforeAll(async () => {
    issuer = await startIssuer();
    provider = await new WorkspaceEmulator().start();
    service = await startSteward({ ...issuer.env, ...provider.env });
  });
  afterAll(async () => {
    await service.stop();
    await provider.stop();
    issuer.close();
  });

  it.each([
    ['no auth_time', () => undefined],
    ['an auth_time an hour ago', () => Math.floor(service.clock.now() / 1000) - 3600],
    ['an auth_time of 0', () => 0],
  ])('%s is not a recent sign-in, however recent the token', async (_name, authTime) => {
    const token = await issuer.sign(newName(), { auth_time: authTime() });
    await service.call('/auth/workspace/accounts', { token });
    expectError(await erase(token, service), 'recent_login_required');
    expect(await userId(token, service)).toBeDefined();
  });

  it('invalidates the token of an issuer whose clock is ahead', async () => {
    const token = await issuer.sign(newName(), { iat: Math.floor(service.clock.now() / 1000) + 50 });
    expect((await erase(token, service)).body).toEqual({ success: true });
    expectError(await service.call('/auth/workspace/accounts', { token }), 'invalid_token');
    expect(await userId(token, service)).toBeUndefined();
  });

  it.each([
    ['whose browser is bound', true],
    ['that would have to be confirmed', false],
  ])('a callback %s connects no account, and its tokens are revoked', async (_name, bound) => {
    const email = `${newName()}@example.com`;
    const token = await issuer.sign(newName());
    const browser = new FormBrowser(service.url);
    const asking = bound ? browser : new FormBrowser(service.url);
    const { body } = await asking.visit('/workspace_access_request', { token, form: { email } });
    const consentUrl = (await browser.visit(body.login_url)).headers.get('location') ?? '';
    const { promise: mayRespond, resolve: letRespond } = Promise.withResolvers<void>();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    provider.on('/userinfo', (response) => {
      reach();
      void mayRespond.then(() => response.end(JSON.stringify({ sub: subjectOf(email), email, email_verified: true })));
    });
    const callback = browser.visit(provider.approve(consentUrl, email));
    await reached;
    expect((await erase(token, service)).body).toEqual({ success: true });
    letRespond();
    expect(outcome(await callback)).toEqual({ integration: 'workspace', status: 'error', code: 'expired' });
    provider.reset();
    expect(await service.sql('select 1 from grants where subject = $1', [subjectOf(email)])).toEqual([]);
    await sweepNow(service);
    await eventually(() => provider.revoked.includes(provider.issued.at(-1) ?? ''));
  });

  it('a callback that waits for another user’s revocation connects no account either', async () => {
    const email = `${newName()}@example.com`;
    const other = await issuer.sign(newName());
    const first = await callbackOf(other, email);
    const { account_id: id } = outcome(await first.browser.visit(first.callbackUrl));
    const { promise: mayRespond, resolve: letRespond } = Promise.withResolvers<void>();
    provider.on('/revoke', (response) => void mayRespond.then(() => response.writeHead(503).end()));
    await service.call(`/auth/workspace/accounts/${id}`, { method: 'DELETE', token: other });
    await eventually(async () => (await service.sql('select 1 from provider_subjects where revoking_until > now()')).length > 0);

    const token = await issuer.sign(newName());
    const { browser, callbackUrl } = await callbackOf(token, email);
    let asked = false;
    provider.on('/userinfo', (response) => {
      asked = true;
      response.end(JSON.stringify({ sub: subjectOf(email), email, email_verified: true }));
    });
    const callback = browser.visit(callbackUrl);
    await eventually(() => asked);
    expect((await erase(token, service)).body).toEqual({ success: true });
    letRespond();
    expect(outcome(await callback)).toEqual({ integration: 'workspace', status: 'error', code: 'expired' });
    provider.reset();
    await sweepNow(service);
    await eventually(() => provider.revoked.includes(provider.issued.at(-1) ?? ''));
  });

  /** A flow in a bound browser, up to the callback. */
  async function callbackOf(token: string, email: string) {
    const browser = new FormBrowser(service.url);
    const { body } = await browser.visit('/workspace_access_request', { token, form: { email } });
    const consentUrl = (await browser.visit(body.login_url)).headers.get('location') ?? '';
    return { browser, callbackUrl: provider.approve(consentUrl, email) };
  }
});
