import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';

describe.skipIf(chromiumMissing)(`the page at GET / in development${whySkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-page-'));
  const integrationsFile = join(folder, 'integrations.yaml');
  const scene = pageScene(() => {
    defineAgents('Search and read mail.');
    return { INTEGRATIONS_FILE: integrationsFile };
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function defineAgents(description: string): void {
    const agent = { provider: 'workspace', description, scopes: ['mail.modify'] };
    writeFileSync(integrationsFile, JSON.stringify({ version: 1, agents: { mail: agent } }));
  }

  const entry = (page: Page, text: string) =>
    page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading') })
      .filter({ hasText: text });

  async function confirm(page: Page, button: string): Promise<void> {
    await page.getByRole('dialog').getByRole('button', { name: button }).click();
  }

  it('has one h1, a label for every field, and fits 360 pixels', async () => {
    const page = await scene.pages.open('/', 360);
    await page.getByRole('button', { name: 'Sign in as demo' }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in as demo' }).click();
    await page.getByText('No bank is connected yet.').waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('keeps the colour of a button’s text while the pointer is over it', async () => {
    const page = await scene.pages.open();
    await scene.pages.signIn(page, 'pointer');
    const colour = (name: string) =>
      page.getByRole('button', { name }).evaluate((button) => button.ownerDocument.defaultView?.getComputedStyle(button).color);
    for (const [view, name] of [
      ['Accounts', 'Connect a bank'],
      ['Settings', 'Delete my account'],
    ] as const) {
      await scene.pages.show(page, view);
      await page.mouse.move(0, 0);
      const before = await colour(name);
      await page.getByRole('button', { name }).hover();
      expect(await colour(name)).toBe(before);
    }
  });

  it('keeps the ID token out of every URL and out of the browser’s storage, and the session over a reload until the sign-out', async () => {
    const page = await scene.pages.open();
    const addresses: string[] = [];
    const tokens: string[] = [];
    page.on('request', (request) => {
      addresses.push(request.url());
      const { authorization } = request.headers();
      if (authorization !== undefined) tokens.push(authorization);
    });
    page.on('websocket', (socket) => addresses.push(socket.url()));
    await scene.pages.signIn(page, 'addresses');
    await page.reload();
    await page.locator('#who').getByText('addresses@example.com').waitFor();
    // Once, to begin the session.
    expect(tokens).toHaveLength(1);
    const [token = ''] = tokens;
    const stored = await page.evaluate('JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage), document.cookie])');
    expect(String(stored)).not.toContain(token);
    expect(await page.evaluate('document.cookie')).toBe('');
    await scene.pages.connect(page, 'addresses@example.com');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in as demo' }).waitFor();
    expect(addresses.some((address) => address.endsWith('/ws'))).toBe(true);
    expect(addresses.filter((address) => address.includes(token))).toEqual([]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('accepts a pasted ID token, and shows the server’s message for an invalid one', async () => {
    const page = await scene.pages.open();
    await page.getByLabel('Paste an ID token').fill('not.a.token');
    await page.getByRole('button', { name: 'Use this token' }).click();
    const rejected = await scene.steward.call('/auth/session', { method: 'POST', token: 'not.a.token' });
    await page.locator('#sign-in-result').getByText(rejected.body.message).waitFor();
    await page.locator('#sign-in-result code').waitFor();
    await page.getByLabel('Paste an ID token').fill(` ${await scene.steward.signIn('pasted')}\n`);
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.locator('#who').getByText('pasted@example.com').waitFor();
  });

  it('offers only the form for a token without the sandbox', async () => {
    const context = await scene.pages.newContext();
    const ways = { url: null, sandbox: false, token: true };
    await context.route('**/auth/session', (route) => route.fulfill({ json: { session: null, sign_in: ways } }));
    const page = await context.newPage();
    await page.goto(scene.steward.url);
    await page.getByLabel('Paste an ID token').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in as demo' }).count()).toBe(0);
  });

  it('connects workspace accounts through the consent page, moves the default, disconnects', async () => {
    const page = await scene.pages.openAs('worker');
    await scene.pages.connect(page, 'worker@example.com');
    expect(page.url()).toBe(`${scene.steward.url}/#accounts`);
    await scene.pages.connect(page, 'worker.two@example.com');
    await entry(page, 'worker@example.com').getByText('Default', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Make default: worker.two@example.com' }).click();
    await page.getByText('worker.two@example.com is now the default.').waitFor();
    await entry(page, 'worker.two@example.com').getByText('Default', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Disconnect: worker@example.com' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const token = await scene.steward.signIn('worker');
    expect((await scene.steward.call('/auth/workspace/accounts', { token })).body.accounts).toHaveLength(2);
    await page.getByRole('button', { name: 'Disconnect: worker@example.com' }).click();
    await confirm(page, 'Disconnect');
    await page.getByText('worker@example.com is disconnected.').waitFor();
    await entry(page, 'worker@example.com').waitFor({ state: 'detached' });
    const { accounts } = (await scene.steward.call('/auth/workspace/accounts', { token })).body;
    expect(accounts).toMatchObject([{ email: 'worker.two@example.com', default: true }]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('shows the outcome when connecting was declined or incomplete', async () => {
    const page = await scene.pages.openAs('picky');
    await scene.pages.askFor(page, 'picky@example.com');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Access was denied. No account was connected.').waitFor();
    await scene.pages.askFor(page, 'picky@example.com');
    await page.getByRole('checkbox', { name: /presentations/ }).uncheck();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('The workspace account is connected. Can’t read presentations.').waitFor();
    await entry(page, 'picky@example.com').getByText('Can’t read presentations.').waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('does not repeat text from the URL', async () => {
    const page = await scene.pages.open('/?integration=workspace&status=error&code=%3Cimg+src=x%3Ecall+0800&keep=1');
    await page.getByText('The account could not be connected.').waitFor();
    expect(page.url()).toBe(`${scene.steward.url}/?keep=1#accounts`);
    expect(await page.locator('body').textContent()).not.toContain('0800');
  });

  it('links a bank in the sandbox’s window, repairs and deletes it', async () => {
    const page = await scene.pages.openAs('saver');
    const sent: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/auth/bank/set_access_token')) sent.push(request.postData());
    });
    const link = await popupOf(page, 'Connect a bank');
    await link.getByRole('button', { name: 'Continue' }).click();
    await link.getByRole('group', { name: 'Accounts' }).waitFor();
    // Only messages of the opened window are accepted.
    await page.evaluate(`postMessage({ type: 'steward-sandbox-link', outcome: 'linked', public_token: 'public-forged' }, '*')`);
    await link.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The bank is connected.').waitFor();
    expect(sent).toEqual([expect.stringMatching(/^public_token=public-sandbox-/)]);
    const bank = entry(page, 'First Platypus Bank');
    await bank.getByText('··0000').waitFor();

    const token = await scene.steward.signIn('saver');
    const [{ id }] = (await scene.steward.call('/auth/bank/accounts', { token })).body.accounts;
    await scene.steward.control('bank/reset-login', { all: true });
    await scene.steward.call(`/auth/bank/accounts/${id}/refresh`, { method: 'POST', token });
    await page.reload();
    const repair = await popupOf(page, 'Reconnect: First Platypus Bank');
    await repair.getByRole('button', { name: 'Log in again' }).click();
    await page.getByText('First Platypus Bank is reconnected.').waitFor();
    expect((await scene.steward.call('/auth/bank/accounts', { token })).body.accounts).toMatchObject([{ id, status: 'active' }]);

    const cancelled = await popupOf(page, 'Connect a bank');
    await cancelled.close();
    await page.getByText('No bank was connected.').waitFor();
    await page.getByRole('button', { name: 'Disconnect: First Platypus Bank' }).click();
    await confirm(page, 'Disconnect');
    await page.getByText('No bank is connected yet.').waitFor();
    expect((await scene.steward.call('/auth/bank/accounts', { token })).body.accounts).toEqual([]);
    expect(scene.pages.problems).toEqual([]);
  });

  async function popupOf(page: Page, button: string): Promise<Page> {
    const opened = page.waitForEvent('popup');
    await page.getByRole('button', { name: button }).click();
    return opened;
  }

  /** The page polls every few seconds, so it may be a moment behind. */
  async function shows(page: Page, connections: string): Promise<void> {
    await page.locator('#connections').getByText(connections, { exact: true }).waitFor();
  }

  it('shows the connections, including its own', async () => {
    const page = await scene.pages.open();
    await shows(page, '0');
    await scene.pages.signIn(page, 'connected');
    await page.locator('#socket').getByText('connected').waitFor();
    await shows(page, '1');
    expect((await scene.steward.call('/test')).body.connections).toBe(1);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await shows(page, '0');
    expect(scene.pages.problems).toEqual([]);
  });

  it('adds an address to the waitlist', async () => {
    const page = await scene.pages.openAs('lister', 'Settings');
    await page.locator('#waitlist-email').fill('waiting@example.com');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('waiting@example.com is on the waitlist.').waitFor();
    expect(await scene.steward.sql('select email from waitlist')).toEqual([{ email: 'waiting@example.com' }]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('reloads the integrations, and shows message, request id and problems of a rejection', async () => {
    const page = await scene.pages.openAs('reloader', 'Settings');
    const reload = page.getByRole('button', { name: 'Reload integrations.yaml' });
    await reload.click();
    await page.getByText('integrations.yaml was reloaded.').waitFor();
    writeFileSync(integrationsFile, 'version: 1\nagents: [');
    const answered = page.waitForResponse('**/update_integrations');
    await reload.click();
    const response = await (await answered).json();
    const outcome = page.locator('#integrations .result');
    await outcome.getByText(response.message).waitFor();
    expect(await outcome.locator('small code').textContent()).toBe(response.request_id);
    const unknown = { provider: 'workspace', description: 'Mail.', scopes: ['mail.modify'], colour: 'red' };
    writeFileSync(integrationsFile, JSON.stringify({ version: 1, agents: { mail: unknown } }, null, 2));
    await reload.click();
    const problems = outcome.getByRole('list', { name: 'Problems by line and column' }).getByRole('listitem');
    await problems.filter({ hasText: /^10:\d+ agents\.mail.*colour/ }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    defineAgents('Search and read mail.');
  });

  it('deletes the user, after a fresh sign-in where the last one is old', async () => {
    await scene.steward.control('clock', { advance_ms: -6 * 60_000 });
    const page = await scene.pages.openAs('leaver', 'Settings');
    await scene.steward.control('clock', { advance_ms: 6 * 60_000 });
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await confirm(page, 'Delete my account');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in again as leaver' }).click();
    await page.getByText('Your account is deleted.').waitFor();
    expect(await scene.steward.sql(`select id from users where email = 'leaver@example.com'`)).toEqual([]);
  });

  it('GET /api-docs shows every operation of /openapi.json', async () => {
    const page = await scene.pages.open('/api-docs', 360);
    await page.locator('.operation').first().waitFor();
    const { paths } = (await scene.steward.call('/openapi.json')).body as { paths: Record<string, object> };
    const expected = Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
    const operations = await page.locator('.operation > summary h3').allTextContents();
    expect(operations.sort()).toEqual(expected.sort());
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('GET /api-docs sends requests to this service, with the ID token', async () => {
    const page = await scene.pages.open('/api-docs');
    await page.getByLabel('ID token').fill(await scene.steward.signIn('reader'));
    const operation = page.locator('#getIntegrations');
    await operation.locator('summary').click();
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByRole('status').getByText('"needs_attention": 0').waitFor();
    expect(scene.pages.problems).toEqual([]);
  });
});
