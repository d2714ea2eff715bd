import type { Page, WebSocketRoute } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { linkBank } from '../support/scenes/flows.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe.skipIf(chromiumMissing)(`calls from the page${whySkipped}`, () => {
  const scene = pageScene();

  const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();
  const runs = (page: Page) => page.locator('.run');

  async function ask(user: string): Promise<void> {
    const token = await scene.steward.signIn(user);
    const body = JSON.stringify({ to: ['zoe@example.org'], subject: 'Lunch', body: 'At noon?' });
    expect((await scene.steward.call('/agents/mail.send', { token, body, headers: JSON_TYPE })).body.code).toBe('approval_required');
  }

  it('keep each result with its own action, input and account', async () => {
    const page = await scene.pages.openConnected('historian', 'Actions');
    await scene.pages.choose(page, 'mail.search');
    await page.getByLabel('Query').fill('is:unread');
    await run(page);
    await page.locator(`.run[data-action="mail.search"][data-state="done"]`).waitFor();
    await scene.pages.choose(page, 'mail.labels');
    // Nothing of the first call is in the form of the second.
    expect(await page.locator('#action').textContent()).not.toContain('is:unread');
    expect(await page.locator('#action pre').count()).toBe(0);
    await run(page);
    await page.locator('.run[data-action="mail.labels"][data-state="done"]').waitFor();
    expect(await runs(page).evaluateAll((nodes) => nodes.map((node) => node.dataset.action))).toEqual(['mail.labels', 'mail.search']);
    const first = runs(page).nth(1);
    await first.getByText('Search mail', { exact: true }).click();
    await first.getByText('Input', { exact: true }).click();
    expect(await first.getByLabel('Input of Search mail', { exact: true }).textContent()).toContain('"query": "is:unread"');
    await first.locator('summary').getByText('historian@example.com ·').waitFor();
    await first.getByRole('button', { name: 'Copy: input of Search mail' }).waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('fold optional fields, and take dates as dates', async () => {
    const page = await scene.pages.openConnected('dater', 'Actions');
    await scene.pages.choose(page, 'calendar.create');
    expect(await page.getByLabel('Place (optional)').isVisible()).toBe(false);
    await page.getByLabel('Title').fill('Standup');
    await page.getByLabel('Starts', { exact: true }).fill('2027-03-22');
    await page.getByLabel('Starts: time of day').fill('09:30');
    await page.getByLabel('Ends (optional)').fill('2027-03-22');
    await page.getByLabel('Ends: time of day').fill('10:00');
    await page.locator('#action-form summary').press('Enter');
    await page.getByLabel('Place (optional)').fill('Room 4');
    await run(page);
    const made = runs(page).first();
    await made.locator('summary').getByText('Done').waitFor();
    await made.getByText('Input', { exact: true }).click();
    const input = JSON.parse((await made.getByLabel('Input of Create an event', { exact: true }).textContent()) ?? '');
    expect(input).toEqual({ title: 'Standup', start: '2027-03-22T09:30', end: '2027-03-22T10:00', location: 'Room 4' });
    await scene.pages.choose(page, 'bank.spending');
    expect(await page.getByLabel('From').getAttribute('type')).toBe('date');
  });

  it('have no default account where nothing is preferred, and name it where something is', async () => {
    const user = 'twobanks';
    const token = await scene.steward.signIn(user);
    for (const institution of ['ins_109508', 'ins_109512']) await linkBank(scene.steward, token, institution);
    const page = await scene.pages.openConnected(user, 'Actions');
    const account = page.getByLabel('Account', { exact: true });
    const chosen = () => account.evaluate((select) => select.selectedOptions[0].textContent);
    await scene.pages.choose(page, 'mail.labels');
    expect(await chosen()).toBe(`${user}@example.com (default)`);
    await scene.pages.choose(page, 'bank.balances');
    expect(await chosen()).toBe('Select an account …');
    expect(await account.locator('option').count()).toBe(3);
    await run(page);
    expect(await account.evaluate((select) => select.validity.valueMissing)).toBe(true);
    expect(await runs(page).count()).toBe(0);
  });

  it('are not queued while the server is down, which the page says', async () => {
    const page = await scene.pages.open();
    const sockets: WebSocketRoute[] = [];
    let isDown = false;
    await page.routeWebSocket('**/ws', (socket) => {
      if (isDown) socket.close();
      else socket.connectToServer();
      sockets.push(socket);
    });
    await scene.pages.signIn(page, 'offline');
    await scene.pages.connect(page, 'offline@example.com');
    await scene.pages.show(page, 'Actions');
    await scene.pages.choose(page, 'mail.labels');
    isDown = true;
    await Promise.all(sockets.map((socket) => socket.close()));
    await page.locator('#offline').getByText('Not connected to the server.').waitFor();
    await page.locator('#socket').getByText('not connected').waitFor();
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    await page.locator('#action-form').evaluate((form) => form.requestSubmit());
    await page.getByRole('alert').getByText('Nothing was sent').waitFor();
    isDown = false;
    await page.locator('#socket').getByText('connected', { exact: true }).waitFor();
    await page.locator('#offline').waitFor({ state: 'hidden' });
    // Nothing was waiting: the next call is the first.
    await run(page);
    await runs(page).and(page.locator('[data-state="done"]')).waitFor();
    const token = await scene.steward.signIn('offline');
    expect((await scene.steward.call('/user/audit', { token })).body.entries).toHaveLength(1);
  });

  it('leave no question when their account is disconnected', async () => {
    const page = await scene.pages.openConnected('leaver', 'Approvals');
    await ask('leaver');
    await page.getByRole('article', { name: /^Question: Send a mail: zoe/ }).waitFor();
    await scene.pages.show(page, 'Accounts');
    await page.getByRole('button', { name: 'Disconnect: leaver@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('No workspace account is connected yet.').waitFor();
    await page.locator('#nav-approvals').waitFor({ state: 'hidden' });
    await scene.pages.show(page, 'Approvals');
    await page.getByText('No pending approvals.').waitFor();
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  });
});
