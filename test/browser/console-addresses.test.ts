import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ChatPage } from '../support/browser/chat-page.ts';
import { ACCESSIBILITY, chromiumMissing, Pages, whySkipped } from '../support/browser/page.ts';
import { connect, linkBank } from '../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';
import { eventually } from '../support/time/eventually.ts';

const SARAH = 'Find the newest mail from Sarah';
const HELP = 'What can you do?';

describe.skipIf(chromiumMissing)(`addresses within the console${whySkipped}`, () => {
  let steward: TestSteward;
  let pages: Pages;

  beforeAll(async () => {
    steward = await startSteward({ CONSOLE: 'on' });
    pages = await Pages.launch(steward);
  });
  afterEach(() => pages.closeAll());
  afterAll(async () => {
    await pages?.browser.close();
    await steward?.stop();
  });

  const hashOf = (page: Page) => new URL(page.url()).hash;
  const conversation = (page: Page, name: string) => page.getByRole('heading', { level: 2, name }).waitFor();
  const titled = (page: Page, title: string) => eventually(async () => expect(await page.title()).toBe(title));
  const goTo = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

  async function withTwo(user: string) {
    const chat = await ChatPage.open(steward, pages, user);
    await chat.ask(HELP);
    const first = hashOf(chat.page);
    await chat.page.getByRole('button', { name: 'New conversation' }).click();
    await conversation(chat.page, 'New conversation');
    await chat.ask(SARAH);
    return { chat, page: chat.page, first, second: hashOf(chat.page) };
  }

  it('name each conversation; Back and Forward move between them', async () => {
    const { chat, page, first, second } = await withTwo('mover');
    expect(first).toMatch(/^#chat\/[\w-]{36}$/);
    expect(second).not.toBe(first);
    const { threads } = (await steward.call('/threads', { token: chat.token })).body;
    expect(threads.map(({ id }: { id: string }) => `#chat/${id}`)).toEqual([second, first]);
    await titled(page, `${SARAH} · Chat · Steward`);
    const link = page.locator('.threads').getByRole('link', { name: HELP, exact: true });
    expect(await link.getAttribute('href')).toBe(first);
    await link.press('Enter');
    await conversation(page, HELP);
    await titled(page, `${HELP} · Chat · Steward`);
    await page.goBack();
    await conversation(page, SARAH);
    await page.goBack();
    await conversation(page, HELP);
    await page.goForward();
    await conversation(page, SARAH);
    await chat.log.getByText('I found this mail:').waitFor();
    expect(pages.problems).toEqual([]);
  });

  it('open a conversation after a reload and in a second tab', async () => {
    const { chat, page, first } = await withTwo('keeper');
    await page.reload();
    await conversation(page, SARAH);
    await chat.log.getByText('I found this mail:').waitFor();
    const opened = page.context().waitForEvent('page');
    await page
      .locator('.threads')
      .getByRole('link', { name: HELP, exact: true })
      .click({ modifiers: ['ControlOrMeta'] });
    const second = await opened;
    await eventually(() => expect(hashOf(second)).toBe(first));
    await conversation(page, SARAH);
  });

  it('say in place that a conversation is gone, or another user’s, with a way on', async () => {
    const { page, first } = await withTwo('owner');
    const other = await ChatPage.open(steward, pages, 'stranger');
    const asked: string[] = [];
    other.page.on('request', (request) => asked.push(request.url()));
    for (const hash of [first, '#chat/..%2fuser', `#chat/${'x'.repeat(70)}`]) {
      await goTo(other.page, hash);
      await other.log.getByText('This conversation does not exist any more.').waitFor();
      expect(await other.text.isVisible()).toBe(false);
      await other.log.getByRole('link', { name: 'New conversation' }).click();
      await conversation(other.page, 'New conversation');
      await other.text.waitFor();
    }
    expect(asked.filter((url) => /threads\/.*(?:user|x{70})/.test(url))).toEqual([]);
    expect(await other.page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(await page.locator('.chat-log').getByText('I found this mail:').isVisible()).toBe(true);
  });

  it('lead home without an error where they are nobody’s', async () => {
    const page = await pages.openAs('lost');
    for (const hash of ['#nothing', '#%', '#__proto__', '#constructor/prototype', '#toString?x', '#chat%2Fx', `#${'a/'.repeat(150_000)}`]) {
      await pages.show(page, 'Settings');
      await goTo(page, hash);
      await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
      expect(hashOf(page)).toBe('#accounts');
    }
    await page.goto(`${steward.url}/#%E0%A4%A`);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    expect(pages.problems).toEqual([]);
  });

  it('name actions, runs of this tab and filters', async () => {
    const page = await pages.openConnected('tester', 'Actions');
    await pages.choose(page, 'mail.labels');
    expect(hashOf(page)).toBe('#actions/mail.labels');
    await titled(page, 'List labels · Actions · Steward');
    await pages.choose(page, 'calendar.list');
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: 'List labels', exact: true }).waitFor();
    expect(await page.getByRole('radio', { name: 'List labels' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.run[data-state="done"]').waitFor();
    const run = hashOf(page);
    expect(run).toMatch(/^#actions\/mail\.labels\/runs\/[\w-]{36}$/);
    await page.reload();
    await page.getByRole('heading', { level: 2, name: 'List labels', exact: true }).waitFor();
    await page.getByText('This run is not kept any more').waitFor();
    await goTo(page, '#actions/mail.nothing');
    const noAction = page.locator('#action').getByText('There is no action of this name.');
    await noAction.waitFor();
    await titled(page, 'Actions · Steward');
    // Nothing that can't be run is offered.
    expect(await page.locator('#action').getByRole('button', { name: 'Run' }).isVisible()).toBe(false);
    expect(await page.getByLabel('Account', { exact: true }).isVisible()).toBe(false);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByRole('link', { name: 'All actions' }).click();
    await noAction.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    await goTo(page, '#activity?kind=account');
    await page.locator('#feed').getByText('You connected the workspace account').waitFor();
    expect(await page.getByRole('radio', { name: 'Accounts and apps' }).isChecked()).toBe(true);
    await page.getByText('Calls', { exact: true }).click();
    expect(hashOf(page)).toBe('#activity?kind=call');
    await page.goBack();
    await page.locator('#feed').getByText('You connected the workspace account').waitFor();
    // One that there is not is everything, and the address says so.
    await goTo(page, '#activity?kind=__proto__');
    await eventually(() => expect(hashOf(page)).toBe('#activity'));
    expect(await page.getByRole('radio', { name: 'Everything' }).isChecked()).toBe(true);
    expect(pages.problems).toEqual([]);
  });

  it('of a question that is nobody’s say so once, with a way on, and nothing before it is known', async () => {
    const page = await pages.openAs('seeker', 'Settings');
    const card = page.locator('#question');
    const held = Promise.withResolvers<void>();
    await page.route('**/user/audit?**', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${steward.url}/#approvals/${'x'.repeat(300)}`);
    await page.reload();
    await page.locator('#pending').getByText('No pending approvals.').waitFor();
    await card.locator('[aria-busy="true"]').waitFor();
    expect(await card.getByText('not open any more').count()).toBe(0);
    held.resolve();
    await card.getByText('This question is not open any more.').waitFor();
    expect(
      await page
        .locator('#view-approvals')
        .getByText(/not open any more/i)
        .count(),
    ).toBe(1);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await card.getByRole('link', { name: 'All questions' }).first().click();
    expect(hashOf(page)).toBe('#approvals');
    await page.locator('#pending').getByText('No pending approvals.').waitFor();
    expect(await card.isVisible()).toBe(false);
  });

  it('leave each view where it was when the navigation leads back to it', async () => {
    const { page } = await withTwo('returner');
    await pages.show(page, 'Settings');
    await pages.show(page, 'Chat');
    await conversation(page, SARAH);
    await pages.show(page, 'Settings');
    await page.getByRole('link', { name: 'Steward', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
  });

  it('name an account and an app, and say where they are gone', async () => {
    const page = await pages.openConnected('namer', 'Accounts');
    const token = await steward.signIn('namer');
    await linkBank(steward, token);
    await page.getByRole('link', { name: 'First Platypus Bank' }).click();
    const [{ id }] = (await steward.call('/auth/bank/accounts', { token })).body.accounts;
    expect(hashOf(page)).toBe(`#accounts/${id}`);
    await titled(page, 'First Platypus Bank · Accounts · Steward');
    await page.reload();
    await page.locator('#bank .entry[aria-current="true"]').getByText('First Platypus Bank').waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Disconnect: First Platypus Bank' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('This account is not connected any more.').waitFor();
    await page.getByRole('link', { name: 'All accounts' }).click();
    await page.getByText('This account is not connected any more.').waitFor({ state: 'detached' });
    await goTo(page, '#apps/00000000-0000-4000-8000-000000000000');
    await page.getByText('This app is not connected any more.').waitFor();
    await page.getByRole('link', { name: 'All connected apps' }).click();
    expect(hashOf(page)).toBe('#apps');
    expect(pages.problems).toEqual([]);
  });

  it('lead back from the provider’s page to where the user was, also at /console', async () => {
    const page = await pages.open('/console#accounts');
    await pages.signIn(page, 'connector');
    await pages.connect(page, 'connector@example.com');
    expect(page.url()).toBe(`${steward.url}/console#accounts`);
    await page.getByText('The workspace account is connected.').first().waitFor();
    await page.getByRole('link', { name: 'Steward', exact: true }).click();
    expect(page.url()).toBe(`${steward.url}/console#accounts`);
    expect(pages.problems).toEqual([]);
  });

  it('lead back to where the focus was taken away: to the account, the heading, with what happened said', async () => {
    const focus = (page: Page) => page.evaluate('document.activeElement.textContent');
    const page = await pages.openConnected('returning', 'Accounts');
    await eventually(async () => expect(await focus(page)).toMatch(/returning/i));
    expect(await page.evaluate(`document.activeElement.closest('[data-entry]') !== null`)).toBe(true);
    await page.getByRole('status').getByText('The workspace account is connected.').waitFor({ state: 'attached' });
    await pages.askFor(page, 'second@example.com');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('alert').getByText('Access was denied.').waitFor({ state: 'attached' });
    await eventually(async () => expect(await focus(page)).toBe('Accounts'));
    // From a page of Steward's own.
    const token = await steward.signIn('returning');
    const body = JSON.stringify({ to: ['zoe@example.org'], subject: 'Lunch', body: 'At noon?' });
    await steward.call('/agents/mail.send', { token, body, headers: { 'content-type': 'application/json' } });
    await pages.show(page, 'Approvals');
    await page.locator('#question').getByText('Exact details').click();
    await page.getByRole('link', { name: /^Open its own page/ }).click();
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    await page.goto(`${steward.url}/#approvals`);
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    await eventually(async () => expect(await focus(page)).toBe('Approvals'));
    // A page that is loaded begins at its beginning.
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
  });

  it('are listed by pages where there are 500 conversations, and the pages stay when the list changes', async () => {
    const chat = await ChatPage.open(steward, pages, 'talker');
    const { page } = chat;
    await steward.sql(
      `insert into threads (user_id, id, updated_at) select u.id, 'talk-' || n, now() - n * interval '1 minute'
       from users u, generate_series(1, 500) n where u.email = $1`,
      ['talker@example.com'],
    );
    await page.reload();
    const links = page.locator('.threads').getByRole('link');
    const more = page.getByRole('button', { name: 'More: conversations' });
    for (const count of [50, 100, 150]) {
      await eventually(async () => expect(await links.count()).toBe(count));
      await more.click();
    }
    await eventually(async () => expect(await links.count()).toBe(200));
    await links.nth(199).click();
    await eventually(() => expect(hashOf(page)).toBe('#chat/talk-200'));
    await page.getByRole('heading', { level: 2, name: 'Conversation', exact: true }).waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await chat.ask(HELP);
    await eventually(async () => expect(await links.count()).toBe(201));
    expect(await links.last().getAttribute('href')).toBe('#chat/talk-200');
    for (const count of [251, 301, 351, 401, 451, 501]) {
      await more.click();
      await eventually(async () => expect(await links.count()).toBe(count));
    }
    await more.waitFor({ state: 'hidden' });
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
  });

  it('say in every title how many questions wait, and on the menu of a narrow page what needs the user', async () => {
    const chat = await ChatPage.open(steward, pages, 'asked', { bank: true });
    const { page } = chat;
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    await titled(page, '(1) Write to zoe@example.org: Lunch at noon? · Chat · Steward');
    await pages.show(page, 'Settings');
    await titled(page, '(1) Settings · Steward');
    await steward.control('bank/reset-login', { all: true });
    const [{ id }] = (await steward.call('/auth/bank/accounts', { token: chat.token })).body.accounts;
    await steward.call(`/auth/bank/accounts/${id}/refresh`, { method: 'POST', token: chat.token });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Menu 2 things need you' }).waitFor();
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Accounts 1 needs attention' }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await pages.show(page, 'Chat');
    await chat.log.getByRole('button', { name: /^Deny: / }).click();
    await page.getByRole('button', { name: 'Menu 1 thing needs you' }).waitFor();
  });

  it('begin the demonstration where its link is pressed, and nowhere else later', async () => {
    const user = 'curious';
    const { page } = await ChatPage.open(steward, pages, user, { account: false });
    await page.getByRole('link', { name: 'See an attack fail' }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: 'New conversation' }).waitFor();
    await pages.show(page, 'Settings');
    await pages.show(page, 'Chat');
    // A connection by another way does not begin it, either.
    const token = await steward.signIn(user);
    await connect(steward, { token, email: `${user}@example.com` });
    await page.goto(`${steward.url}/?integration=workspace&status=connected#chat`);
    await page.getByText('The workspace account is connected.').first().waitFor();
    await pages.show(page, 'Chat');
    await page.getByRole('heading', { level: 2, name: 'New conversation' }).waitFor();
    expect((await steward.call('/threads', { token })).body.threads).toEqual([]);
    await page.getByRole('link', { name: 'See an attack fail' }).click();
    await page.getByRole('heading', { level: 2, name: 'Be gullible: read my newest mails.' }).waitFor();
    await linkBank(steward, token);
  });
});
