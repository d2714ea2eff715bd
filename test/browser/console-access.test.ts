import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ChatPage } from '../support/browser/chat-page.ts';
import { chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { connect } from '../support/scenes/flows.ts';

const SARAH = 'Find the newest mail from Sarah';

describe.skipIf(chromiumMissing)(`an account whose access has ended, on the page${whySkipped}`, () => {
  const scene = pageScene();

  const revoke = (user: string) => scene.steward.control('workspace/revoke', { email: `${user}@example.com` });
  const navigation = (page: Page) => page.getByRole('navigation', { name: 'Console' });

  it('is said in the step with Reconnect, once in a message and in the navigation, and leads back to the conversation', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'cutoff');
    const { page, log } = chat;
    await chat.ask(SARAH);
    await revoke('cutoff');
    await chat.ask(SARAH);
    await log.locator('.step-problem').getByText('Access to cutoff@example.com has ended.').waitFor();
    await navigation(page)
      .getByRole('link', { name: /^Accounts\s*1 needs attention$/ })
      .waitFor();
    await page.locator('.toast').getByText('Access to cutoff@example.com has ended.').waitFor();
    expect(await page.locator('.toast').count()).toBe(1);
    expect(await axeViolations(page)).toEqual([]);
    const address = page.url();
    await log.getByRole('button', { name: 'Reconnect: cutoff@example.com' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await log.getByText('cutoff@example.com works again.').waitFor();
    expect(page.url()).toBe(address);
    await navigation(page)
      .getByRole('link', { name: /^Accounts$/ })
      .waitFor();
    await log.getByRole('button', { name: 'Try again' }).last().click();
    await log.getByText('I found this mail:').nth(1).waitFor();
    await chat.ended();
    expect(await log.locator('.chat-message.user').count()).toBe(2);
  });

  const MONEY = 'How much money is in my accounts?';
  const BANK = 'First Platypus Bank';
  const problem = (chat: ChatPage, text: string) => chat.log.locator('.step-problem').getByText(text);
  const reconnectInWindow = async ({ page, log }: ChatPage) => {
    const opened = page.waitForEvent('popup');
    await log.getByRole('button', { name: `Reconnect: ${BANK}` }).click();
    return opened;
  };
  const answersAgain = async (chat: ChatPage) => {
    await problem(chat, `${BANK} works again.`).waitFor();
    await chat.log.getByRole('button', { name: 'Try again' }).last().click();
    await chat.log.locator('.tool-step').getByText('done', { exact: true }).waitFor();
    await chat.ended();
    expect(await chat.log.locator('.step-problem').count()).toBe(0);
  };

  it('of a bank that asks to sign in again is got back in the step', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'relinker', { bank: true });
    await scene.steward.control('bank/reset-login', { all: true });
    await chat.ask(MONEY);
    await problem(chat, `${BANK} asks you to sign in again.`).waitFor();
    expect(await axeViolations(chat.page)).toEqual([]);
    const link = await reconnectInWindow(chat);
    await link.getByRole('button', { name: 'Log in again' }).click();
    await answersAgain(chat);
    expect(scene.pages.problems).toEqual([]);
  });

  it('of a bank that knows the connection no longer is got back in the step, and so it is in the accounts', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'goner', { bank: true });
    const { page } = chat;
    const remove = async () => {
      const { item_id: id } = (await scene.steward.control('bank/state')).items.findLast((one: any) => one.status !== 'removed');
      await scene.steward.control('bank/remove-item', { item_id: id });
    };
    const link = async (window: Page) => {
      await window.getByRole('button', { name: 'Continue' }).click();
      await window.getByRole('group', { name: 'Accounts' }).waitFor();
      await window.getByRole('button', { name: 'Continue' }).click();
    };
    await remove();
    await chat.ask(MONEY);
    await problem(chat, `${BANK} no longer knows this connection. Connect it again.`).waitFor();
    await link(await reconnectInWindow(chat));
    await answersAgain(chat);
    await remove();
    await chat.ask(MONEY);
    await scene.pages.show(page, 'Accounts');
    const entry = page.locator('#bank .entry');
    await entry.getByText('No longer available').waitFor();
    const opened = page.waitForEvent('popup');
    await entry.getByRole('button', { name: `Reconnect: ${BANK}` }).click();
    await link(await opened);
    await entry.getByText('No longer available').waitFor({ state: 'detached' });
    expect(await entry.count()).toBe(1);
    expect(scene.pages.problems).toEqual([]);
  });

  const CALENDAR = 'What is on my calendar today?';
  const permit = async ({ page, log }: ChatPage, email: string) => {
    const address = page.url();
    await log.getByRole('button', { name: `Reconnect: ${email}` }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await log.locator('.chat-message.assistant').first().waitFor();
    expect(page.url()).toBe(address);
  };

  it('that no longer permits what a question asks is permitted from the question, which is then approved', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'partial');
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    await connect(scene.steward, { token: chat.token, email: 'partial@example.com', untick: ['gmail.modify', 'gmail.send'] });
    const approve = chat.log.getByRole('button', { name: /^Approve: / });
    await approve.click();
    await chat.log.getByText('partial@example.com does not permit this. Can’t send, read or label mail.').waitFor();
    expect(await axeViolations(chat.page)).toEqual([]);
    await permit(chat, 'partial@example.com');
    await approve.click();
    await chat.log.getByText('I sent the mail to zoe@example.org.').waitFor();
  });

  it('that does not permit what the assistant has no tool for then is permitted below the answer', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'lacking', { untick: ['calendar.events.owned'] });
    await chat.ask(CALENDAR);
    const need = chat.log.locator('.chat-needs');
    await need.getByText('lacking@example.com does not permit this. Can’t use your calendar.').waitFor();
    expect(await axeViolations(chat.page)).toEqual([]);
    // Not below an answer that names what is permitted.
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    await chat.log.getByRole('button', { name: /^Deny: / }).click();
    await chat.log.getByText('You denied “Send a mail”').waitFor();
    await chat.ended();
    expect(await need.count()).toBe(0);
    await chat.ask(CALENDAR);
    await permit(chat, 'lacking@example.com');
    await need.waitFor({ state: 'detached' });
    await chat.ask(CALENDAR);
    await chat.log.locator('.tool-step').getByText('done', { exact: true }).waitFor();
  });

  it('in mid-answer ends the step in words, and nothing hangs', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'midway');
    await chat.say(`Be slow: ${SARAH}`);
    await chat.log.locator('.chat-message.assistant').waitFor();
    await revoke('midway');
    await chat.ended();
    await chat.ask(SARAH);
    await chat.log.locator('.step-problem').getByText('Access to midway@example.com has ended.').first().waitFor();
    expect(await chat.log.locator('.thinking').count()).toBe(0);
  });

  it('says which provider did not answer', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'outage');
    await scene.steward.control('faults', { part: 'workspace', path: '/api/gmail', kind: 'status', status: 500, times: 50 });
    await chat.ask(SARAH);
    await chat.log.locator('.step-problem').getByText('Google did not answer. Try again.').waitFor();
    await scene.steward.control('faults/clear', {});
  });

  it('is connected from the conversation where there is none', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'bare', { account: false });
    await chat.ask('What is on my calendar today?');
    await chat.log.locator('.chat-needs').getByText('No workspace account is connected.').waitFor();
    const address = chat.page.url();
    await chat.log.getByRole('button', { name: 'Connect a workspace account' }).click();
    await chat.page.getByRole('button', { name: 'Allow' }).click();
    await chat.log.locator('.chat-message.assistant').waitFor();
    await navigation(chat.page).getByRole('link', { name: 'Chat' }).waitFor();
    expect(chat.page.url()).toBe(address);
    await chat.log.locator('.chat-needs').waitFor({ state: 'detached' });
    expect(scene.pages.problems).toEqual([]);
  });
});

describe.skipIf(chromiumMissing)(`messages of the page${whySkipped}`, () => {
  const scene = pageScene();

  const box = async (node: Locator) => {
    const found = await node.boundingBox();
    if (found === null) throw new Error('it is not shown');
    return found;
  };
  const overlap = async (one: Locator, other: Locator) => {
    const [a, b] = [await box(one), await box(other)];
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  };

  it('go away by themselves only where they say what is done', async () => {
    const page = await scene.pages.openAs('slow-reader', 'Settings');
    await page.route('**/user/export', (route) =>
      route.fulfill({ status: 503, json: { status: 'error', code: 'unavailable', message: 'Later.' } }),
    );
    await page.clock.install();
    await page.getByRole('button', { name: 'Export my data' }).click();
    await page.locator('.toast').getByText('Later.').waitFor();
    await page.locator('#preferences').getByRole('button', { name: 'Save' }).click();
    await page.locator('.toast.done').waitFor();
    // Away from both.
    await page.getByRole('heading', { level: 1 }).focus();
    await page.mouse.move(0, 0);
    await page.clock.fastForward('02:00');
    await page.locator('.toast.done').waitFor({ state: 'detached' });
    expect(await page.locator('.toast').allTextContents()).toEqual([expect.stringContaining('Later.')]);
    await page.getByRole('button', { name: 'Dismiss this message' }).click();
    expect(await page.locator('.toast').count()).toBe(0);
  });

  it.each([
    [1280, 800],
    [390, 844],
  ])('cover neither Send nor the button that was used, at %i × %i', async (width, height) => {
    const chat = await ChatPage.open(scene.steward, scene.pages, `covered${width}`, { account: false });
    const { page } = chat;
    await page.setViewportSize({ width, height });
    await page.getByText('Ask in your own words.').waitFor();
    await page.route('**/threads?**', (route) =>
      route.fulfill({ status: 503, json: { status: 'error', code: 'unavailable', message: 'Later.' } }),
    );
    await page.getByLabel('Search conversations').evaluate((input) => input.dispatchEvent(new Event('input')));
    const toast = page.locator('.toast').first();
    await toast.waitFor();
    for (const button of [page.getByRole('button', { name: 'Send', exact: true }), chat.text])
      expect(await overlap(toast, button)).toBe(false);
    await page.evaluate(`location.hash = '#apps'`);
    await page.getByRole('heading', { level: 1, name: 'Connected apps' }).waitFor();
    const make = page.getByRole('button', { name: 'Make a token', exact: true });
    await page.route('**/tokens', (route) =>
      route.fulfill({ status: 403, json: { status: 'error', code: 'forbidden', message: 'Not now.' } }),
    );
    await page.getByLabel('Name', { exact: true }).fill('Digest');
    await make.click();
    const refused = page.locator('.toast').filter({ hasText: 'Not now.' });
    await refused.waitFor();
    expect(await overlap(refused, make)).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
