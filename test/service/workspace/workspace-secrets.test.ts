import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { WorkspaceEmulator } from '../../support/emulators/workspace-emulator.ts';
import { answerConfirmation, newName, outcome, sweepNow } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

let provider: WorkspaceEmulator;
let steward: TestSteward;
/** Values that must not be stored in clear: name → value. */
const secrets: [string, string][] = [['client secret', 'emulated-client-secret']];

beforeAll(async () => {
  provider = await new WorkspaceEmulator().start();
  steward = await startSteward({ ...provider.env, LIMIT_REVOCATION_RETRY_SECONDS: '1' });
  await leaveTraces();
});

afterAll(async () => {
  await steward.stop();
  await provider.stop();
});

/** Step 1 and 2; records every secret on the way. */
async function open(token: string, email: string, bound: boolean) {
  const browser = new FormBrowser(steward.url);
  const asking = bound ? browser : new FormBrowser(steward.url);
  const { body } = await asking.visit('/workspace_access_request', { token, form: { email } });
  secrets.push(['ticket', new URL(body.login_url).searchParams.get('token') ?? '']);
  secrets.push(['binding cookie', asking.cookies.get('steward_binding') ?? '']);
  const consentUrl = (await browser.visit(body.login_url)).headers.get('location') ?? '';
  for (const name of ['state', 'nonce', 'code_challenge']) secrets.push([name, new URL(consentUrl).searchParams.get(name) ?? '']);
  return { browser, consentUrl };
}

async function follow(token: string, email: string, bound: boolean, change = {}) {
  const { browser, consentUrl } = await open(token, email, bound);
  const callbackUrl = provider.approve(consentUrl, email, change);
  secrets.push(['code', new URL(callbackUrl).searchParams.get('code') ?? '']);
  const response = await browser.visit(callbackUrl);
  for (const [name, value] of browser.cookies) if (name.startsWith('steward_confirmation_')) secrets.push(['confirmation cookie', value]);
  const form = /name="confirmation" value="([^"]+)"/.exec(response.text)?.[1];
  if (form !== undefined) secrets.push(['confirmation form', form]);
  return { browser, response };
}

/** Creates flows, grants and revocations in each of their states, including failures. */
async function leaveTraces(): Promise<void> {
  const token = await steward.signIn(newName());
  const name = () => `${newName()}@example.com`;
  secrets.push(['ID token', token], ['signature of the ID token', token.split('.')[2] ?? '']);
  await follow(token, name(), true);
  await follow(token, name(), false);
  const confirmed = await follow(token, name(), false);
  await answerConfirmation(confirmed.browser, confirmed.response, 'confirm');
  const cancelled = await follow(token, name(), false);
  await answerConfirmation(cancelled.browser, cancelled.response, 'cancel');
  await open(token, name(), true);
  await steward.call(`/auth/workspace/login?token=${token}`);
  await steward.call(`/auth/workspace/login?token=${token}x`);
  await follow(token, name(), true, { claims: { nonce: 'another' } });
  await follow(token, name(), true, { userinfo: { sub: 'another' } });
  provider.on('/token', (response) => void response.writeHead(500).end(JSON.stringify({ error: 'oops', token: 'x' })));
  await follow(token, name(), true);
  provider.reset();
  provider.on('/revoke', (response) => void response.writeHead(503).end());
  const { response } = await follow(token, name(), true);
  await steward.call(`/auth/workspace/accounts/${outcome(response).account_id}`, { method: 'DELETE', token });
  await eventually(async () => (await steward.sql('select 1 from revocations where attempts > 0 and token is not null')).length > 0);
  await sweepNow(steward);
  for (const form of provider.exchanges) secrets.push(['verifier', form.get('code_verifier') ?? '']);
  for (const value of provider.issued) secrets.push(['provider token', value]);
}

/** Every row of every table, including the queue's, as text. */
async function dump(): Promise<string> {
  const tables = await steward.sql<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`,
  );
  const lines: string[] = [];
  for (const { name } of tables) {
    for (const { line } of await steward.sql<{ line: string }>(`select t::text as line from ${name} t`)) lines.push(`${name} ${line}`);
  }
  return lines.join('\n');
}

describe('secrets of a connection', () => {
  it('of every kind occurred in this test', () => {
    const kinds = new Set(secrets.filter(([, value]) => value.length > 20).map(([kind]) => kind));
    expect([...kinds].sort()).toEqual(
      ['ID token', 'binding cookie', 'client secret', 'code', 'code_challenge', 'confirmation cookie', 'confirmation form']
        .concat(['nonce', 'provider token', 'signature of the ID token', 'state', 'ticket', 'verifier'])
        .sort(),
    );
  });

  it('are in no table, neither in clear nor encoded', async () => {
    const text = await dump();
    // Values that are stored in clear are found, which proves the search.
    for (const visible of [
      'public.workspace_accounts ',
      'public.revocations ',
      'pgboss.job',
      '@example.com',
      'no_refresh_token|connected',
    ]) {
      expect(text).toMatch(new RegExp(visible));
    }
    const found = secrets.filter(([, value]) => {
      const forms = [value, Buffer.from(value).toString('hex'), Buffer.from(value).toString('base64').replace(/=+$/, '')];
      forms.push(Buffer.from(value, 'base64url').toString('hex'));
      return forms.some((form) => text.includes(form));
    });
    expect(found.map(([kind]) => kind)).toEqual([]);
  });

  it('are in no line of the log, at the most verbose level', () => {
    const text = steward.logs.join('\n');
    for (const visible of ['/auth/workspace/callback', '/auth/workspace/login', 'connecting a workspace account failed', 'job failed'])
      expect(text).toContain(visible);
    const found = secrets.filter(([, value]) => [value, encodeURIComponent(value)].some((form) => text.includes(form)));
    expect(found.map(([kind]) => kind)).toEqual([]);
    expect(text).not.toMatch(/[?&](token|code|state)=/);
  });
});
