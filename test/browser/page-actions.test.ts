import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { eventually } from '../support/time/eventually.ts';

describe.skipIf(chromiumMissing)(`the agents on the page at GET /${whySkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-page-agents-'));
  const integrationsFile = join(folder, 'integrations.yaml');
  const scene = pageScene(() => {
    define({ labels: { use: 'mail.labels' }, search: { use: 'mail.search' }, send: { use: 'mail.send', policy: { approval: 'always' } } });
    return { INTEGRATIONS_FILE: integrationsFile };
  });

  afterEach(() => scene.steward.control('faults/clear', {}));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function define(actions: object): void {
    const mail = { provider: 'workspace', description: 'Mail.', scopes: ['mail.modify', 'mail.send'], actions };
    writeFileSync(integrationsFile, JSON.stringify({ version: 1, agents: { mail } }));
  }

  const connected = (user: string) => scene.pages.openConnected(user, 'Actions');
  const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();
  /** What the newest call has returned. */
  async function result(page: Page): Promise<string> {
    const newest = page.locator('.run').first();
    await newest.getByRole('tab', { name: 'JSON' }).click();
    return (await newest.locator('.json pre').textContent()) ?? '';
  }
  const failure = (page: Page) => page.locator('.run').first().locator('.error');

  async function fillInMail(page: Page, subject: string, body: string): Promise<void> {
    await scene.pages.choose(page, 'mail.send');
    await page.getByLabel('To', { exact: true }).fill('someone@example.com');
    await page.getByLabel('Subject').fill(subject);
    await page.getByLabel('Text').fill(body);
  }

  it('runs an action by the form made from its schema', async () => {
    const page = await connected('runner');
    await scene.pages.choose(page, 'mail.search');
    await page.getByLabel('At most').fill('2');
    await run(page);
    const { items } = JSON.parse(await result(page)) as { items: unknown[] };
    expect(items).toHaveLength(2);
    await page.locator('.run > details > summary').getByText('runner@example.com ·').waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('shows the error of an invalid input', async () => {
    const page = await connected('wrong');
    await scene.pages.choose(page, 'mail.search');
    await page.getByLabel('Query').fill('x'.repeat(3_000));
    await run(page);
    await failure(page)
      .getByText(/^query: /)
      .waitFor();
    // In words: who looks for the fault finds the code.
    expect(await failure(page).getAttribute('title')).toBe('invalid_request');
    expect(await failure(page).textContent()).not.toContain('invalid_request');
  });

  it('asks for approval before it sends, shows the exact message, and sends it', async () => {
    const page = await connected('sender');
    await fillInMail(page, 'Grüße <b>an alle</b>', 'Bis morgen!');
    await run(page);
    await page.getByText('This action needs your approval. See Approvals.').waitFor();
    await page.getByRole('link', { name: 'Approvals 1 pending' }).waitFor();
    await scene.pages.show(page, 'Approvals');
    const shown = page.getByRole('article', { name: /^Question: Send a mail: someone@/ });
    await shown.waitFor();
    for (const part of ['someone@example.com', 'Grüße <b>an alle</b>', 'Bis morgen!']) expect(await shown.textContent()).toContain(part);
    expect(await page.locator('#view-approvals b').count()).toBe(0);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByRole('button', { name: /^Approve: / }).click();
    await page.getByText('Approved. The action has run.').waitFor();
    await page.getByText('No pending approvals.').waitFor();
    await scene.pages.show(page, 'Activity');
    await page.locator('#feed').getByText('You approved “Send a mail” for sender@example.com').waitFor();
    await scene.pages.show(page, 'Actions');
    await page.locator('.run[data-action="mail.send"][data-state="done"]').waitFor();
    await scene.pages.choose(page, 'mail.search');
    await page.getByLabel('Query').fill('in:sent Grüße');
    await run(page);
    await eventually(async () => (await result(page)).includes('an alle'));
    expect(scene.pages.problems).toEqual([]);
  });

  it('sends nothing after a denial', async () => {
    const page = await connected('denier');
    await fillInMail(page, 'Unsent', 'Never.');
    await run(page);
    await scene.pages.show(page, 'Approvals');
    await page.getByRole('button', { name: /^Deny/ }).click();
    await page.getByRole('status').getByText('Denied. The action has not run.').waitFor();
    await scene.pages.show(page, 'Actions');
    await failure(page).getByText('Denied. The action has not run.').waitFor();
    await scene.pages.choose(page, 'mail.search');
    await page.getByLabel('Query').fill('in:sent Unsent');
    await run(page);
    await eventually(async () => /"items": \[\]/.test(await result(page)));
  });

  it('stops a long call', async () => {
    const page = await connected('stopper');
    await scene.pages.choose(page, 'mail.labels');
    await scene.steward.control('faults', { part: 'workspace', path: '/api/gmail', kind: 'hang' });
    await run(page);
    await page.getByRole('button', { name: 'Stop: List labels' }).click();
    await failure(page).waitFor();
  });

  it('shows an account that needs attention as soon as the provider reports it', async () => {
    const page = await connected('revoked');
    await scene.steward.control('workspace/revoke', { email: 'revoked@example.com' });
    await scene.pages.choose(page, 'mail.labels');
    await run(page);
    await failure(page).waitFor();
    await scene.pages.show(page, 'Activity');
    await page.locator('#feed').getByText('The workspace account revoked@example.com has to be connected again').waitFor();
    await scene.pages.show(page, 'Accounts');
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
    await scene.pages.show(page, 'Settings');
    await page.getByRole('button', { name: 'Reload integrations.yaml' }).click();
    await page.getByText('integrations.yaml was reloaded.').waitFor();
    await scene.pages.show(page, 'Actions');
    await scene.pages.choose(page, 'mail.profile');
    await run(page);
    await eventually(async () => (await result(page)).includes('declarer@example.com'));
    expect(scene.pages.problems).toEqual([]);
  });
});
