import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { callAction } from '../../support/users/agents.ts';
import type { CallOptions } from '../../support/users/request.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

/** More than a process may have under way and not refuse anything; twice as much is refused to everybody. */
const MANY = 130;
const ASKED = 60;
/** pino's number. */
const WARN = 40;
let steward: TestSteward;
let utilisation: number;
let end: (() => void)[];
let user: string;
let token: string;

/** A service with work of one user under way that does not end, and an event loop that has no idle time when a test says so. */
beforeEach(async () => {
  utilisation = 0;
  steward = await startSteward({ LIMIT_BUSY_LATENCY_MS: '100', LIMIT_DATABASE_QUEUE_MS: '150' }, { loopUtilisation: () => utilisation });
  token = await steward.signIn('ana');
  user = (await steward.context.sessions.authenticate(token)).userId;
  end = [];
  begin(MANY, user);
});

afterEach(() => steward.stop());

function begin(count: number, client: string): void {
  end.push(...Array.from({ length: count }, () => steward.context.admission.begin(client)));
}

/** @param others requests under way of somebody else */
async function saturate(others = 0): Promise<void> {
  begin(others, 'others');
  utilisation = 1;
  await eventually(() => expect(steward.context.admission.isSaturated).toBe(true));
}

const authorized = (given = token) => ({ headers: { authorization: given } });

/** Requests of one user at once. */
function flood(path: string, options: object) {
  return Promise.all(Array.from({ length: ASKED }, () => steward.call(path, options)));
}

describe('a saturated process', () => {
  it('refuses requests with 503 and Retry-After, and logs no warning for each', async () => {
    await saturate();
    const responses = await flood('/integrations', authorized());
    const refused = responses.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(ASKED / 2);
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({ status: 'error', code: 'unavailable', message: expect.any(String), request_id: expect.any(String) });
      expect(['1', '2', '3']).toContain(headers.get('retry-after'));
    }
    expect(steward.logs.filter((line) => JSON.parse(line).level === WARN && line.includes('request failed'))).toEqual([]);
  });

  it('refuses calls over sockets with an error frame that says when to try again, and leaves no trace of them', async () => {
    const client = await SocketClient.signedIn(steward.url, await steward.signIn('ben'));
    await saturate(MANY);
    await flood('/integrations', authorized());
    const frames = [];
    for (let count = 0; count < 30; count += 1) frames.push(await client.request({ type: 'call', action: 'mail.search', input: {} }));
    const refused = frames.filter((frame) => frame.error?.code === 'unavailable');
    expect(refused.length).toBeGreaterThan(5);
    for (const frame of refused) {
      expect(frame).toMatchObject({ type: 'error', error: { retryable: true, retryAfter: expect.any(Number) } });
    }
    const [counted] = await steward.sql<{ rows: number }>('select count(*)::int as rows from audit_log');
    expect(counted?.rows).toBeLessThanOrEqual(30 - refused.length);
    await client.close();
  });

  it('refuses messages to the assistant, over sockets too, and new sockets of one who floods', async () => {
    const client = await SocketClient.signedIn(steward.url, token);
    await saturate(MANY);
    const body = { id: crypto.randomUUID(), message: { id: 'm', role: 'user', parts: [{ type: 'text', text: 'hi' }] } };
    const headers = { authorization: token, 'content-type': 'application/json' };
    const responses = await flood('/chat', { method: 'POST', headers, body: JSON.stringify(body) });
    const refused = responses.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(ASKED / 2);
    expect(refused.every((response) => Number(response.headers.get('retry-after')) > 0)).toBe(true);
    const frames = [];
    for (let count = 0; count < ASKED; count += 1) frames.push(await client.request({ type: 'send', id: 'thread', messages: [{}] }));
    expect(frames.filter((frame) => frame.error.code === 'unavailable').length).toBeGreaterThan(5);
    await client.close();
    const upgrades = await Promise.allSettled(Array.from({ length: ASKED }, () => SocketClient.open(steward.url)));
    expect(upgrades.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(ASKED / 2);
    for (const upgrade of upgrades) if (upgrade.status === 'fulfilled') upgrade.value.socket.terminate();
  });

  it('answers probes, and serves what ends or completes something', async () => {
    await saturate();
    await flood('/integrations', authorized());
    for (let count = 0; count < ASKED; count += 1) {
      expect((await steward.call('/health/live')).status).toBe(200);
      const revoked = await steward.call(`/tokens/${crypto.randomUUID()}`, { method: 'DELETE', ...authorized() });
      expect(revoked.status).toBe(404);
      const decided = await steward.call(`/approvals/${crypto.randomUUID()}`, { ...authorized(), form: { approved: 'false' } });
      expect(decided.status).toBe(404);
    }
    expect((await steward.call('/health/ready')).status).toBe(200);
    expect((await steward.call('/update_integrations')).status).toBe(200);
    expect((await steward.call('/user', { method: 'DELETE', ...authorized() })).status).toBe(200);
  });

  it('serves whatever ends or completes something, however often it is asked for', async () => {
    const json = { headers: { 'content-type': 'application/json' }, body: '{}' };
    const completing: [path: string, options: CallOptions, status: number][] = [
      ['/read-only', { token, ...json }, 400],
      ['/sign-out', { token, form: {} }, 200],
      [`/oauth/consent/${'x'.repeat(43)}`, { token, form: { decision: 'deny' } }, 403],
      ['/auth/bank/set_access_token', { token, form: {} }, 400],
      ['/auth/session/callback?state=none', {}, 403],
      ['/auth/workspace/callback?state=none', {}, 303],
      ['/auth/workspace/confirm', { form: { confirmation: 'none', decision: 'confirm' } }, 403],
      ['/webhooks/bank', json, 401],
    ];
    await saturate();
    for (const [path, options, expected] of completing) {
      const statuses = (await flood(path, options)).map(({ status }) => status);
      expect(statuses, path).toEqual(Array(ASKED).fill(expected));
    }
  });

  it('serves decisions on approvals, and how they ended, over sockets', async () => {
    const client = await SocketClient.signedIn(steward.url, token);
    await saturate();
    await flood('/integrations', authorized());
    for (let count = 0; count < 40; count += 1) {
      for (const frame of [{ type: 'approve', approved: false }, { type: 'approval_result' }]) {
        const response = await client.request({ ...frame, approvalId: crypto.randomUUID() });
        expect(response.error.code, frame.type).toBe('not_found');
      }
    }
    await client.close();
  });

  it('refuses the user who floods, not the others', async () => {
    const other = await steward.signIn('ben');
    await saturate();
    const responses = await flood('/integrations', authorized());
    expect(responses.filter(({ status }) => status === 503).length).toBeGreaterThan(ASKED / 2);
    expect((await steward.call('/integrations', authorized(other))).status).toBe(200);
  });

  it('takes on everything again when its event loop has idle time again', async () => {
    await saturate();
    await flood('/integrations', authorized());
    utilisation = 0;
    await eventually(() => expect(steward.context.admission.isSaturated).toBe(false));
    const responses = await flood('/integrations', authorized());
    expect(responses.map(({ status }) => status)).toEqual(Array(ASKED).fill(200));
  });

  it('refuses nothing with little under way: a busy machine is not too much to do', async () => {
    for (const one of end.slice(0, 30)) one();
    await saturate();
    for (let count = 0; count < ASKED; count += 1) expect((await steward.call('/integrations', authorized())).status).toBe(200);
    await expect(callAction(steward, 'mail.search', {}, { token })).rejects.toMatchObject({
      code: expect.not.stringMatching('unavailable'),
    });
  });
});
