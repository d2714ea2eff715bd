import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ACCESSIBILITY, chromiumMissing, Pages, whySkipped } from '../support/page.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

describe.skipIf(chromiumMissing)(`personal access tokens on the page${whySkipped}`, () => {
  let steward: TestSteward;
  let pages: Pages;

  beforeAll(async () => {
    steward = await startSteward();
    pages = await Pages.launch(steward);
  });
  afterEach(() => pages.closeAll());
  afterAll(async () => {
    await pages?.browser.close();
    await steward?.stop();
  });

  it('are made, shown once, used and disconnected', async () => {
    const page = await pages.openAs('maker');
    const card = page.locator('#tokens');
    const apps = page.locator('#clients');
    await apps.getByText('No app is connected.').waitFor();
    await card.getByLabel('Name').fill('Digest');
    await card.getByRole('button', { name: 'Make a token' }).click();
    const token = String(await card.locator('.result code').textContent());
    expect(token).toMatch(/^stw_pat_[0-9A-Za-z]{36}$/);
    await apps.getByText(/^May read mail and calendar on all accounts, until \d+ \w+ \d{4}\.$/).waitFor();
    await apps.getByText(`Token …${token.slice(-4)}. Not used yet.`).waitFor();
    const call = () =>
      steward.call('/agents/mail.labels', { method: 'POST', token, body: '{}', headers: { 'content-type': 'application/json' } });
    expect((await call()).body.code).toBe('not_found');
    await page.reload();
    await apps.getByText(/Last used .*: mail\.labels\./).waitFor();
    expect(await page.content()).not.toContain(token);
    await apps.getByRole('button', { name: 'Disconnect: Digest' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await apps.getByText('Digest is disconnected.').waitFor();
    await apps.getByText('No app is connected.').waitFor();
    expect((await call()).body.code).toBe('invalid_token');
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(pages.problems).toEqual([]);
  });

  it('say what is wrong with a pattern', async () => {
    const page = await pages.openAs('mistaken');
    const card = page.locator('#tokens');
    await card.getByLabel('Name').fill('Digest');
    await card.getByLabel('Actions').fill('mail.serch');
    await card.getByRole('button', { name: 'Make a token' }).click();
    await card.getByText('actions: no agent has mail.serch.').waitFor();
  });
});
