import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { eventually } from '../support/time/eventually.ts';

const BRIEF = 'Morning brief';

describe.skipIf(chromiumMissing)(`automations, in the console${whySkipped}`, () => {
  const scene = pageScene();
  const list = (page: Page) => page.locator('#automation-list');
  const entry = (page: Page, name: string) =>
    list(page)
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name, exact: true }) });
  const form = (page: Page) => page.locator('#automation-form');

  async function choose(page: Page, template: string): Promise<void> {
    await page
      .locator('#automation-templates')
      .getByRole('link', { name: new RegExp(`^${template}`) })
      .click();
    await form(page).getByLabel('Name', { exact: true }).waitFor();
  }

  async function save(page: Page, name: string): Promise<void> {
    await form(page).getByRole('button', { name: 'Save' }).click();
    await entry(page, name).waitFor();
  }

  /** Runs what is due until the newest run of an automation stands so. */
  async function runs(page: Page, status: string): Promise<void> {
    await eventually(async () => {
      await scene.steward.tick();
      return (await page.locator('#automation-runs .tag').first().textContent()) === status;
    });
  }

  it('are loaded when they are first opened, begin with a template, run, and show the run as a conversation', async () => {
    const page = await scene.pages.openConnected('morning', 'Settings');
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    const ofAutomations = () => loaded.filter((path) => path.includes('/automations/'));
    await scene.pages.show(page, 'Accounts');
    expect(ofAutomations()).toEqual([]);
    await scene.pages.show(page, 'Automations');
    await list(page).getByText('You have no automation yet.').waitFor();
    expect(ofAutomations()).toContain('/assets/console/automations/automations-page.js');
    expect(await axeViolations(page)).toEqual([]);
    await choose(page, BRIEF);
    expect(await axeViolations(page)).toEqual([]);
    await form(page).getByLabel('Time zone').selectOption('Europe/Berlin');
    await save(page, BRIEF);
    await entry(page, BRIEF).getByText('Every weekday at 08:00 (Berlin time): asks the assistant').waitFor();
    await entry(page, BRIEF)
      .getByText(/^next .*has not run yet/)
      .waitFor();
    await entry(page, BRIEF)
      .getByRole('button', { name: /^Run now/ })
      .click();
    await entry(page, BRIEF).getByRole('link', { name: BRIEF, exact: true }).click();
    await runs(page, 'Done');
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.title()).toBe('Morning brief · Automations · Steward');
    await page.locator('#automation-runs').getByRole('link', { name: /^Open/ }).click();
    await page
      .locator('.chat-log')
      .getByText('On your calendar')
      .or(page.locator('.chat-log').getByText('nothing on your calendar'))
      .first()
      .waitFor();
    expect(await page.getByRole('textbox', { name: 'Message', exact: true }).isVisible()).toBe(false);
    await page.getByRole('link', { name: 'All automations' }).click();
    await entry(page, BRIEF)
      .getByText(/last run/)
      .waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('grant what reads and nothing else, until the user ticks more; what is changed is kept', async () => {
    const page = await scene.pages.openConnected('granting', 'Automations');
    await choose(page, BRIEF);
    await save(page, BRIEF);
    const token = await scene.steward.signIn('granting');
    const stored = async () => (await scene.steward.call('/automations', { token })).body.automations[0];
    const { actions } = await stored();
    expect(actions).toContain('mail.search');
    expect(actions).not.toContain('mail.send');
    await entry(page, BRIEF).getByRole('button', { name: /^Edit/ }).click();
    await form(page)
      .getByText(/^Mail: \d+ of \d+$/)
      .click();
    await form(page)
      .getByRole('checkbox', { name: /^Send a mail/ })
      .check();
    await form(page)
      .getByText(/, also: Send a mail/)
      .waitFor();
    await form(page).getByLabel('Every', { exact: true }).selectOption('month');
    await form(page).getByLabel('Day of the month').selectOption('31');
    await form(page)
      .getByRole('radio', { name: /^Make a draft/ })
      .check();
    await form(page).getByRole('button', { name: 'Save' }).click();
    await page.locator('#automation').getByText('On day 31, or the last one, of each month at 08:00').waitFor();
    expect(await stored()).toMatchObject({
      trigger: { every: 'month', on: 31, at: '08:00' },
      when_asked: 'draft',
      actions: expect.arrayContaining([...actions, 'mail.send']),
    });
    expect(scene.pages.problems).toEqual([]);
  });

  it('are made by the keyboard alone, on a phone, and paused, resumed and deleted', async () => {
    const page = await scene.pages.openConnected('thumb', 'Automations');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('link', { name: /^Large payments/ }).focus();
    await page.keyboard.press('Enter');
    await form(page).getByRole('heading', { name: 'New automation' }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('New automation');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.value')).toBe('Large payments');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowUp');
    await form(page).getByLabel('Every', { exact: true }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByLabel('Name', { exact: true }).press('Enter');
    await entry(page, 'Large payments')
      .getByText(/^Every weekday at 08:00/)
      .waitFor();
    await entry(page, 'Large payments')
      .getByRole('button', { name: /^Pause/ })
      .press('Enter');
    await entry(page, 'Large payments').getByText('Paused', { exact: true }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await entry(page, 'Large payments')
      .getByRole('button', { name: /^Resume/ })
      .press('Enter');
    await entry(page, 'Large payments')
      .getByRole('button', { name: /^Pause/ })
      .waitFor();
    await entry(page, 'Large payments')
      .getByRole('button', { name: /^Delete/ })
      .press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter');
    await entry(page, 'Large payments')
      .getByRole('button', { name: /^Delete/ })
      .press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await list(page).getByText('You have no automation yet.').waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('ask on a phone after a mail has arrived, and go on once that is approved', async () => {
    const page = await scene.pages.openConnected('asking', 'Approvals');
    await page.setViewportSize({ width: 390, height: 844 });
    const token = await scene.steward.signIn('asking');
    const { body } = await scene.steward.call('/auth/workspace/accounts', { token });
    const automation = {
      name: 'Invoices',
      trigger: { type: 'event', event: 'mail.received', account: body.accounts[0].id, filter: { subject: 'invoice' } },
      does: {
        type: 'action',
        action: 'mail.send',
        input: { to: ['zoe@example.org'], subject: 'An invoice has come', body: 'Please look.' },
      },
      actions: ['mail.send'],
    };
    const headers = { 'content-type': 'application/json' };
    expect((await scene.steward.call('/automations', { token, body: JSON.stringify(automation), headers })).status).toBe(201);
    await eventually(async () => {
      await scene.steward.tick();
      return (await scene.steward.call('/automations', { token })).body.automations[0].last_looked_at !== null;
    });
    await scene.steward.control('mail', { email: 'asking@example.com', template: 'invoice' });
    const question = page.getByRole('link', { name: /zoe@example\.org/ });
    await eventually(async () => {
      await scene.steward.clock.advance(70_000);
      await scene.steward.tick();
      return (await question.count()) > 0;
    }, 60_000);
    await question.click();
    const card = page.locator('#question .approval-card');
    await card.getByText('Asked by your automation Invoices.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await card.getByRole('button', { name: /^Approve: / }).click();
    const { last_run: run } = await eventually(async () => {
      await scene.steward.tick();
      const { body } = await scene.steward.call('/automations', { token });
      return body.automations[0].last_run.status === 'done' && body.automations[0];
    });
    expect(run.error).toBe(null);
    expect(scene.pages.problems).toEqual([]);
  });

  it('say at its field what the service refuses', async () => {
    const page = await scene.pages.openConnected('mistyping', 'Automations');
    await choose(page, 'Invoices');
    await form(page).getByLabel('From').fill('acme');
    await form(page).getByRole('button', { name: 'Save' }).click();
    await form(page).getByText('Must be a mail address, or a domain such as @example.com.').waitFor();
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('From');
    expect(await axeViolations(page)).toEqual([]);
    await form(page).getByLabel('From').fill('@acme.example');
    await save(page, 'Invoices');
    await entry(page, 'Invoices')
      .getByText('When a mail from @acme.example with “invoice” in its subject arrives in mistyping@example.com')
      .waitFor();
    await entry(page, 'Invoices')
      .getByText(/has not looked yet/)
      .waitFor();
  });

  it('have addresses: one that is gone says so, and what another tab changes is shown', async () => {
    const page = await scene.pages.openConnected('twice', 'Automations');
    await choose(page, BRIEF);
    await save(page, BRIEF);
    const token = await scene.steward.signIn('twice');
    const { body } = await scene.steward.call('/automations', { token });
    const path = `/automations/${body.automations[0].id}`;
    const headers = { 'content-type': 'application/json' };
    await scene.steward.call(path, { method: 'PATCH', token, headers, body: JSON.stringify({ name: 'Evening brief' }) });
    await entry(page, 'Evening brief').getByRole('link', { name: 'Evening brief' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await scene.steward.call(path, { method: 'DELETE', token });
    await page.getByText('This automation does not exist any more.').waitFor();
    await page.getByRole('link', { name: 'All automations' }).click();
    await list(page).getByText('You have no automation yet.').waitFor();
  });
});
