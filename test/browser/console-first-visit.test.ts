import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ChatPage } from '../support/browser/chat-page.ts';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';

const WIDTHS = [1280, 390];

/** The tag and text of what has the focus. */
const focused = (page: Page) => page.evaluate<string>("document.activeElement.tagName + ' ' + document.activeElement.textContent");

/** How far the second element begins below the end of the first, and how their middles differ, in pixels. */
async function below(page: Page, first: string, second: string): Promise<{ gap: number; middles: number }> {
  const [one, other] = await Promise.all([first, second].map((selector) => page.locator(selector).boundingBox()));
  if (!one || !other) throw new Error(`${first} or ${second} is not shown`);
  return { gap: other.y - one.y - one.height, middles: Math.abs(other.y + other.height / 2 - one.y - one.height / 2) };
}

describe.skipIf(chromiumMissing)(`the first visit to the console${whySkipped}`, () => {
  const scene = pageScene();

  it.each(WIDTHS)('has forms whose controls stand below their labels, with buttons beside them (%i px)', async (width) => {
    const page = await scene.pages.open('/', width);
    await page.getByLabel('Another user').waitFor();
    expect(await page.getByText('Lower-case letters, digits, dot, hyphen and underscore.').count()).toBe(1);
    expect((await below(page, '#user-name', '#sign-in-ways form.row button')).middles).toBeLessThan(2);
    await scene.pages.signIn(page, `forms${width}`);
    expect((await below(page, '#connect-email', 'form:has(#connect-email) button')).middles).toBeLessThan(2);
    await page.goto(`${scene.steward.url}/#actions/mail.search`);
    await page.getByLabel('Query').waitFor();
    const query = '#action-form [id$="-query"]';
    expect((await below(page, `#action-form label[for$="-query"]`, query)).gap).toBeGreaterThanOrEqual(0);
    expect((await below(page, query, '#action-form [id$="-query-about"]')).gap).toBeLessThan(12);
    expect(scene.pages.problems).toEqual([]);
  });

  it('goes on at the title of the view after the sign-in, by keyboard', async () => {
    const page = await scene.pages.open('/');
    await page.getByRole('button', { name: 'Sign in as ana' }).press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await focused(page)).toBe('H1 Accounts');
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.getByRole('button', { name: 'Sign in as ana' }).waitFor();
    expect(await focused(page)).toBe('H1 Accounts for your assistants');
  });

  it.each([
    { width: 320, height: 568 },
    { width: 640, height: 400 },
  ])('leaves the conversation half of a small or enlarged page, with the decision in view ($width×$height)', async (size) => {
    const { page, log, ask } = await openChat(`small${size.width}`);
    await page.setViewportSize(size);
    await ask('Write to zoe@example.org: Lunch at noon?');
    const answers = ['Deny', 'Change', 'Approve'].map((name) => log.getByRole('button', { name }));
    const [room, composer, ...boxes] = await Promise.all(
      [log, page.locator('.composer'), ...answers].map(async (node) => (await node.boundingBox()) ?? { y: 0, height: 0 }),
    );
    expect(room?.height).toBeGreaterThan(size.height / 2);
    for (const box of boxes) {
      expect(box.y).toBeGreaterThan(room?.y ?? size.height);
      expect(box.y + box.height).toBeLessThanOrEqual(composer?.y ?? 0);
    }
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    const list = page.getByRole('button', { name: 'Conversations' });
    await list.press('Enter');
    await page.getByRole('button', { name: 'New conversation' }).focus();
    await page.keyboard.press('Escape');
    expect(await list.getAttribute('aria-expanded')).toBe('false');
    expect(await focused(page)).toBe('BUTTON Conversations');
  });

  async function openChat(user: string) {
    const chat = await ChatPage.open(scene.steward, scene.pages, user);
    return { page: chat.page, log: chat.log, ask: (text: string) => chat.ask(text) };
  }
});
