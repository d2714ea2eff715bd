import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresDatabase, hasPostgres } from '../../support/database/postgres.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { startSteward } from '../../support/steward.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { SessionPage } from '../../support/users/session-page.ts';
import { sessionOf } from '../../support/users/sign-in.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const FRONT_END = 'https://app.example.com';
const ACTION = 'test.notify';

let scene: ExecutorScene;
let user: ConnectedGrant;
let page: SessionPage;

beforeAll(async () => {
  scene = await ExecutorScene.start({ ALLOWED_ORIGINS: FRONT_END });
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.policies.set(ACTION, { approval: 'destructive' });
  scene.sending(200);
  user = await scene.connect();
  page = await SessionPage.open(scene.steward, user.token);
});

const refused = (code: string) => ({ type: 'error', error: { code } });

describe('a socket of a session', () => {
  it('is that of the user in person: it calls, approves, and the audit log names no client', async () => {
    const client = await page.signedIn();
    const asked = await client.request({ type: 'call', action: ACTION, input: { to: ['ana@example.com'] } });
    expect(asked).toMatchObject(refused('approval_required'));
    const { approvalId } = asked.error;
    expect((await client.request({ type: 'approvals' })).data.approvals).toMatchObject([{ approvalId }]);
    expect(await client.request({ type: 'approve', approvalId, approved: true })).toMatchObject({ type: 'result', data: { id: 'm1' } });
    expect(scene.sent).toBe(1);
    const { entries } = (await page.call('/user/audit')).body;
    expect(entries.length).toBeGreaterThan(1);
    for (const entry of entries) expect(entry).toMatchObject({ surface: 'socket', client_id: null, action: ACTION });
    await client.close();
  });

  it('does over HTTP what it does here', async () => {
    const asked = await page.json(`/agents/${ACTION}`, { to: ['ana@example.com'] });
    expect(asked).toMatchObject({ status: 409, body: { code: 'approval_required' } });
    const { approvalId } = asked.body.details;
    const { shown } = (await page.call(`/approvals/${approvalId}`)).body;
    expect((await page.json(`/approvals/${approvalId}`, { approved: true })).body.code).toBe('conflict');
    const decided = await page.json(`/approvals/${approvalId}`, { approved: true, shown });
    expect(decided).toMatchObject({ status: 200, body: { data: { id: 'm1' } } });
    expect(scene.sent).toBe(1);
    for (const entry of (await page.call('/user/audit')).body.entries) expect(entry).toMatchObject({ client_id: null, action: ACTION });
  });

  it.each([
    ['no origin, as programs', undefined],
    ['an allowed front end', FRONT_END],
    ['another port of this machine', 'http://127.0.0.1:1'],
  ])('is not opened by %s, even with cookie and CSRF token', async (_where, origin) => {
    const client = await SocketClient.open(scene.steward.url, {
      headers: { cookie: page.cookie },
      ...(origin !== undefined && { origin }),
    });
    expect(await client.present(page.csrf)).toMatchObject(refused('invalid_token'));
    expect(await client.ended).toMatchObject({ code: 4401 });
  });

  it.each(['https://evil.example', 'null'])('is not even upgraded for %s', async (origin) => {
    const client = new SocketClient(scene.steward.url, { origin, headers: { cookie: page.cookie } });
    expect((await client.ended).code).toBe(1006);
  });

  it.each<[string, (csrf: string) => object]>([
    ['without a CSRF token', () => ({ csrf_token: '' })],
    ['with a CSRF token that is too long', (csrf) => ({ csrf_token: csrf.repeat(3) })],
    ['with a CSRF token of nobody', () => ({ csrf_token: 'x'.repeat(43) })],
    ['with an ID token as well', (csrf) => ({ csrf_token: csrf, token: 'x' })],
    ['with the cookie’s secret', () => ({ csrf_token: page.cookie.split('=')[1] })],
    ['with the CSRF token in place of an ID token', (csrf) => ({ token: csrf })],
    ['by its cookie alone', () => ({})],
  ])('is not opened %s', async (_how, credential) => {
    const client = await page.socket();
    client.send({ type: 'authenticate', requestId: '1', ...credential(page.csrf) });
    expect((await client.frame('1')).type).toBe('error');
    expect(await client.ended).toMatchObject({ code: 4401 });
  });

  it('is not opened with the CSRF token of another session, nor after its session has ended', async () => {
    const other = await SessionPage.open(scene.steward, (await scene.connect()).token);
    expect(await (await page.socket()).present(other.csrf)).toMatchObject(refused('forbidden'));
    const second = await SessionPage.open(scene.steward, user.token);
    expect(await (await page.socket()).present(second.csrf)).toMatchObject(refused('forbidden'));
    const late = await page.socket();
    expect((await page.call('/auth/session', { method: 'DELETE' })).status).toBe(200);
    expect(await late.present(page.csrf)).toMatchObject(refused('invalid_token'));
  });

  it('is renewed by another session of the user, and then lasts as long as that', async () => {
    const client = await page.signedIn();
    const browser = await sessionOf(scene.steward, user.token);
    const next = await SessionPage.open(scene.steward, user.token, browser);
    expect(await client.present(next.csrf, '2')).toMatchObject({ type: 'ready', uid: user.userId });
    expect((await page.call('/auth/session', { method: 'DELETE' })).status).toBe(200);
    expect((await client.request({ type: 'approvals' })).type).toBe('result');
    expect((await next.call('/auth/session', { method: 'DELETE' })).status).toBe(200);
    expect(await client.ended).toEqual({ code: 4401, reason: 'session ended' });
  });

  it('is not renewed by a session of another user', async () => {
    const client = await page.signedIn();
    const other = await SessionPage.open(scene.steward, (await scene.connect()).token);
    expect(await client.present(other.csrf, '2')).toMatchObject(refused('forbidden'));
    expect(await client.ended).toEqual({ code: 4401, reason: 'authentication failed' });
  });

  it('is not renewed by a session of the user that has expired', async () => {
    const client = await page.signedIn();
    const late = await SessionPage.open(scene.steward, user.token);
    const [, secret] = late.cookie.split('=');
    await scene.steward.sql('update web_sessions set expires_at = now() where secret_hash = sha256($1::bytea)', [
      Buffer.from(String(secret)),
    ]);
    expect(await client.present(late.csrf, '2')).toMatchObject(refused('forbidden'));
    expect(await client.ended).toEqual({ code: 4401, reason: 'authentication failed' });
  });

  it('is closed when its session has ended before the response to who ends it, others of the user stay', async () => {
    const second = await SessionPage.open(scene.steward, user.token);
    const [client, stays] = [await page.signedIn(), await second.signedIn()];
    expect((await page.call('/auth/session', { method: 'DELETE' })).status).toBe(200);
    expect(await client.ended).toEqual({ code: 4401, reason: 'session ended' });
    expect((await stays.request({ type: 'approvals' })).type).toBe('result');
    expect((await scene.steward.call('/auth/session', { method: 'DELETE', token: user.token })).status).toBe(200);
    expect(await stays.ended).toEqual({ code: 4401, reason: 'session ended' });
  });

  it('is closed with the end of its session, however busy it is', async () => {
    const { expires_at: end } = (await page.call('/auth/session')).body.session;
    expect(Math.round((Date.parse(end) - scene.steward.clock.now()) / 3_600_000)).toBe(12);
    // The last minute of the twelve hours.
    await scene.steward.sql(`update web_sessions set expires_at = expires_at - interval '11 hours 59 minutes'`);
    const client = await page.signedIn();
    expect((await client.request({ type: 'approvals' })).type).toBe('result');
    await scene.steward.clock.advance(61_000);
    expect(await client.ended).toEqual({ code: 4401, reason: 'token expired' });
    await scene.steward.clock.advance(-61_000);
  });

  it('is closed with the user', async () => {
    const client = await page.signedIn();
    expect((await page.call('/user', { method: 'DELETE' })).status).toBe(200);
    expect((await client.ended).code).toBe(4401);
  });
});

describe.skipIf(!hasPostgres)('a socket of a session on another replica', () => {
  it.each(['its session', 'all sessions of the user', 'the user'])('is closed when %s has been ended here', async (what) => {
    const database = await createPostgresDatabase();
    const env = { DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
    const [here, there] = [await startSteward(env), await startSteward(env)];
    const token = await here.signIn('ada');
    const own = await SessionPage.open(here, token);
    const client = await SocketClient.open(there.url, { origin: there.url, headers: { cookie: own.cookie } });
    expect((await client.present(own.csrf)).type).toBe('ready');
    const path = what === 'the user' ? '/user' : '/auth/session';
    const ended = what === 'its session' ? own.call(path, { method: 'DELETE' }) : here.call(path, { method: 'DELETE', token });
    expect((await ended).status).toBe(200);
    await there.tick();
    expect((await client.ended).code).toBe(4401);
    await Promise.all([here.stop(), there.stop()]);
    await database.drop();
  });
});
