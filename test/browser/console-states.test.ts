import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ChatPage } from '../support/browser/chat-page.ts';
import { HeldResponses } from '../support/browser/held-responses.ts';
import { chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { connect, linkBank } from '../support/scenes/flows.ts';
import { eventually } from '../support/time/eventually.ts';

const VIEWS = ['Chat', 'Accounts', 'Actions', 'Approvals', 'Activity', 'Connected apps', 'Settings'] as const;
type View = (typeof VIEWS)[number];

/** What each view says of a user who has nothing. */
const EMPTY: Record<View, string[]> = {
  Chat: ['No conversations yet.', 'Until then, the assistant has nothing to work with.'],
  Accounts: ['No workspace account is connected yet.', 'No bank is connected yet.'],
  Actions: [],
  Approvals: ['No pending approvals.', 'Nothing is allowed in advance.'],
  Activity: ['Nothing has happened yet.'],
  'Connected apps': ['No app is connected.'],
  Settings: ['No account is read-only.', 'Not connected'],
};
/** What must not be said before it is known. */
const UNTRUE = [...Object.values(EMPTY).flat(), 'No model is configured', 'There are no actions yet.', 'No account is connected'];

const JSON_TYPE = { 'content-type': 'application/json' };

describe.skipIf(chromiumMissing)(`what is not known yet, on the page${whySkipped}`, () => {
  const scene = pageScene();

  const shown = (page: Page) => page.locator('.console-view:not([hidden])');
  const busy = (page: Page) => shown(page).locator('[aria-busy="true"]');
  const bars = (page: Page) => shown(page).locator('.skeleton');

  /** A user’s page whose data is held back. */
  async function openHeld(user: string, options: { account?: boolean; bank?: boolean } = {}) {
    let held: HeldResponses | undefined;
    const chat = await ChatPage.open(scene.steward, scene.pages, user, {
      ...options,
      prepare: async (page) => {
        held = await HeldResponses.of(page);
      },
    });
    return { chat, page: chat.page, release: () => held?.release() };
  }

  async function visit(page: Page, view: View): Promise<void> {
    if (view === 'Chat') await page.getByRole('heading', { level: 1, name: 'Chat', exact: true }).waitFor({ state: 'attached' });
    else await scene.pages.show(page, view);
  }

  it('is grey and busy in every view, and nothing false is said', async () => {
    const { page, release } = await openHeld('slowline');
    for (const view of VIEWS) {
      await visit(page, view);
      await bars(page).first().waitFor();
      expect(await busy(page).count(), view).toBeGreaterThan(0);
      const text = await shown(page).textContent();
      for (const untrue of UNTRUE) expect(text, view).not.toContain(untrue);
      expect(await page.locator('#loading').textContent()).toBe('Loading …');
      expect(await axeViolations(page), view).toEqual([]);
    }
    expect(await page.locator('.checklist').count()).toBe(0);
    // What is not known could be saved.
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    release();
    for (const view of [...VIEWS].reverse()) {
      await (view === 'Chat' ? page.getByRole('link', { name: 'Chat' }).first().click() : visit(page, view));
      await bars(page).first().waitFor({ state: 'detached' });
      expect(await busy(page).count(), view).toBe(0);
    }
    await page.getByText('Ask in your own words.').waitFor();
    expect(await page.locator('#loading').textContent()).toBe('');
    expect(scene.pages.problems).toEqual([]);
  });

  it('is grey and busy before it is known who is signed in', async () => {
    const page = await scene.pages.open('/test');
    const known = Promise.withResolvers<void>();
    await page.route('**/auth/session', async (route) => {
      await known.promise;
      await route.continue();
    });
    await page.goto(scene.steward.url);
    await page.locator('#views .skeleton').first().waitFor();
    expect(await page.locator('#loading').textContent()).toBe('Loading …');
    expect(await page.getByText('not signed in').count()).toBe(0);
    known.resolve();
    await page.getByRole('button', { name: 'Sign in as demo' }).waitFor();
    expect(await page.locator('#views .skeleton').count()).toBe(0);
    await page.getByText('not signed in').waitFor();
  });

  it('is empty afterwards for a user who has nothing', async () => {
    const { page, release } = await openHeld('newcomer', { account: false });
    release();
    for (const view of VIEWS) {
      await visit(page, view);
      for (const text of EMPTY[view]) await shown(page).getByText(text).first().waitFor();
      expect(await bars(page).count(), view).toBe(0);
    }
    expect(scene.pages.problems).toEqual([]);
  });

  it('is shown at once in a view that is opened when it is known', async () => {
    const { page } = await ChatPage.open(scene.steward, scene.pages, 'later', { bank: true });
    await page.getByRole('heading', { name: 'See an attack fail' }).waitFor();
    await scene.pages.show(page, 'Accounts');
    await page.locator('#workspace').getByText('later@example.com').first().waitFor();
    await page.locator('#bank').getByText('First Platypus Bank').waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('is not announced again and again', async () => {
    const { page, release } = await openHeld('listener');
    await page.evaluate(`
      window.said = [];
      new MutationObserver(() => said.push(document.getElementById('loading').textContent))
        .observe(document.getElementById('loading'), { childList: true });
    `);
    for (const view of VIEWS) await visit(page, view);
    release();
    await bars(page).first().waitFor({ state: 'detached' });
    await eventually(async () => expect(await page.evaluate('said')).toEqual(['']));
  });

  it('can be asked for again where it could not be loaded', async () => {
    let isBroken = true;
    const chat = await ChatPage.open(scene.steward, scene.pages, 'unlucky', {
      prepare: (page) =>
        page.route(
          ({ pathname }) => /^\/(?:threads|models|clients)$/.test(pathname),
          (route) =>
            isBroken ? route.fulfill({ status: 503, json: { status: 'error', code: 'unavailable', message: 'Later.' } }) : route.continue(),
        ),
    });
    const { page } = chat;
    await page.locator('.chat-threads').getByText('This could not be loaded.').waitFor();
    await chat.log.getByText('This could not be loaded.').waitFor();
    expect(await busy(page).count()).toBe(0);
    isBroken = false;
    await page.locator('.chat-threads').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No conversations yet.').waitFor();
    await chat.log.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Ask in your own words.').waitFor();
    await scene.pages.show(page, 'Connected apps');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No app is connected.').waitFor();
  });
});

describe.skipIf(chromiumMissing)(`what has happened, on the page${whySkipped}`, () => {
  const scene = pageScene();

  it('stands in the order and under the day of the service, also where the page learns of it late', async () => {
    const { steward } = scene;
    const token = await steward.signIn('historian');
    await connect(steward, { token, email: 'historian@example.com' });
    await linkBank(steward, token);
    await steward.sql(
      `update events set created_at = created_at - interval '5 hours' where data ->> 'provider' = 'bank'
         and user_id = (select id from users where email = 'historian@example.com')`,
    );
    await steward.call('/agents/mail.labels', { token, body: '{}', headers: JSON_TYPE });
    const { page } = await ChatPage.open(steward, scene.pages, 'historian', { account: false });
    await scene.pages.show(page, 'Activity');
    const feed = page.locator('#feed');
    const bank = feed.locator('.happened').filter({ hasText: 'You connected the bank First Platypus Bank' });
    await bank.waitFor();
    await feed.getByText('You ran “List labels” for historian@example.com').waitFor();
    expect(await feed.locator('.happened').last().textContent()).toContain('You connected the bank');
    const times = await feed.locator('time').evaluateAll((nodes) => nodes.map((node) => Date.parse(node.dateTime)));
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect(await feed.textContent()).not.toContain('before ');
    for (const day of await feed.locator('h3').allTextContents()) expect(day).toMatch(/^(?:Today|Yesterday)$/);
    expect(await axeViolations(page)).toEqual([]);
  });
});
