import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ChatPage } from '../support/browser/chat-page.ts';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { eventually } from '../support/time/eventually.ts';

describe.skipIf(chromiumMissing)(`one session for all tabs${whySkipped}`, () => {
  const scene = pageScene();

  const signedInAs = (page: Page, user: string) => page.locator('#who').getByText(`${user}@example.com`).waitFor({ state: 'attached' });
  const connected = (page: Page) => page.locator('#socket').getByText('connected', { exact: true }).waitFor();
  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' });
  const endSessions = (user: string) =>
    scene.steward.sql(`delete from web_sessions where user_id = (select id from users where email = $1)`, [`${user}@example.com`]);
  /** The sign-in was minutes ago. */
  const signInEarlier = async (user: string) => {
    await scene.steward.control('clock', { advance_ms: -6 * 60_000 });
    const page = await scene.pages.openAs(user, 'Connected apps');
    await scene.steward.control('clock', { advance_ms: 6 * 60_000 });
    return page;
  };

  async function secondTab(page: Page, path = '/'): Promise<Page> {
    const tab = await page.context().newPage();
    await tab.goto(scene.steward.url + path);
    return tab;
  }

  it('signs in each tab, and Steward’s own pages, at once', async () => {
    const page = await scene.pages.openAs('tabber');
    const other = await secondTab(page, '/#settings');
    await signedInAs(other, 'tabber');
    await other.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await connected(other);
    const own = await secondTab(page, '/approvals');
    await own.getByRole('heading', { level: 1 }).waitFor();
    expect(await own.getByText('tabber@example.com').count()).toBeGreaterThan(0);
    expect(scene.pages.problems).toEqual([]);
  });

  it('signs in a tab that shows the sign-in, when another one does', async () => {
    const page = await scene.pages.open('/#activity');
    const other = await secondTab(page);
    await scene.pages.signIn(other, 'opener');
    await signedInAs(page, 'opener');
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
  });

  it('ends in all tabs with the sign-out in one, with what was typed', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'leaving');
    const other = await secondTab(chat.page, '/#settings');
    await signedInAs(other, 'leaving');
    await chat.text.fill('A secret of mine');
    await eventually(async () => expect(await chat.page.evaluate('JSON.stringify(localStorage)')).toContain('A secret of mine'));
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByText('You are signed out.').waitFor();
    await chat.page.getByText('You have signed out in another tab.').waitFor();
    expect(await chat.page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('A secret of mine');
    const { body } = await scene.steward.call('/test');
    expect(body.connections).toBe(0);
  });

  it.each([
    ['in the console', '/#settings', 'You are signed out.'],
    ['at one of Steward’s own pages', '/approvals', 'You are signed out'],
  ])('leaves nothing of the user in the browser after the sign-out %s', async (_where, path, said) => {
    const page = await scene.pages.openConnected('trace', 'Chat');
    const composer = page.getByRole('textbox', { name: 'Message', exact: true });
    await composer.fill('A secret of mine');
    const stored = () => page.evaluate('JSON.stringify([localStorage, sessionStorage])');
    await eventually(async () =>
      expect(await stored()).toMatch(/account\.connected.*A secret of mine|A secret of mine.*account\.connected/),
    );
    const other = await secondTab(page, '/#chat');
    await signedInAs(other, 'trace');
    await other.goto(scene.steward.url + path);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByText(said, { exact: true }).waitFor();
    // Without a question whether to sign in again.
    await page.getByText('You have signed out in another tab.').waitFor();
    expect(await composer.count()).toBe(0);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await stored()).not.toMatch(/A secret of mine|account\.connected/);
    await other.goBack();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await other.getByText('trace@example.com').count()).toBe(0);
  });

  it('shows another user nothing of the one before, and asks for none of it', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'first-user');
    const { page } = chat;
    await chat.ask('What can you do?');
    const thread = new URL(page.url()).hash.split('/')[1] ?? '';
    const other = await secondTab(page, '/#settings');
    await signedInAs(other, 'first-user');
    const asked: string[] = [];
    for (const tab of [page, other]) tab.on('request', (request) => asked.push(request.url()));
    const token = await scene.steward.signIn('second-user');
    await scene.pages.beginSession(page, token);
    // Without a word from the other tab: the focus tells.
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    await signedInAs(page, 'second-user');
    await page.getByText('You are signed in as second-user@example.com now').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await scene.pages.show(page, 'Chat');
    await page.getByText('No conversations yet.').waitFor();
    expect(await page.getByText('What can you do?').count()).toBe(0);
    // The other tab was the first user's: its connection is closed, and it follows.
    await signedInAs(other, 'second-user');
    await connected(other);
    expect(asked.filter((url) => url.includes(thread))).toEqual([]);
  });

  it('can be renewed over the page when it ends in mid-typing, and the request is repeated', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'typist');
    const { page } = chat;
    await chat.ask('What can you do?');
    await chat.text.fill('Half a sent');
    await page.locator('.threads').getByRole('button', { name: 'Rename: What can you do?' }).click();
    await page.getByLabel('Title').fill('Renamed');
    await endSessions('typist');
    // Not by a key: the dialog may be over the page already, since the socket has ended, too.
    await page.getByLabel('Title').evaluate((input) => input.form.requestSubmit());
    await dialog(page).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1200, height: 800 });
    await dialog(page).getByRole('button', { name: 'Sign in again as typist' }).press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 2, name: 'Renamed' }).waitFor();
    expect(await chat.text.inputValue()).toBe('Half a sent');
    await connected(page);
    await chat.ask('What can you do?');
    const { threads } = (await scene.steward.call('/threads', { token: chat.token })).body;
    expect(threads).toMatchObject([{ title: 'Renamed' }]);
  });

  it.each([
    ['of then, when it has ended meanwhile', true],
    ['that goes on', false],
  ])('can be renewed when it ends in mid-answer, and shows and says the answer %s', async (_which, hasEnded) => {
    const user = hasEnded ? 'asker-one' : 'asker-two';
    const chat = await ChatPage.open(scene.steward, scene.pages, user, { account: false });
    const { page } = chat;
    await scene.steward.control('faults', { part: 'model', kind: 'delay', ms: 5_000, times: 1 });
    await chat.text.fill('What can you do?');
    await chat.text.press('Enter');
    const run = async () => {
      const { threads } = (await scene.steward.call('/threads', { token: chat.token })).body;
      return (await scene.steward.call(`/threads/${threads[0]?.id}`, { token: chat.token })).body.run?.status;
    };
    await eventually(async () => (await run()) === 'running');
    await endSessions(user);
    await dialog(page).waitFor();
    if (hasEnded) await eventually(async () => (await run()) === 'done');
    await dialog(page)
      .getByRole('button', { name: `Sign in again as ${user}` })
      .click();
    await dialog(page).waitFor({ state: 'detached' });
    await chat.log.getByText('I am a stand-in for a language model').first().waitFor();
    await page.getByRole('status').getByText('The assistant answered: ').waitFor({ state: 'attached' });
    await page.getByText('Today: 1 answer').waitFor();
  });

  it('keeps drafts by conversation and user over its end, a reload and another user’s sign-in', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'drafter');
    const { page } = chat;
    await chat.ask('What can you do?');
    await chat.text.fill('For this conversation');
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('heading', { level: 2, name: 'New conversation' }).waitFor();
    expect(await chat.text.inputValue()).toBe('');
    await chat.text.fill('For a new one');
    await endSessions('drafter');
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Your sign-in has ended. Sign in again.').waitFor();
    await scene.pages.signIn(page, 'drafter-two');
    await scene.pages.show(page, 'Chat');
    await page.getByText('No conversations yet.').waitFor();
    expect(await chat.text.inputValue()).toBe('');
    await scene.pages.beginSession(page, await scene.steward.signIn('drafter'));
    await page.reload();
    await signedInAs(page, 'drafter');
    await page.getByRole('heading', { level: 2, name: 'New conversation' }).waitFor();
    expect(await chat.text.inputValue()).toBe('For a new one');
    await page.locator('.threads').getByRole('link', { name: 'What can you do?' }).click();
    await page.getByRole('heading', { level: 2, name: 'What can you do?' }).waitFor();
    expect(await chat.text.inputValue()).toBe('For this conversation');
    await chat.text.press('Enter');
    await chat.ended();
    await page.reload();
    await chat.log.getByText('For this conversation').first().waitFor();
    expect(await chat.text.inputValue()).toBe('');
  });

  it('keeps what was entered for an action over a reload', async () => {
    const page = await scene.pages.openConnected('enterer', 'Actions');
    await scene.pages.choose(page, 'mail.search');
    await page.getByLabel('Query').fill('is:unread');
    await page.reload();
    await page.getByRole('heading', { level: 2, name: 'Search mail', exact: true }).waitFor();
    expect(await page.getByLabel('Query').inputValue()).toBe('is:unread');
  });

  it('is renewed where a token requires a recent sign-in, and the token is made with the form as it was', async () => {
    const page = await signInEarlier('renewer');
    const card = page.locator('#tokens');
    await card.getByLabel('Name').fill('Digest');
    await card.getByRole('button', { name: 'Make a token' }).click();
    await dialog(page).getByText('This requires a sign-in within the last five minutes.').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('Sign in again to make a token').waitFor();
    expect(await card.getByLabel('Name').inputValue()).toBe('Digest');
    await card.getByRole('button', { name: 'Make a token' }).click();
    await dialog(page).getByRole('button', { name: 'Sign in again as renewer' }).click();
    await card.locator('.result code').waitFor();
    await page.locator('#connected').getByText('Digest').waitFor();
    await connected(page);
  });

  it('becomes another user’s where that one signs in instead, and repeats nothing', async () => {
    const page = await signInEarlier('former');
    const card = page.locator('#tokens');
    await card.getByLabel('Name').fill('Digest');
    await card.getByRole('button', { name: 'Make a token' }).click();
    await dialog(page).waitFor();
    const token = await scene.steward.signIn('latter');
    await scene.pages.beginSession(page, token);
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    await signedInAs(page, 'latter');
    await dialog(page).waitFor({ state: 'detached' });
    await scene.pages.show(page, 'Connected apps');
    await page.getByText('No app is connected.').waitFor();
    expect((await scene.steward.call('/clients', { token })).body.clients).toEqual([]);
  });

  it('says some minutes before that it ends, and can be kept', async () => {
    const page = await scene.pages.open();
    let isNearEnd = true;
    await page.route('**/auth/session', async (route) => {
      const response = await route.fetch();
      if (route.request().method() !== 'GET') return route.fulfill({ response });
      const body = await response.json();
      if (isNearEnd && body.session !== null) body.session.expires_at = new Date(scene.steward.clock.now() + 4 * 60_000).toISOString();
      await route.fulfill({ response, json: body });
    });
    await scene.pages.signIn(page, 'stayer');
    const stay = page.getByRole('button', { name: 'Stay signed in' });
    await stay.waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    isNearEnd = false;
    await stay.click();
    await dialog(page).getByRole('button', { name: 'Sign in again as stayer' }).click();
    await stay.waitFor({ state: 'detached' });
    await connected(page);
  });

  it('lists a new conversation in the other tabs, too', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'lister');
    const other = await secondTab(chat.page, '/#chat');
    await other.getByText('No conversations yet.').waitFor();
    await chat.ask('What can you do?');
    await other.locator('.threads').getByRole('link', { name: 'What can you do?' }).waitFor();
  });

  describe('where users sign in with OpenID Connect', () => {
    /** As in production: nothing of the sandbox is offered. */
    async function openIdConnect(path: string): Promise<Page> {
      const page = await scene.pages.open('/test');
      await page.context().route('**/auth/session', async (route) => {
        if (route.request().method() !== 'GET') return route.continue();
        const response = await route.fetch();
        const body = await response.json();
        await route.fulfill({ response, json: { ...body, sign_in: { ...body.sign_in, sandbox: false, token: false } } });
      });
      await page.goto(scene.steward.url + path);
      return page;
    }
    const atIssuer = async (page: Page, user: string) => {
      await page.getByLabel('Another user').fill(user);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };

    it('leads there and back to the address', async () => {
      const page = await openIdConnect('/#activity?kind=call');
      expect(await page.getByLabel('Paste an ID token').count()).toBe(0);
      await page.locator('#sign-in').getByRole('link', { name: 'Sign in', exact: true }).click();
      await page.waitForURL('**/sandbox/**');
      await atIssuer(page, 'issued');
      await signedInAs(page, 'issued');
      expect(page.url()).toBe(`${scene.steward.url}/#activity?kind=call`);
    });

    it('opens a window to sign in again, and goes on by itself', async () => {
      const page = await openIdConnect('/#chat');
      await page.locator('#sign-in').getByRole('link', { name: 'Sign in', exact: true }).click();
      await page.waitForURL('**/sandbox/**');
      await atIssuer(page, 'windowed');
      await signedInAs(page, 'windowed');
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Half a sent');
      await endSessions('windowed');
      await page.evaluate(`dispatchEvent(new Event('focus'))`);
      const opened = page.waitForEvent('popup');
      await dialog(page).getByRole('link', { name: 'Sign in again as windowed@example.com' }).click();
      await atIssuer(await opened, 'windowed');
      await dialog(page).waitFor({ state: 'detached' });
      await connected(page);
      expect(await page.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe('Half a sent');
    });
  });
});
