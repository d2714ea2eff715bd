import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { FormBrowser } from '../support/browser/browser.ts';
import { ProviderEmulator } from '../support/emulators/provider-emulator.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { openConsent, outcome } from '../support/scenes/flows.ts';
import { startIssuer, type TestIssuer } from '../support/servers/issuer.ts';
import { eventually } from '../support/time/eventually.ts';
import { SessionPage } from '../support/users/session-page.ts';

/** A value that can be searched for; it has a name, so that a failure shows which one leaked. */
function canary(place: string): string {
  return `canary-${place}-${randomBytes(8).toString('hex')}`;
}

const secrets = {
  clientSecret: canary('client-secret'),
  accessToken: canary('access-token'),
  refreshToken: canary('refresh-token'),
  bankSecret: canary('bank-secret'),
  bankAccessToken: canary('bank-access-token'),
};
const masterKey = randomBytes(32).toString('base64');

/** Values that must never be logged: name → value. */
const hidden: Record<string, string> = { ...secrets, masterKey };

let issuer: TestIssuer;
let emulator: ProviderEmulator;
let place: Place;
let child: TestProcess;

function hide(name: string, value = canary(name)): string {
  hidden[`${name} ${Object.keys(hidden).length}`] = value;
  return value;
}

async function signIn(user: string, claims: Record<string, unknown> = {}): Promise<string> {
  const token = await issuer.sign(user, claims);
  const [, payload = '', signature = ''] = token.split('.');
  hide('id-token payload', payload);
  hide('id-token signature', signature);
  return token;
}

beforeAll(async () => {
  [issuer, emulator, place] = await Promise.all([startIssuer(), new ProviderEmulator(secrets).start(), createPlace()]);
  child = await startProcess({ ...place.env, ...issuer.env, ...emulator.env, MASTER_KEYS: `k1:${masterKey}`, LOG_LEVEL: 'trace' });
});

afterAll(async () => {
  await child.kill('SIGKILL');
  await place.remove();
  await emulator.stop();
  issuer.close();
});

/** Runs a flow including its callback, and registers each secret on the way. */
async function walk(user: string, token: string): Promise<Record<string, string>> {
  const browser = new FormBrowser(child.url);
  const { request, consentUrl } = await openConsent(child, { token, email: 'demo@example.com', browser });
  hide('ticket', new URL(request.body.login_url).searchParams.get('token') ?? '');
  for (const value of browser.cookies.values()) hide('binding cookie', value);
  const parameters = new URL(consentUrl).searchParams;
  for (const name of ['state', 'nonce', 'code_challenge']) hide(name, parameters.get(name) ?? '');
  const query = new URLSearchParams({ state: parameters.get('state') ?? '', code: hide(`code-${user}`) });
  return outcome(await browser.visit(`/auth/workspace/callback?${query}`));
}

describe('no secret is ever printed, at LOG_LEVEL=trace', () => {
  it('not by valid requests', async () => {
    const token = await signIn('ana');
    expect(await walk('ana', token)).toMatchObject({ status: 'connected' });
    const link = await child.call('/auth/bank/set_access_token', { token, form: { public_token: hide('public-token') } });
    expect(link.body).toEqual({ success: true });
    const [entry] = (await child.call('/auth/bank/accounts', { token })).body.accounts;
    expect((await child.call(`/auth/bank/accounts/${entry.id}/refresh`, { method: 'POST', token })).body).toEqual({ success: true });
    expect((await child.call('/auth/bank/create_link_token', { token, form: { account_id: entry.id } })).status).toBe(200);
    expect((await child.call(`/auth/workspace/login?token=${await signIn('ana')}`)).status).toBe(303);
    const [account] = (await child.call('/auth/workspace/accounts', { token })).body.accounts;
    expect((await child.call(`/auth/workspace/accounts/${account.id}`, { method: 'DELETE', token })).body).toEqual({ success: true });
    expect((await child.call(`/auth/bank/accounts/${entry.id}`, { method: 'DELETE', token })).body).toEqual({ success: true });
    await eventually(() => emulator.callsOf('/revoke').length > 0 && emulator.callsOf('/item/remove').length > 0);
  });

  it('not by rejected requests', async () => {
    const json = { 'content-type': 'application/json' };
    const statuses = await Promise.all([
      child.call('/auth/bank/accounts', { token: hide('authorization') }),
      child.call('/auth/bank/accounts', { token: `Bearer ${hide('bearer')}` }),
      child.call('/auth/bank/accounts', { token: await signIn('ana', { aud: 'another' }) }),
      child.call('/auth/bank/accounts', { token: await signIn('ana', { exp: 1_000_000_000 }) }),
      child.call(`/auth/workspace/login?token=${hide('login-ticket')}`),
      child.call(`/auth/workspace/login?token=a.${hide('login-token')}.c`),
      child.call(`/auth/workspace/login?token=x&token=${hide('second-token')}`),
      child.call(`/auth/workspace/callback?state=${hide('unknown-state')}&code=${hide('unknown-code')}`),
      child.call(`/auth/workspace/callback?error=${hide('provider-error')}&state=x`),
      child.call('/auth/workspace/confirm', { form: { confirmation: hide('confirmation'), decision: 'confirm' } }),
      child.call('/workspace_access_request', {
        form: { email: 'a@example.com' },
        headers: { cookie: `steward_binding=${hide('cookie')}` },
      }),
      child.call('/workspace_access_request', { token: await signIn('ana'), form: { email: `${hide('bad-email')}` } }),
      child.call('/waitlist', { form: { email: `${hide('bad-address')}\r\n` } }),
      child.call('/waitlist', { body: `{"email": "${hide('broken-json')}`, headers: json }),
      child.call('/waitlist', {
        body: `email=%zz${hide('broken-form')}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
      child.call('/waitlist', { body: JSON.stringify({ email: hide('large') + 'x'.repeat(20_000) }), headers: json }),
      child.call('/webhooks/bank', {
        body: JSON.stringify({ item_id: hide('webhook') }),
        headers: { ...json, 'plaid-verification': hide('webhook-jwt') },
      }),
      child.call(`/nowhere?key=${hide('unknown-query')}`),
      child.call(`/auth/workspace/login/${await signIn('ana')}`),
      child.call(`/auth/bank/accounts/x;token=${await signIn('ana')}`, { method: 'DELETE' }),
      child.call(`/auth%2F${await signIn('ana')}/accounts`),
      child.call(`/auth/bank/accounts/${hide('long-secret', randomBytes(32).toString('hex'))}`, { method: 'DELETE' }),
      child.call('/test', { headers: { 'x-api-key': hide('foreign-header'), referer: `https://a.example/?t=${hide('referer')}` } }),
    ]);
    expect(statuses.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
  });

  it('not when providers return errors that contain them', async () => {
    const token = await signIn('ben');
    const response = (path: string, status: number) =>
      emulator.on(path, {
        status: status,
        body: {
          error: hide('echo'),
          error_description: `${hide('echo')} ${secrets.refreshToken}`,
          error_code: 'ITEM_LOGIN_REQUIRED',
          error_type: 'ITEM_ERROR',
          error_message: `${hide('echo')} ${secrets.bankAccessToken}`,
          request_id: 'r',
          access_token: secrets.accessToken,
        },
      });
    for (const [path, status] of [
      ['/token', 400],
      ['/token', 200],
      ['/userinfo', 401],
      ['/userinfo', 500],
    ] as const) {
      response('/token', path === '/token' ? status : 200);
      if (path === '/userinfo') {
        emulator.on('/token', {
          status: 200,
          body: {
            access_token: secrets.accessToken,
            refresh_token: secrets.refreshToken,
            token_type: 'Bearer',
            expires_in: 60,
          },
        });
        response('/userinfo', status);
      }
      expect(await walk('ben', token)).toMatchObject({ status: 'error' });
    }
    for (const path of ['/item/public_token/exchange', '/link/token/create']) response(path, 400);
    const link = await child.call('/auth/bank/set_access_token', { token, form: { public_token: hide('public-token') } });
    expect(link.body).toMatchObject({ status: 'error', code: 'relink_required' });
    expect((await child.call('/auth/bank/create_link_token', { method: 'POST', token })).status).toBe(409);
    emulator.on('/item/public_token/exchange', { body: { access_token: secrets.bankAccessToken } });
    const half = await child.call('/auth/bank/set_access_token', { token, form: { public_token: hide('public-token') } });
    expect(half).toMatchObject({ status: 502, body: { code: 'provider_error' } });
    for (const rejected of [link, half]) for (const secret of Object.values(hidden)) expect(rejected.text).not.toContain(secret);
  });

  it('not when the database rejects a value', async () => {
    if (place.env.DATABASE_URL !== undefined) await place.sql('alter table grants rename to grants_gone');
    const responses = await Promise.all([
      child.call('/auth/bank/set_access_token', { token: await signIn('cleo'), form: { public_token: hide('public-token') } }),
      child.call('/auth/workspace/callback', { token: await signIn('cleo') }),
    ]);
    if (place.env.DATABASE_URL !== undefined) await place.sql('alter table grants_gone rename to grants');
    for (const response of responses) for (const secret of Object.values(hidden)) expect(response.text).not.toContain(secret);
  });

  it('not by sockets', async () => {
    const socket = new WebSocket(`${child.url.replace('http', 'ws')}/ws?token=${hide('socket-query')}`);
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ type: 'authenticate', requestId: '1', token: hide('socket-token') }));
    await new Promise((resolve) => socket.once('close', resolve));
    const garbage = new WebSocket(`${child.url.replace('http', 'ws')}/ws`);
    await new Promise((resolve) => garbage.once('open', resolve));
    garbage.send(`{"token":"${hide('socket-garbage')}`);
    await new Promise((resolve) => garbage.once('close', resolve));
  });

  it('not by sessions of Steward’s own pages', async () => {
    const page = await SessionPage.open(child, await signIn('dora'));
    hide('session cookie', page.cookie.split('=')[1]);
    hide('session csrf', page.csrf);
    const statuses = await Promise.all([
      page.call('/user/preferences'),
      page.call('/user/preferences', { headers: { 'x-csrf-token': hide('wrong-csrf') } }),
      page.call('/user/preferences', { headers: { cookie: `steward_session=${hide('wrong-session')}` } }),
      page.call(`/nowhere?csrf_token=${page.csrf}`, { headers: { accept: 'text/html' } }),
      child.call('/sign-out', { form: { csrf: hide('wrong-form') }, headers: page.headers }),
      child.call('/auth/session', { form: { id_token: hide('form-token'), state: hide('form-state') }, headers: page.headers }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 403, 401, 404, 403, 403]);
    expect((await page.call('/auth/session', { headers: { origin: 'https://other.example' } })).status).toBe(403);
    const client = await page.signedIn();
    expect((await client.present(hide('wrong-frame', 'y'.repeat(43)), '2')).type).toBe('error');
    expect((await client.ended).code).toBe(4401);
    expect((await page.call('/auth/session', { method: 'DELETE' })).status).toBe(200);
  });

  it('logs every request of these tests', async () => {
    const exit = await child.kill('SIGTERM');
    expect(exit.code).toBe(0);
    for (const path of ['/auth/workspace/callback', '/auth/workspace/login', '/auth/bank/set_access_token', '/nowhere']) {
      expect(exit.output).toContain(`"path":"${path}"`);
    }
    expect(exit.output).toContain('connecting a workspace account failed');
    expect(Object.keys(hidden).length).toBeGreaterThan(40);
    const leaked = Object.entries(hidden).filter(([, value]) => value !== '' && exit.output.includes(value));
    expect(leaked.map(([name]) => name)).toEqual([]);
    expect(Object.entries(hidden).filter(([, value]) => value === '')).toEqual([]);
  });
});
