import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { eventually } from '../support/time/eventually.ts';

/** A browser without a screen forbids notifications and knows no push service: it has a user who allows them, and the sandbox's service. */
const SUBSCRIBE = (subscription: object) => `globalThis.asked = 0;
Object.defineProperty(Notification, 'permission', { get: () => 'default' });
Notification.requestPermission = async () => {
  globalThis.asked += 1;
  return 'granted';
};
PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
  if (typeof applicationServerKey !== 'string') throw new TypeError('no key');
  return { toJSON: () => (${JSON.stringify(subscription)}) };
};`;

describe.skipIf(chromiumMissing)(`notifications, in the console${whySkipped}`, () => {
  const scene = pageScene();
  const channel = (page: Page, name: string) =>
    page
      .locator('#channels')
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name }) });
  const add = (page: Page) => page.locator('#new-channel');
  const arrived = () => scene.steward.control('notifications');

  it('are sent by mail once the address is confirmed by its link, as a test and until it is removed', async () => {
    const page = await scene.pages.openAs('mailed', 'Notifications');
    await page.locator('#channels').getByText('You are told nowhere but on this page yet.').waitFor();
    await add(page).getByLabel('Mail address', { exact: true }).fill('mailed@example.com');
    await add(page).getByRole('button', { name: 'Send the link' }).click();
    await channel(page, 'mailed@example.com').getByText('Not confirmed yet').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const [mail] = (await arrived()).mails;
    const link = /https?:\/\/\S+\/notifications\/confirm\/[\w-]+/.exec(mail.text)?.[0] ?? '';
    const other = await page.context().newPage();
    await other.goto(link);
    await other.getByRole('button', { name: 'Confirm this address' }).click();
    await other.getByText('Address confirmed').first().waitFor();
    await other.close();
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    await channel(page, 'mailed@example.com').getByText('Not confirmed yet').waitFor({ state: 'detached' });
    await channel(page, 'mailed@example.com')
      .getByRole('button', { name: /^Send a test/ })
      .click();
    await page.getByText('A test was sent to mailed@example.com.').waitFor();
    expect((await arrived()).mails).toHaveLength(2);
    await channel(page, 'mailed@example.com')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.locator('#channels').getByText('You are told nowhere but on this page yet.').waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('go to a webhook, whose secret is shown once; a refused address is said at its field', async () => {
    const page = await scene.pages.openAs('hooked', 'Notifications');
    await add(page)
      .getByRole('radio', { name: /^Webhook/ })
      .check();
    await add(page).getByLabel('Address (https)').fill('http://192.168.0.1/hook');
    await add(page).getByRole('button', { name: 'Add' }).click();
    await add(page).locator('.field-problem').or(add(page).locator('.result .error')).first().waitFor();
    await add(page).getByLabel('Address (https)').fill(`${scene.steward.url}/sandbox/webhooks/mine`);
    await add(page)
      .getByRole('checkbox', { name: /^A run of an automation/ })
      .uncheck();
    await add(page).getByRole('button', { name: 'Add' }).click();
    await add(page)
      .getByText(/whsec_/)
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const name = new URL(scene.steward.url).host;
    await channel(page, name).getByText('told of questions and what needs attention').waitFor();
    await channel(page, name)
      .getByRole('button', { name: /^Send a test/ })
      .click();
    await eventually(async () => (await arrived()).webhooks.length === 1);
    await page.reload();
    await channel(page, name).waitFor();
    expect(await page.getByText(/whsec_/).count()).toBe(0);
  });

  it('go to this browser, which is asked for nothing before a click', async () => {
    const subscription = await scene.steward.control('push-subscription', {});
    const page = await scene.pages.open();
    await page.addInitScript(SUBSCRIBE(subscription.subscription ?? subscription));
    await page.reload();
    await scene.pages.signIn(page, 'pushed');
    await scene.pages.show(page, 'Notifications');
    await add(page)
      .getByRole('radio', { name: /^This browser/ })
      .check();
    expect(await page.evaluate('navigator.serviceWorker.getRegistrations().then(({ length }) => [length, asked])')).toEqual([0, 0]);
    await add(page).getByRole('button', { name: 'Turn on for this browser' }).click();
    await add(page).getByText('This browser will be told.').waitFor();
    const workers = 'navigator.serviceWorker.getRegistrations().then((all) => all.map(({ active }) => new URL(active.scriptURL).pathname))';
    expect(await page.evaluate(workers)).toEqual(['/assets/sw.js']);
    await page
      .locator('#channels')
      .getByRole('button', { name: /^Send a test/ })
      .click();
    await eventually(async () => (await arrived()).pushes.length === 1);
    expect(scene.pages.problems).toEqual([]);
  });

  it('keep quiet hours, on a phone and by the keyboard', async () => {
    const page = await scene.pages.openAs('quiet', 'Notifications');
    await page.setViewportSize({ width: 390, height: 844 });
    const card = page.locator('#quiet-hours');
    await card.getByRole('checkbox', { name: 'Keep quiet hours' }).press('Space');
    await card.getByLabel('From').fill('21:30');
    await card.getByLabel('To').fill('06:45');
    await card.getByLabel('To').press('Enter');
    await page.getByText('Your quiet hours are saved.').waitFor();
    const token = await scene.steward.signIn('quiet');
    expect((await scene.steward.call('/user/preferences', { token })).body.quiet_hours).toEqual({ from: '21:30', to: '06:45' });
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.reload();
    expect(await card.getByLabel('From').inputValue()).toBe('21:30');
    await card.getByRole('checkbox', { name: 'Keep quiet hours' }).uncheck();
    await card.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => (await scene.steward.call('/user/preferences', { token })).body.quiet_hours === null);
    expect(scene.pages.problems).toEqual([]);
  });
});
