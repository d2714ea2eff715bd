import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { FormBrowser } from '../../support/browser/browser.ts';
import { BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

const PLAID = { PLAID_CLIENT_ID: 'client', PLAID_SECRET: 'secret', ALLOW_MIXED: '1' };

function webhookOf(publicUrl: string): string | undefined {
  const { bank } = loadConfig({ ...PLAID, PUBLIC_URL: publicUrl });
  return typeof bank === 'object' ? bank.webhookUrl : undefined;
}

describe('the address of webhooks', () => {
  it.each([
    ['https://steward.example.com', 'https://steward.example.com/webhooks/bank'],
    ['https://steward.example.com:8443/', 'https://steward.example.com:8443/webhooks/bank'],
    ['https://203.0.113.7', 'https://203.0.113.7/webhooks/bank'],
    ['https://[2001:db8::1]', 'https://[2001:db8::1]/webhooks/bank'],
  ])('is below a public PUBLIC_URL: %s', (publicUrl, address) => {
    expect(webhookOf(publicUrl)).toBe(address);
  });

  it.each([
    'http://steward.example.com',
    'https://localhost',
    'https://127.0.0.1',
    'https://127.1',
    'https://0x7f000001',
    'https://10.1.2.3',
    'https://172.31.0.1',
    'https://192.168.1.1',
    'https://169.254.169.254',
    'https://100.64.0.1',
    'https://[::1]',
    'https://[::ffff:10.0.0.1]',
    'https://[fd00::1]',
    'https://[fe80::1]',
    'https://steward',
    'https://steward.local',
    'https://steward.internal',
    'https://steward.home.arpa',
  ])('is omitted if the aggregator could not reach it: %s', (publicUrl) => {
    expect(webhookOf(publicUrl)).toBeUndefined();
  });
});

describe('link tokens', () => {
  let aggregator: BankEmulator;
  let steward: TestSteward;

  beforeAll(async () => {
    aggregator = await new BankEmulator().start();
    steward = await startSteward({ ...aggregator.env, PUBLIC_URL: 'https://steward.example.com' });
  });

  afterAll(async () => {
    await steward.stop();
    await aggregator.stop();
  });

  it('contain the address, except in update mode, where the aggregator ignores it', async () => {
    const base = steward.context.addresses.selfUrl;
    const at = (path: string, form: Record<string, string>, token: string) =>
      fetch(`${base}${path}`, { method: 'POST', headers: { authorization: token }, body: new URLSearchParams(form) });
    const signed = await fetch(`${base}/sandbox/identity/token`, { method: 'POST', body: new URLSearchParams({ user: 'demo' }) });
    const token = ((await signed.json()) as { id_token: string }).id_token;
    expect((await at('/auth/bank/create_link_token', {}, token)).status).toBe(200);
    expect((await at('/auth/bank/set_access_token', { public_token: 'public' }, token)).status).toBe(200);
    const list = await fetch(`${base}/auth/bank/accounts`, { headers: { authorization: token } });
    const [entry] = ((await list.json()) as { accounts: { id: string }[] }).accounts;
    expect((await at('/auth/bank/create_link_token', { account_id: entry?.id ?? '' }, token)).status).toBe(200);
    const created = aggregator.calls.filter(({ path }) => path === '/link/token/create').map(({ body }) => body.webhook);
    expect(created).toEqual(['https://steward.example.com/webhooks/bank', undefined]);
  });
});

describe('the sandbox', () => {
  it('sends webhooks for banks linked on its page, also after a change of port', async () => {
    const first = await startSteward();
    const token = await first.signIn();
    const { body } = await first.call('/auth/bank/create_link_token', { method: 'POST', token });
    const browser = new FormBrowser(first.url);
    const choose = await browser.visit(body.link_url);
    await browser.submit(choose, body.link_url, (fields) => {
      fields.set('institution', 'ins_109508');
      fields.set('decision', 'continue');
    });
    const accounts = await browser.visit(body.link_url);
    const done = await browser.submit(accounts, body.link_url, (fields) => fields.set('decision', 'continue'));
    const publicToken = /public-sandbox-[\w-]+/.exec(done.text)?.[0] ?? '';
    expect((await first.call('/auth/bank/set_access_token', { token, form: { public_token: publicToken } })).status).toBe(200);
    const second = await first.restart();
    expect(second.url).not.toBe(first.url);
    await second.control('bank/reset-login', { all: true });
    const again = await second.signIn();
    const entry = async () => (await second.call('/auth/bank/accounts', { token: again })).body.accounts[0];
    await eventually(async () => (await entry()).status === 'relink_required');
    await second.stop();
  });
});
