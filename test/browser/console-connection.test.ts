import type { Page, WebSocketRoute } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ChatPage } from '../support/browser/chat-page.ts';
import { chromiumMissing, Pages, pageScene, whySkipped } from '../support/browser/page.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

const SARAH = 'Find the newest mail from Sarah';

const banner = (page: Page) => page.locator('#offline');
const socket = (page: Page) => page.locator('#socket');

/** The message waits: nothing looks as if an answer were under way. */
async function waits({ page, log }: ChatPage): Promise<void> {
  await log.getByText('Waiting for the connection').waitFor();
  expect(await log.locator('.thinking').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Stop', exact: true }).isVisible()).toBe(false);
}

describe.skipIf(chromiumMissing)(`a message without a connection${whySkipped}`, () => {
  const scene = pageScene();

  it('waits and says so, can be taken back, and is answered once the browser is online', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'tunnel');
    const { page, log } = chat;
    await socket(page).getByText('connected', { exact: true }).waitFor();
    // The browser leaves the open socket alone.
    await page.context().setOffline(true);
    await socket(page).getByText('not connected').waitFor();
    await banner(page).getByText('Not connected to the server.').waitFor();
    await chat.say(SARAH);
    await waits(chat);
    expect(await axeViolations(page)).toEqual([]);
    await log.getByRole('button', { name: 'Cancel: message' }).click();
    await log.getByText('Waiting for the connection').waitFor({ state: 'detached' });
    expect(await chat.text.inputValue()).toBe(SARAH);
    expect(await page.evaluate('document.activeElement.id')).toBe('chat-text');
    expect(await log.locator('.chat-message').count()).toBe(0);
    await chat.text.press('Enter');
    await waits(chat);
    await page.context().setOffline(false);
    await log.getByText('I found this mail:').waitFor();
    await chat.ended();
    expect(await log.locator('.chat-message.user').count()).toBe(1);
    await banner(page).waitFor({ state: 'hidden' });
    const { threads } = (await scene.steward.call('/threads', { token: chat.token })).body;
    expect(threads).toHaveLength(1);
  });

  it('leaves the banner room beside the conversation', async () => {
    const { page } = await ChatPage.open(scene.steward, scene.pages, 'roomy');
    await page.getByText('Ask in your own words.').waitFor();
    await page.context().setOffline(true);
    await banner(page).waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const tops = await page.evaluate(`['#offline', '.chat-head', '.chat-head h2', '.chat-threads'].map((name) => {
        const box = document.querySelector(name).getBoundingClientRect();
        return { name, top: box.top, bottom: box.bottom, height: box.height };
      })`);
      const [offline, head, title, list] = tops as { top: number; bottom: number; height: number }[];
      expect(head?.top).toBeGreaterThanOrEqual(offline?.bottom ?? 0);
      if (list !== undefined && list.height > 0) expect(list.top).toBeGreaterThanOrEqual(offline?.bottom ?? 0);
      // The padding of the title's row.
      expect((title?.top ?? 0) - (head?.top ?? 0)).toBeGreaterThanOrEqual(6);
      expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
    }
  });

  it('is said of a service that hangs without closing anything, and no longer once it answers', async () => {
    const page = await scene.pages.openAs('frozen', 'Settings');
    await socket(page).getByText('connected', { exact: true }).waitFor();
    // The next request is seconds away.
    await page.waitForResponse('**/test');
    await page.clock.install();
    const gate = Promise.withResolvers<void>();
    await page.route('**/test', async (route) => {
      await gate.promise;
      await route.continue().catch(() => undefined);
    });
    const asked = page.waitForRequest('**/test');
    await page.evaluate("dispatchEvent(new Event('online'))");
    await asked;
    await page.clock.fastForward(9_000);
    expect(await banner(page).isVisible()).toBe(false);
    await page.clock.fastForward(1_000);
    await banner(page).waitFor();
    await socket(page).getByText('not connected').waitFor();
    gate.resolve();
    await banner(page).waitFor({ state: 'hidden' });
    await socket(page).getByText('connected', { exact: true }).waitFor();
  });

  it('is said once, however much fails, and no longer when the browser is online', async () => {
    const page = await scene.pages.openAs('cutoff', 'Settings');
    await socket(page).getByText('connected', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await socket(page).getByText('not connected').waitFor();
    const message = page.locator('.toast').filter({ hasText: 'Steward can’t be reached.' });
    const fail = async () => {
      const failed = page.waitForEvent('requestfailed', { predicate: (request) => new URL(request.url()).pathname === '/user/export' });
      await page.getByRole('button', { name: 'Export my data' }).click();
      await failed;
      await page.getByRole('button', { name: 'Export my data', disabled: false }).waitFor();
    };
    await fail();
    await fail();
    expect(await message.count()).toBe(1);
    await page.context().setOffline(false);
    await message.waitFor({ state: 'detached' });
    await banner(page).waitFor({ state: 'hidden' });
  });
});

describe.skipIf(chromiumMissing)(`a decision without a connection${whySkipped}`, () => {
  const scene = pageScene();

  const LUNCH = 'Write to zoe@example.org: Lunch at noon?';
  const approve = (chat: ChatPage) => chat.log.getByRole('button', { name: /^Approve: / });
  const openQuestions = async ({ token }: ChatPage) => (await scene.steward.call('/approvals', { token })).body.approvals.length;
  const sent = async (chat: ChatPage) => {
    await chat.log.getByText('I sent the mail to zoe@example.org.').waitFor();
    const body = JSON.stringify({ query: 'in:sent subject:Lunch to:zoe@example.org' });
    const headers = { 'content-type': 'application/json' };
    const found = await scene.steward.call('/agents/mail.search', { token: chat.token, body, headers });
    return found.body.data.items.length;
  };

  it('is not sent, says so at once, and can be made again once the browser is online', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'tunnel-decider');
    const { page } = chat;
    await chat.ask(LUNCH);
    for (const name of ['Approve', 'Deny']) {
      await page.context().setOffline(true);
      await socket(page).getByText('not connected').waitFor();
      await chat.log.getByRole('button', { name: new RegExp(`^${name}: `) }).click();
      const said = chat.log.getByRole('alert').getByText('Steward can’t be reached. Nothing was sent');
      await said.waitFor();
      expect(await approve(chat).getAttribute('aria-busy')).toBeNull();
      expect(await axeViolations(page)).toEqual([]);
      await page.context().setOffline(false);
      await said.waitFor({ state: 'detached' });
      expect(await openQuestions(chat)).toBe(1);
    }
    await approve(chat).click();
    expect(await sent(chat)).toBe(1);
  });

  it('is not sent to several questions either', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'tunnel-denier');
    const { page } = chat;
    await chat.ask(LUNCH);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await chat.ask('Write to yan@example.org: Dinner at eight?');
    await scene.pages.show(page, 'Approvals');
    await page.context().setOffline(true);
    await socket(page).getByText('not connected').waitFor();
    await page.getByRole('button', { name: 'Deny all' }).click();
    await page.locator('.toast').getByText('Steward can’t be reached. Nothing was sent').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await openQuestions(chat)).toBe(2);
  });

  it.each([
    ['on its way', 'client'],
    ['on the way back', 'server'],
  ])('that is lost %s is looked up once the connection is back, and made once', async (_where, side) => {
    let isDown = false;
    let hasLost = false;
    const lose = (route: WebSocketRoute) => {
      isDown = true;
      hasLost = true;
      route.close();
    };
    const chat = await ChatPage.open(scene.steward, scene.pages, `lost-${side}`, {
      prepare: (page) =>
        page.routeWebSocket('**/ws', (route) => {
          if (isDown) {
            route.close();
            return;
          }
          const server = route.connectToServer();
          let asked: string | undefined;
          route.onMessage((text) => {
            const { type, requestId } = JSON.parse(String(text));
            const isFirst = type === 'approve' && !hasLost;
            if (isFirst) asked = requestId;
            if (isFirst && side === 'client') lose(route);
            else server.send(text);
          });
          server.onMessage((text) => {
            if (asked !== undefined && JSON.parse(String(text)).requestId === asked) lose(route);
            else route.send(text);
          });
        }),
    });
    await chat.ask(LUNCH);
    await approve(chat).click();
    await socket(chat.page).getByText('not connected').waitFor();
    // An event may have said already that it has arrived.
    if (side === 'client') await chat.log.getByRole('alert').getByText('The connection was lost.').waitFor();
    isDown = false;
    if (side === 'client') {
      await chat.log.getByRole('alert').getByText('Your decision has not arrived. Nothing was done: decide again.').waitFor();
      expect(await openQuestions(chat)).toBe(1);
      await approve(chat).click();
    }
    expect(await sent(chat)).toBe(1);
  });
});

describe.skipIf(chromiumMissing)(`a restart of the service${whySkipped}`, () => {
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

  it('is got over by the page: what waits is sent, once, and what asks still asks', async () => {
    let isDown = false;
    const chat = await ChatPage.open(steward, pages, 'rebooted', {
      prepare: (page) =>
        page.routeWebSocket('**/ws', (connection) => {
          if (isDown) connection.close();
          else connection.connectToServer();
        }),
    });
    const { page, log } = chat;
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    await page.locator('.threads').getByText('asks you').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    isDown = true;
    steward = await steward.restart({ PORT: new URL(steward.url).port });
    await socket(page).getByText('not connected').waitFor();
    await chat.say(SARAH);
    await waits(chat);
    isDown = false;
    await log.getByText('I found this mail:').waitFor();
    await chat.ended();
    expect(await log.locator('.chat-message.user').count()).toBe(1);
    expect((await steward.call('/threads', { token: chat.token })).body.threads).toHaveLength(2);
    await page.locator('.threads').getByText('asks you').waitFor();
    await page.locator('.threads a').filter({ hasText: 'Write to zoe' }).click();
    await log.getByRole('button', { name: /^Approve: / }).click();
    await log.getByText('I sent the mail to zoe@example.org.').waitFor();
    await page.locator('.threads').getByText('asks you').waitFor({ state: 'detached' });
  });
});

describe.skipIf(chromiumMissing)(`what asks for a decision, in the conversations${whySkipped}`, () => {
  const scene = pageScene();

  const badge = (page: Page) => page.locator('.threads').getByText('asks you');
  const sentence = (chat: ChatPage) => chat.log.getByText('Steward asks you about 1 call');
  const expireAll = async () => {
    await scene.steward.sql(`update approvals set expires_at = now() - interval '1 second'`);
    await scene.steward.context.approvalExpiry.endExpired();
  };

  it('is what is open now, also after its time, a reload, and in another conversation', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'lapsed');
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    await badge(chat.page).waitFor();
    await sentence(chat).waitFor();
    await chat.page.getByRole('button', { name: 'New conversation' }).click();
    await chat.log.getByText('Ask in your own words.').waitFor();
    await badge(chat.page).waitFor();
    await expireAll();
    await badge(chat.page).waitFor({ state: 'detached' });
    await chat.page.reload();
    await chat.page.locator('.threads a').filter({ hasText: 'Write to zoe' }).click();
    await chat.log.getByText('Write to zoe@example.org: Lunch at noon?').waitFor();
    await chat.page.locator('#nav-approvals').waitFor({ state: 'hidden' });
    expect(await badge(chat.page).count()).toBe(0);
    expect(await sentence(chat).count()).toBe(0);
  });

  it('goes when it is decided elsewhere', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'decider');
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    await badge(chat.page).waitFor();
    await chat.page.getByRole('button', { name: 'New conversation' }).click();
    const { approvals } = (await scene.steward.call('/approvals', { token: chat.token })).body;
    await scene.steward.call(`/approvals/${approvals[0].id}`, { token: chat.token, form: { approved: 'false' } });
    await badge(chat.page).waitFor({ state: 'detached' });
  });
});
