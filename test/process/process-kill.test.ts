import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FormBrowser } from '../support/browser/browser.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { connect, consent, createPublicToken, linkBank, openConsent, outcome } from '../support/scenes/flows.ts';
import { freePort } from '../support/servers/free-port.ts';
import { eventually } from '../support/time/eventually.ts';
import { McpClient } from '../support/users/mcp-client.ts';
import { SessionPage } from '../support/users/session-page.ts';
import { sessionOf } from '../support/users/sign-in.ts';

let place: Place;
let child: TestProcess;

beforeEach(async () => {
  place = await createPlace();
});

afterEach(async () => {
  await child.kill('SIGKILL');
  await place.remove();
});

async function start(env: Record<string, string> = {}): Promise<TestProcess> {
  child = await startProcess({ ...place.env, ...env });
  return child;
}

/** A browser before the callback. */
async function approve(user: string, email: string) {
  const opened = await openConsent(child, { token: await child.signIn(user), email });
  return { ...opened, callbackUrl: await consent(opened.browser, opened.consentUrl, { email }) };
}

/** Starts a request that waits for a hanging provider. */
async function runInto(part: 'workspace' | 'bank', path: string, request: () => Promise<unknown>): Promise<void> {
  const seen = async () => ((await child.control('state')).calls[part][path] ?? 0) as number;
  const before = await seen();
  await child.control('faults', { part, path, kind: 'hang', times: 1 });
  request().catch(() => {});
  await eventually(async () => (await seen()) > before);
}

describe('kill -9 in the middle', () => {
  it('of callbacks and bank links: no half row, the late callback is expired, and users can start again', async () => {
    const port = String(await freePort());
    await start({ PORT: port });
    const first = await approve('ana', 'ana@example.com');
    const second = await approve('ben', 'ben@example.com');
    const [cleo, dora] = [await child.signIn('cleo'), await child.signIn('dora')];
    const [unspent, spent] = [await createPublicToken(child), await createPublicToken(child)];
    const link = (token: string, publicToken: string) =>
      child.call('/auth/bank/set_access_token', { token, form: { public_token: publicToken } });
    await runInto('workspace', '/token', () => first.browser.visit(first.callbackUrl));
    await runInto('workspace', '/userinfo', () => second.browser.visit(second.callbackUrl));
    await runInto('bank', '/item/public_token/exchange', () => link(cleo, unspent));
    await runInto('bank', '/item/get', () => link(dora, spent));
    await child.kill('SIGKILL');

    // One statement: each one opens the embedded database again.
    const rows = ['grants', 'workspace_accounts', 'bank_items', 'revocations'].map((table) => `select '${table}' as name from ${table}`);
    expect(await place.sql(rows.join(' union all '))).toEqual([]);
    const flows = await place.sql('select consumed_at is not null as consumed, secrets, outcome, pending from oauth_flows');
    const claimed = { consumed: true, secrets: null, outcome: null, pending: null };
    expect(flows).toEqual([claimed, claimed]);

    await start({ PORT: port });
    const late = await Promise.all([first, second].map(({ browser, callbackUrl }) => browser.visit(callbackUrl)));
    for (const callback of late) {
      expect(callback.status).toBe(303);
      expect(outcome(callback)).toEqual({ integration: 'workspace', status: 'error', code: 'expired' });
    }
    expect((await child.control('state')).calls.workspace.exchanges).toBeUndefined();

    for (const [user, { browser }] of [
      ['ana', first],
      ['ben', second],
    ] as const) {
      const again = await connect(child, { token: await child.signIn(user), email: `${user}@example.com`, browser });
      expect(outcome(again.callback)).toMatchObject({ status: 'connected' });
    }
    expect((await link(await child.signIn('cleo'), unspent)).body).toEqual({ success: true });
    const doraAgain = await child.signIn('dora');
    expect(await link(doraAgain, spent)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await linkBank(child, doraAgain)).body).toEqual({ success: true });
    expect((await child.call('/auth/bank/accounts', { token: doraAgain })).body.accounts).toHaveLength(1);
  });

  it('of a flow before its callback: the consent is still valid after the restart', async () => {
    const port = String(await freePort());
    await start({ PORT: port });
    const { browser, callbackUrl } = await approve('ana', 'ana@example.com');
    await child.kill('SIGKILL');
    await start({ PORT: port });
    expect(outcome(await browser.visit(callbackUrl))).toMatchObject({ status: 'connected' });
  });
});

describe('kill -9 while an approved call runs', () => {
  it('leaves it running until its time is over, and then with an unknown outcome, for the client that asked', async () => {
    const port = String(await freePort());
    await start({ PORT: port });
    const { token } = await connect(child, { email: 'demo@example.com' });
    const post = (path: string, credential: string, body: object) =>
      child.call(path, { token: credential, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    const client = (await post('/tokens', token, { name: 'script', actions: ['mail.*'], access: 'write' })).body.token;
    const asked = await post('/agents/mail.send', client, { to: ['ana@example.org'], subject: 'Hello', body: 'x' });
    const { approvalId } = asked.body.details;
    const approve = () => post(`/approvals/${approvalId}`, token, { approved: true });
    await runInto('workspace', '/api/gmail/v1/users/me/messages/send', approve);
    await child.kill('SIGKILL');

    await start({ PORT: port });
    const result = async () => (await child.call(`/approvals/${approvalId}/result`, { token: client })).body;
    const page = async () => (await child.call(`/approvals/${approvalId}`, { token, headers: { accept: 'text/html' } })).text;
    expect(await result()).toEqual({ status: 'running' });
    expect(await page()).toContain('It is running.');
    await child.kill('SIGKILL');
    await place.sql('update approvals set outcome_until = now()');
    await start({ PORT: port });
    expect(await result()).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
    expect(await page()).toContain('It may have been done');
  });
});

describe('kill -9 between the question and the answer', () => {
  it('leaves the question to its page, which was open before, and to the session that began before', async () => {
    const port = String(await freePort());
    await start({ PORT: port });
    const { token } = await connect(child, { email: 'demo@example.com' });
    const browser = await sessionOf(child, token);
    const page = await SessionPage.open(child, token, browser);
    const ask = async (to: string) =>
      (await page.json('/agents/mail.send', { to: [to], subject: 'Hello', body: 'x' })).body.details.approvalId;
    const [first, second] = [await ask('ana@example.org'), await ask('ben@example.org')];
    const opened = await browser.visit(`/approvals/${first}`);
    const { shown } = (await page.call(`/approvals/${second}`)).body;
    await child.kill('SIGKILL');

    await start({ PORT: port });
    const later = new FormBrowser(child.url).take(browser);
    const end = await later.submit(opened, `/approvals/${first}`, (fields) => fields.set('approved', 'true'));
    expect(end).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Done</h1>') });
    // With the secrets of before, as a page that has reconnected.
    const again = await SessionPage.open(child, token, later);
    expect(again.csrf).toBe(page.csrf);
    expect((await again.json(`/approvals/${second}`, { approved: true, shown })).status).toBe(200);
    expect((await again.json(`/approvals/${first}`, { approved: true, shown })).body.code).toBe('conflict');
    expect((await child.control('state')).calls.workspace['/api/gmail/v1/users/me/messages/send']).toBe(2);
  });

  it('doesn’t keep the result from the MCP client that asked', async () => {
    const port = String(await freePort());
    await start({ PORT: port });
    const { token } = await connect(child, { email: 'demo@example.com' });
    const post = (path: string, credential: string, body: object) =>
      child.call(path, { token: credential, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    const made = await post('/tokens', token, { name: 'assistant', actions: ['mail.*'], access: 'write' });
    const client = new McpClient(child, made.body.token);
    const message = { to: ['ana@example.org'], subject: 'Hello', body: 'x' };
    const asked = await client.call('mail_send', message, { capabilities: { elicitation: { url: {} } } });
    const { requestState, inputRequests } = asked.message.result;
    const approvalId = new URL(inputRequests.approval.params.url).pathname.split('/').at(-1);
    await child.kill('SIGKILL');

    await start({ PORT: port });
    expect((await post(`/approvals/${approvalId}`, token, { approved: true })).status).toBe(200);
    await child.kill('SIGKILL');
    await start({ PORT: port });
    const params = { requestState, inputResponses: { approval: { action: 'accept' } } };
    const { message: answer } = await client.call('mail_send', message, { capabilities: { elicitation: { url: {} } }, params });
    expect(answer.result.structuredContent).toMatchObject({ data: { id: expect.any(String) } });
  });
});

describe('kill -9 right after the response to a disconnect', () => {
  it('denies use after the restart, and then revokes at both providers', async () => {
    await start({ LIMIT_REVOCATION_RETRY_SECONDS: '1' });
    const browser = new FormBrowser(child.url);
    const { callback, token } = await connect(child, { email: 'demo@example.com', browser });
    await linkBank(child, token);
    const [entry] = (await child.call('/auth/bank/accounts', { token })).body.accounts;
    // Nothing can be confirmed before the kill; the faults end with it.
    await child.control('faults', { part: 'workspace', path: '/revoke', kind: 'status' });
    await child.control('faults', { part: 'bank', path: '/item/remove', kind: 'status' });
    const responses = await Promise.all([
      child.call(`/auth/workspace/accounts/${outcome(callback).account_id}`, { method: 'DELETE', token }),
      child.call(`/auth/bank/accounts/${entry.id}`, { method: 'DELETE', token }),
    ]);
    expect(responses.map((response) => response.body)).toEqual([{ success: true }, { success: true }]);
    await child.kill('SIGKILL');
    const left = `select 'revocation' as kind, provider from revocations where token is not null
      union all select 'grant', provider from grants order by kind, provider`;
    expect(await place.sql(left)).toEqual([
      { kind: 'revocation', provider: 'bank' },
      { kind: 'revocation', provider: 'workspace' },
    ]);

    await start({ LIMIT_REVOCATION_RETRY_SECONDS: '1' });
    const again = await child.signIn();
    expect((await child.call('/auth/workspace/accounts', { token: again })).body.accounts).toEqual([]);
    expect((await child.call('/auth/bank/accounts', { token: again })).body.accounts).toEqual([]);
    // A job of a killed process is resumed after a minute.
    await eventually(async () => {
      const { accounts } = await child.control('state');
      const { items } = await child.control('bank/state');
      const demo = accounts.find((account: { email: string }) => account.email === 'demo@example.com');
      return demo.refresh_tokens === 0 && demo.access_tokens === 0 && items.every((item: { status: string }) => item.status === 'removed');
    });
    expect(await child.kill('SIGTERM')).toMatchObject({ code: 0 });
    expect(await place.sql('select id from revocations')).toEqual([]);
  });
});
