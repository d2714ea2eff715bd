import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { linkBank } from '../support/scenes/flows.ts';

const AXE = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const VIEWS = ['Chat', 'Accounts', 'Actions', 'Approvals', 'Activity', 'Connected apps', 'Settings'] as const;
const JSON_TYPE = { 'content-type': 'application/json' };

/** What axe finds, one line a violation. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  // Nothing is measured while it fades in.
  await page.evaluate('Promise.allSettled(document.getAnimations().map((animation) => animation.finished))');
  const found = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`,
  );
  return found as string[];
}

describe.skipIf(chromiumMissing)(`the accessibility of the page at GET /${whySkipped}`, () => {
  const scene = pageScene();

  /** A user with accounts, a pending approval, an allowance’s list and a client. */
  async function prepare(page: Page, user: string): Promise<void> {
    await scene.pages.signIn(page, user);
    await scene.pages.connect(page, `${user}@example.com`);
    const token = await scene.steward.signIn(user);
    await linkBank(scene.steward, token);
    const mail = { to: ['zoe@example.org'], subject: 'Lunch', body: 'At noon?' };
    await scene.steward.call('/agents/mail.send', { token, body: JSON.stringify(mail), headers: JSON_TYPE });
    const client = { name: 'Digest', actions: ['mail.*'], access: 'read' };
    await scene.steward.call('/tokens', { token, body: JSON.stringify(client), headers: JSON_TYPE });
  }

  async function runSomething(page: Page): Promise<void> {
    await scene.pages.choose(page, 'mail.search');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.run[data-state="done"]').waitFor();
    await page.locator('#action-form summary').click();
  }

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no violation in any view, %s, %i pixels wide', async (colorScheme, width) => {
    // The policy of the page forbids scripts from elsewhere, axe among them.
    const page = await scene.pages.open('/', width, { colorScheme, bypassCSP: true });
    await page.getByRole('button', { name: 'Sign in as demo' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await prepare(page, `seen-${colorScheme}-${width}`);
    for (const view of VIEWS) {
      if (width < 900) await page.getByRole('button', { name: 'Menu' }).click();
      await scene.pages.show(page, view);
      if (view === 'Actions') await runSomething(page);
      if (view === 'Approvals') await page.getByRole('link', { name: /zoe@example\.org/ }).click();
      expect(await violations(page), view).toEqual([]);
      expect(await page.evaluate(ACCESSIBILITY), view).toEqual([]);
    }
    await page
      .getByRole('button', { name: 'Delete my account' })
      .or(page.getByRole('button', { name: 'Sign out' }))
      .first()
      .waitFor();
  });

  it('works by the keyboard: skip link, navigation, picker, menu, dialog, and the focus returns', async () => {
    const page = await scene.pages.open('/', 1280);
    await scene.pages.signIn(page, 'keys');
    await scene.pages.connect(page, 'keys@example.com');
    await page.reload();
    await page.locator('#workspace').getByText('keys@example.com').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await page.getByRole('link', { name: 'Actions' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('h1:focus').getByText('Actions').waitFor();
    expect(await page.title()).toBe('Actions · Steward');
    expect(await page.getByRole('link', { name: 'Actions' }).getAttribute('aria-current')).toBe('page');
    await page.getByRole('searchbox', { name: 'Find an action' }).focus();
    await page.keyboard.press('Tab');
    const before = await page.evaluate('document.activeElement.value');
    await page.keyboard.press('ArrowDown');
    const after = String(await page.evaluate('document.activeElement.value'));
    expect(after).not.toBe(before);
    await page.locator('#action .facts code').getByText(after, { exact: true }).waitFor();
    await scene.pages.show(page, 'Accounts');
    const disconnect = page.getByRole('button', { name: 'Disconnect: keys@example.com' });
    await disconnect.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await disconnect.and(page.locator(':focus')).waitFor();
    // The button that did something is drawn again, and has the focus.
    await page.getByRole('button', { name: 'Set to read-only: keys@example.com' }).press('Enter');
    await page.getByText('keys@example.com is read-only.').waitFor();
    await page.getByRole('button', { name: 'Permit changes: keys@example.com' }).waitFor();
    expect(await page.evaluate('document.activeElement !== document.body')).toBe(true);
    await page.setViewportSize({ width: 390, height: 800 });
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.press('Enter');
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Escape');
    await menu.and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('link', { name: 'Settings' }).isVisible()).toBe(false);
    expect(scene.pages.problems).toEqual([]);
  });
});
