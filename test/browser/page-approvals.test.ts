import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { linkBank } from '../support/scenes/flows.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe.skipIf(chromiumMissing)(`approvals, allowances and read-only accounts on the page${whySkipped}`, () => {
  const scene = pageScene();

  async function connected(user: string, view: 'Accounts' | 'Approvals' = 'Approvals'): Promise<{ page: Page; token: string }> {
    const page = await scene.pages.openConnected(user, view);
    return { page, token: await scene.steward.signIn(user) };
  }

  const send = (token: string, to: string[], body = 'Bis morgen!') =>
    scene.steward.call('/agents/mail.send', { token, body: JSON.stringify({ to, subject: 'Lunch', body }), headers: JSON_TYPE });
  const invite = (token: string, title: string) => {
    const event = { title, start: '2027-03-21T09:00', end: '2027-03-21T10:00', attendees: ['zoe@example.org'] };
    return scene.steward.call('/agents/calendar.create', { token, body: JSON.stringify(event), headers: JSON_TYPE });
  };
  const ended = (page: Page) => page.getByRole('complementary', { name: 'Messages' });

  it('allow calls in advance, which are listed and revoked', async () => {
    const { page, token } = await connected('trusting');
    await invite(token, 'Lunch');
    await page.getByLabel('Allow calls like this without asking').selectOption('7');
    await page.getByRole('button', { name: /^Approve: / }).click();
    await ended(page).getByText('Approved. The action has run.').waitFor();
    const card = page.locator('#allowances');
    await card.getByRole('heading', { name: 'calendar.create to zoe@example.org' }).waitFor();
    await card.getByText('For you, with trusting@example.com, until').waitFor();
    await card.getByText('With these arguments only: attendees, end, meeting = false, notify = true, start, title').waitFor();
    expect((await invite(token, 'Dinner')).status).toBe(200);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await card.getByRole('button', { name: /^Revoke: calendar\.create/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await card.getByText('Nothing is allowed in advance.').waitFor();
    expect((await invite(token, 'Breakfast')).body.code).toBe('approval_required');
    expect(scene.pages.problems).toEqual([]);
  });

  it('say which client asked', async () => {
    const { page, token } = await connected('asked');
    const body = JSON.stringify({ name: 'Digest', actions: ['*'], access: 'write' });
    const { body: made } = await scene.steward.call('/tokens', { token, body, headers: JSON_TYPE });
    await scene.steward.sql(`update client_grants set name = '<b>Digest</b>\u202e' where id = $1`, [made.id]);
    await send(token, ['zoe@example.org']);
    await send(`Bearer ${made.token}`, ['ben@example.org']);
    const entry = page.locator('#approvals-list .approval-card');
    await entry.nth(1).getByText('Asked by your token <b>Digest</b>[U+202E].').waitFor();
    expect(await entry.first().textContent()).not.toContain('Asked by');
    expect(scene.pages.problems).toEqual([]);
  });

  it('change the arguments, and ask again if others would see it', async () => {
    const { page, token } = await connected('editor');
    await send(token, ['zoe@example.org'], 'a\u202eb\u200bc');
    await page.getByText('Change the arguments').press('Enter');
    const editor = page.getByLabel('Arguments as JSON');
    const text = await editor.inputValue();
    // The operator requires approval of each mail.
    expect(await page.getByLabel('Allow calls like this without asking').count()).toBe(0);
    expect(text).toContain('a\\u202eb\\u200bc');
    await editor.fill('{"to": [');
    await page.getByRole('button', { name: /^Approve: / }).click();
    const problem = page.locator('.approval-card').getByRole('alert');
    await problem.getByText('The arguments are changed.').waitFor();
    await page.getByRole('button', { name: /^Approve with these arguments: / }).click();
    await problem.getByText('The arguments are not valid JSON').waitFor();
    // Another question arrives, and what is written stays.
    await send(token, ['yan@example.org']);
    await page.getByRole('heading', { name: /^Send to yan/ }).waitFor();
    expect(await editor.first().inputValue()).toBe('{"to": [');
    await editor.first().fill(text.replace('zoe@example.org', 'xul@example.org'));
    await page
      .getByRole('button', { name: /^Approve with these arguments: Send to zoe/ })
      .first()
      .click();
    await ended(page).getByText('so you are asked again. The action has not run.').waitFor();
    await page.getByRole('heading', { name: /^Send to xul/ }).waitFor();
    expect(await page.getByText('Approved.').count()).toBe(0);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByRole('button', { name: /^Approve: Send to xul/ }).click();
    await ended(page).getByText('Approved. The action has run.').waitFor();
    // How one ended does not stand beside the next.
    await send(token, ['zoe@example.org'], 'Next.');
    await page.getByRole('heading', { name: /^Send to zoe/ }).waitFor();
    expect(await ended(page).getByText('The action has run.').count()).toBe(0);
    const link = page.getByRole('link', { name: /^Open its own page: Send to zoe/ });
    expect(await link.getAttribute('href')).toMatch(/\/approvals\/[\w-]{36}$/);
    expect(scene.pages.problems).toEqual([]);
  });

  it('set accounts and banks to read-only, and permit changes after a recent sign-in', async () => {
    const { page, token } = await connected('careful', 'Accounts');
    await linkBank(scene.steward, token);
    await page.reload();
    for (const name of ['careful@example.com', 'First Platypus Bank']) {
      await page.getByRole('button', { name: `Set to read-only: ${name}` }).click();
      await page.getByText(`${name} is read-only. Assistants can change nothing in it.`).waitFor();
      await page.getByRole('button', { name: `Permit changes: ${name}` }).waitFor();
    }
    expect((await send(token, ['zoe@example.org'])).body.code).toBe('forbidden');
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByRole('button', { name: 'Permit changes: careful@example.com' }).click();
    await page.getByText('Assistants can change careful@example.com again.').waitFor();
    expect((await send(token, ['zoe@example.org'])).body.code).toBe('approval_required');
    expect(scene.pages.problems).toEqual([]);
  });

  it('say that permitting changes needs a recent sign-in', async () => {
    await scene.steward.control('clock', { advance_ms: -6 * 60_000 });
    const { page } = await connected('returning', 'Accounts');
    await scene.steward.control('clock', { advance_ms: 6 * 60_000 });
    await page.getByRole('button', { name: 'Set to read-only: returning@example.com' }).click();
    await page.getByRole('button', { name: 'Permit changes: returning@example.com' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await ended(page).getByText('Sign in again').waitFor();
    await page.getByRole('button', { name: 'Permit changes: returning@example.com' }).click();
    await dialog.getByRole('button', { name: 'Sign in again as returning' }).click();
    await page.getByRole('button', { name: 'Set to read-only: returning@example.com' }).waitFor();
  });
});
