import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ACCESSIBILITY, chromiumMissing, Pages, whySkipped } from '../support/page.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

describe.skipIf(chromiumMissing)(`the agents on the page at GET /${whySkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-page-agents-'));
  const integrationsFile = join(folder, 'integrations.yaml');
  let steward: TestSteward;
  let pages: Pages;

  beforeAll(async () => {
    define({ labels: { use: 'mail.labels' }, search: { use: 'mail.search' }, send: { use: 'mail.send', policy: { approval: 'always' } } });
    steward = await startSteward({ INTEGRATIONS_FILE: integrationsFile });
    pages = await Pages.launch(steward);
  });

  afterEach(async () => {
    await steward.control('faults/clear', {});
    await pages.closeAll();
  });

  afterAll(async () => {
    await pages?.browser.close();
    await steward?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function define(actions: object): void {
    const mail = { provider: 'workspace', description: 'Mail.', scopes: ['mail.modify', 'mail.send'], actions };
    writeFileSync(integrationsFile, JSON.stringify({ version: 1, agents: { mail } }));
  }

  async function connected(user: string): Promise<Page> {
    const page = await pages.openAs(user);
    await pages.connect(page, `${user}@example.com`);
    await page.locator('#action option[value="mail.search"]').waitFor({ state: 'attached' });
    return page;
  }

  async function choose(page: Page, action: string): Promise<void> {
    await page.getByLabel('Action', { exact: true }).selectOption(action);
  }

  const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();
  const result = (page: Page) => page.getByLabel('Result');

  it('runs an action by the form made from its schema', async () => {
    const page = await connected('runner');
    await choose(page, 'mail.search');
    await page.getByLabel('max').fill('2');
    await run(page);
    await result(page).waitFor();
    const { items } = JSON.parse((await result(page).textContent()) ?? '') as { items: unknown[] };
    expect(items).toHaveLength(2);
    await page.getByText('runner@example.com ·').waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(pages.problems).toEqual([]);
  });

  it('shows the error of an invalid input', async () => {
    const page = await connected('wrong');
    await choose(page, 'mail.search');
    await page.getByLabel('query').fill('x'.repeat(3_000));
    await run(page);
    await page
      .locator('#agents .result .error')
      .first()
      .getByText(/^query: /)
      .waitFor();
  });

  it('asks for approval before it sends, shows the exact message, and sends it', async () => {
    const page = await connected('sender');
    await choose(page, 'mail.send');
    await page.getByLabel('to', { exact: true }).fill('someone@example.com');
    await page.getByLabel('subject').fill('Grüße <b>an alle</b>');
    await page.getByLabel('body').fill('Bis morgen!');
    await run(page);
    await page.getByText('This action needs your approval. See “Approvals”.').waitFor();
    const shown = page.getByLabel('Arguments', { exact: true });
    await shown.waitFor();
    for (const part of ['someone@example.com', 'Grüße <b>an alle</b>', 'Bis morgen!']) expect(await shown.textContent()).toContain(part);
    expect(await page.locator('#approvals b').count()).toBe(0);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByRole('button', { name: /^Approve: / }).click();
    await page.getByText('Approved. The action has run.').waitFor();
    await page.getByText('No pending approvals.').waitFor();
    await page
      .locator('#events')
      .getByText(/approval\.decided/)
      .waitFor();
    await choose(page, 'mail.search');
    await page.getByLabel('query').fill('in:sent Grüße');
    await run(page);
    await eventually(async () => (await result(page).textContent())?.includes('an alle'));
    expect(pages.problems).toEqual([]);
  });

  it('sends nothing after a denial', async () => {
    const page = await connected('denier');
    await choose(page, 'mail.send');
    await page.getByLabel('to', { exact: true }).fill('someone@example.com');
    await page.getByLabel('subject').fill('Unsent');
    await page.getByLabel('body').fill('Never.');
    await run(page);
    await page.getByRole('button', { name: /^Deny/ }).click();
    await page.getByText('Denied. The action has not run.').waitFor();
    await choose(page, 'mail.search');
    await page.getByLabel('query').fill('in:sent Unsent');
    await run(page);
    await eventually(async () => /"items": \[\]/.test((await result(page).textContent()) ?? ''));
  });

  it('stops a long call', async () => {
    const page = await connected('stopper');
    await choose(page, 'mail.labels');
    await steward.control('faults', { part: 'workspace', path: '/api/gmail', kind: 'hang' });
    await run(page);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.locator('#agents .result .error').first().waitFor();
  });

  it('shows an account that needs attention as soon as the provider reports it', async () => {
    const page = await connected('revoked');
    await steward.control('workspace/revoke', { email: 'revoked@example.com' });
    await choose(page, 'mail.labels');
    await run(page);
    await page.locator('#agents .result .error').first().waitFor();
    await page
      .locator('#events')
      .getByText(/account\.status/)
      .waitFor();
    await page.locator('#workspace').getByText('Reconnect required').waitFor();
  });

  it('offers a declared action as soon as the integrations are reloaded', async () => {
    const page = await connected('declarer');
    define({
      search: { use: 'mail.search' },
      profile: {
        call: 'gmail.users.getProfile',
        description: 'Whose mailbox it is.',
        effect: 'read',
        input: { type: 'object', properties: {} },
        with: { userId: 'me' },
      },
    });
    await page.getByRole('button', { name: 'Reload integrations.yaml' }).click();
    await page.locator('#action option[value="mail.profile"]').waitFor({ state: 'attached' });
    await choose(page, 'mail.profile');
    await run(page);
    await eventually(async () => (await result(page).textContent())?.includes('declarer@example.com'));
    expect(pages.problems).toEqual([]);
  });
});
