import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ChatPage } from '../support/browser/chat-page.ts';
import { chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';

const LONG = 'W'.repeat(300);
const HEBREW = 'פגישה עם דנה';
const VIEWS = ['Accounts', 'Actions', 'Approvals', 'Activity', 'Connected apps', 'Settings', 'Chat'] as const;
const JSON_TYPE = { 'content-type': 'application/json' };
const asJson = (input: object) => ({ body: JSON.stringify(input), headers: JSON_TYPE });

describe.skipIf(chromiumMissing)(`long texts, many guests and other directions, on the page${whySkipped}`, () => {
  const scene = pageScene();

  // What needs no approval has run.
  async function approved(token: string, action: string, input: object): Promise<any> {
    const asked = await scene.steward.call(`/agents/${action}`, { token, ...asJson(input) });
    if (asked.status === 200) return asked.body.data;
    const { approvalId } = asked.body.details ?? asked.body;
    return (await scene.steward.call(`/approvals/${approvalId}`, { token, ...asJson({ approved: true }) })).body.data;
  }

  it('fit a narrow page in every view, and stay apart from the page’s own words', async () => {
    const user = 'extreme';
    const chat = await ChatPage.open(scene.steward, scene.pages, user);
    const { page, token } = chat;
    const attendees = Array.from({ length: 60 }, (_, index) => `guest.${index}@example.org`);
    const times = { start: '2027-03-22T09:30', end: '2027-03-22T10:00' };
    const made = await approved(token, 'calendar.create', { ...times, title: LONG, attendees });
    const other = await approved(token, 'calendar.create', { ...times, title: HEBREW, location: HEBREW });
    await scene.steward.call('/agents/calendar.create', { token, ...asJson({ ...times, title: LONG, attendees: ['zoe@example.org'] }) });
    await scene.steward.call('/tokens', { token, ...asJson({ name: HEBREW, actions: ['mail.*'], access: 'read' }) });
    for (const text of [LONG, HEBREW]) {
      await chat.ask(text);
      await page.getByRole('button', { name: 'New conversation' }).click();
    }
    await page.locator('.threads a').filter({ hasText: 'WWWW' }).click();
    await chat.log.locator('.chat-message.user').waitFor();
    await scene.pages.show(page, 'Actions');
    await scene.pages.choose(page, 'calendar.get');
    const result = page.locator('.run').first();
    for (const { id } of [other, made]) {
      await page.getByLabel('Id', { exact: true }).fill(id);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await result.locator('.event-title').waitFor();
    }
    expect(await result.locator('.event-facts').first().textContent()).toContain('guest.0@example.org');
    await result.getByText('and 52 more').click();
    await result.getByText('guest.59@example.org').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    for (const view of VIEWS) {
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: view }).click();
      await page.getByRole('heading', { level: 1, name: view, exact: true }).waitFor({ state: 'attached' });
      await page.locator('.console-view:not([hidden]) .skeleton').first().waitFor({ state: 'detached' });
      expect(await page.evaluate('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(390);
    }
    await page.locator('.threads a').filter({ hasText: 'WWWW' }).waitFor({ state: 'attached' });
    expect(await axeViolations(page)).toEqual([]);
  });

  it('are isolated, so that they don’t turn the page’s own words round', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'hebrew');
    const { page, token } = chat;
    await scene.steward.call('/tokens', { token, ...asJson({ name: HEBREW, actions: ['mail.*'], access: 'read' }) });
    await scene.pages.show(page, 'Activity');
    await page.locator('#feed').getByText(`You made the token “\u2068${HEBREW}\u2069”`).waitFor();
    await scene.pages.show(page, 'Connected apps');
    const name = page.locator('#connected bdi').filter({ hasText: HEBREW });
    await name.waitFor();
    await page.getByRole('button', { name: `Disconnect: ${HEBREW}` }).click();
    await page
      .getByRole('dialog')
      .getByRole('heading', { name: `Disconnect “\u2068${HEBREW}\u2069”?` })
      .waitFor();
  });
});
