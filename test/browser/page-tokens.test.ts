import { describe, expect, it } from 'vitest';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';

describe.skipIf(chromiumMissing)(`personal access tokens on the page${whySkipped}`, () => {
  const scene = pageScene();

  it('are made, shown once, used and disconnected', async () => {
    const page = await scene.pages.openAs('maker', 'Connected apps');
    const card = page.locator('#tokens');
    const apps = page.locator('#connected');
    await apps.getByText('No app is connected.').waitFor();
    await card.getByLabel('Name').fill('Digest');
    await card.getByRole('button', { name: 'Make a token' }).click();
    const token = String(await card.locator('.result code').textContent());
    expect(token).toMatch(/^stw_pat_[0-9A-Za-z]{36}$/);
    await apps.getByText(/^May read Mail and Calendar on all accounts, until \w+, \d+ \w+ \d{4}\.$/).waitFor();
    await apps.getByText(`Token …${token.slice(-4)}. Not used yet.`).waitFor();
    const call = () =>
      scene.steward.call('/agents/mail.labels', { method: 'POST', token, body: '{}', headers: { 'content-type': 'application/json' } });
    expect((await call()).body.code).toBe('not_found');
    await page.reload();
    await apps.getByText(/Last used .*: List labels\./).waitFor();
    expect(await page.content()).not.toContain(token);
    await apps.getByRole('button', { name: 'Disconnect: Digest' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('“Digest” is disconnected.').waitFor();
    await apps.getByText('No app is connected.').waitFor();
    expect((await call()).body.code).toBe('invalid_token');
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('say what is wrong with a pattern', async () => {
    const page = await scene.pages.openAs('mistaken', 'Connected apps');
    const card = page.locator('#tokens');
    await card.getByLabel('Name').fill('Digest');
    await card.getByLabel('Actions').fill('mail.serch');
    await card.getByRole('button', { name: 'Make a token' }).click();
    await page.getByRole('alert').getByText('actions: no action is called mail.serch.').waitFor();
  });
});
