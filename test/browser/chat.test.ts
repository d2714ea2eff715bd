import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ChatPage } from '../support/browser/chat-page.ts';
import { ACCESSIBILITY, chromiumMissing, Pages, whySkipped } from '../support/browser/page.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';
import { eventually } from '../support/time/eventually.ts';

const SARAH = 'Find the newest mail from Sarah';

describe.skipIf(chromiumMissing)(`conversations on the page${whySkipped}`, () => {
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

  const open = (user: string, options = {}) => ChatPage.open(steward, pages, user, options);
  const threads = async ({ token }: ChatPage) => (await steward.call('/threads', { token })).body.threads;
  const asJson = (input: object) => ({ body: JSON.stringify(input), headers: { 'content-type': 'application/json' } });
  const dayFromNow = (days: number) => new Date(steward.clock.now() + days * 86_400_000).toISOString().slice(0, 10);
  const search = async ({ token }: ChatPage, query: string) =>
    (await steward.call('/agents/mail.search', { ...asJson({ query }), token })).body.data.items;
  const sent = (chat: ChatPage, to: string) => search(chat, `in:sent to:${to}`);

  it('answer a question, with what was called and what it returned', async () => {
    const chat = await open('asking');
    const { page, log } = chat;
    await page.getByText('This is a stand-in').waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    await chat.text.fill('Find the newest mail');
    await chat.text.press('Shift+Enter');
    await chat.text.pressSequentially('from Sarah');
    expect(await chat.text.inputValue()).toBe('Find the newest mail\nfrom Sarah');
    expect(await log.locator('.chat-message').count()).toBe(0);
    await chat.say(SARAH);
    await chat.ended();
    await log.getByText('I found this mail:').waitFor();
    const step = log.locator('.tool-step');
    await step.locator('summary').first().press('Enter');
    await step.getByText('Lunch on Tuesday?').waitFor();
    expect(await step.locator('summary').first().textContent()).toBe('Search maildoneasking@example.comwritten by others');
    await step.getByText('Details', { exact: true }).click();
    await step.getByText('from:Sarah').waitFor();
    await step.getByRole('tab', { name: 'JSON' }).first().click();
    await step.getByText('"subject": "Lunch on Tuesday?"').waitFor();
    expect(await page.getByText('The assistant answered: ').textContent()).toContain('Lunch on Tuesday?');
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    expect(pages.problems).toEqual([]);
  });

  it('send a mail once it is approved in the conversation, and go on', async () => {
    const chat = await open('approving');
    const { page, log } = chat;
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    const card = log.getByRole('article', { name: /^Question: Send a mail: zoe@example\.org/ });
    await card.getByText('New to you, named by you here').waitFor();
    await card.getByText('Lunch at noon?', { exact: true }).waitFor();
    expect(await card.locator('.countdown').textContent()).toMatch(/^\d+ minutes left$/);
    expect(await sent(chat, 'zoe@example.org')).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    await card.getByRole('button', { name: /^Approve: / }).click();
    await log.getByText('I sent the mail to zoe@example.org.').waitFor();
    await log.locator('.tool-step').getByText('done').waitFor();
    expect(await sent(chat, 'zoe@example.org')).toHaveLength(1);
    expect(await threads(chat)).toMatchObject([{ status: 'done' }]);
    expect(pages.problems).toEqual([]);
  });

  it('send nothing once it is denied, and say so', async () => {
    const chat = await open('denying');
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    await chat.log.getByRole('button', { name: /^Deny: / }).click();
    await chat.log.getByText(/You denied “Send a mail”/).waitFor();
    await chat.log.locator('.tool-step').getByText('denied by you').waitFor();
    expect(await sent(chat, 'zoe@example.org')).toEqual([]);
    expect(pages.problems).toEqual([]);
  });

  it('keep their list on a narrow page when Escape leaves a title, and close it the next time', async () => {
    const chat = await open('renaming');
    const { page } = chat;
    await chat.ask('What can you do?');
    await page.setViewportSize({ width: 390, height: 844 });
    const list = page.getByRole('button', { name: 'Conversations', exact: true });
    await list.click();
    await page.getByRole('button', { name: /^Rename: / }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).press('Escape');
    const current = page.locator('.threads .current .thread');
    await current.waitFor();
    expect(await current.evaluate((node) => node.matches(':focus'))).toBe(true);
    expect(await list.getAttribute('aria-expanded')).toBe('true');
    await current.press('Escape');
    expect(await list.getAttribute('aria-expanded')).toBe('false');
    expect(await list.evaluate((node) => node.matches(':focus'))).toBe(true);
  });

  it('go on when the question is decided elsewhere', async () => {
    const chat = await open('elsewhere');
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    const { approvals } = (await steward.call('/approvals', { token: chat.token })).body;
    const decision = { token: chat.token, form: { approved: 'true' } };
    expect((await steward.call(`/approvals/${approvals[0].id}`, decision)).status).toBe(200);
    await chat.log.getByText('I sent the mail to zoe@example.org.').waitFor();
    expect(await sent(chat, 'zoe@example.org')).toHaveLength(1);
  });

  it('ask again about changed arguments that others would see', async () => {
    const chat = await open('changing');
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    await chat.log.getByRole('button', { name: /^Change: / }).click();
    await chat.log.getByLabel('To', { exact: true }).fill('xul@example.org');
    await chat.log.getByRole('button', { name: /^Approve with these changes: / }).click();
    await chat.log.getByRole('article', { name: /^Question: Send a mail: xul@example\.org/ }).waitFor();
    expect(await sent(chat, 'xul@example.org')).toEqual([]);
    await chat.log.getByRole('button', { name: /^Approve: Send a mail: xul/ }).click();
    await chat.log.locator('.tool-step').getByText('done').waitFor();
    expect(await sent(chat, 'xul@example.org')).toHaveLength(1);
    expect(await sent(chat, 'zoe@example.org')).toEqual([]);
  });

  it('resume an answer after a reload, in one piece', async () => {
    const chat = await open('resuming');
    const { page, log } = chat;
    await chat.say(`Be slow: ${SARAH}`);
    await log.getByText('Search mail').waitFor();
    await page.reload();
    await chat.ended();
    expect(await log.getByText('I found this mail:').count()).toBe(1);
    expect(await log.locator('.tool-step').count()).toBe(1);
    expect(await log.getByText(`Be slow: ${SARAH}`).count()).toBe(1);
    expect(pages.problems).toEqual([]);
  });

  it('show the answer that another page has asked for, and keep what was typed meanwhile', async () => {
    const chat = await open('two-pages');
    await chat.ask('What can you do?');
    const other = await open('two-pages', { account: false });
    await other.page.getByRole('link', { name: 'What can you do?', exact: true }).click();
    await other.log.getByText('For a real language model').waitFor();
    await chat.say('Be endless');
    await chat.log.getByText('and so on').first().waitFor();
    await other.say(SARAH);
    await other.log.getByText('and so on').first().waitFor();
    expect(await other.text.inputValue()).toBe(SARAH);
    await other.page.getByRole('button', { name: 'Stop', exact: true }).click();
    for (const { log } of [chat, other]) await log.getByText('Stopped').waitFor();
    expect(pages.problems).toEqual([]);
  });

  it('fill a narrow page, and leave the navigation within reach', async () => {
    const chat = await open('narrow');
    const { page } = chat;
    await chat.ask(SARAH);
    await page.setViewportSize({ width: 390, height: 800 });
    const { y = 0, height = 0 } = (await page.locator('.composer').boundingBox()) ?? {};
    expect(Math.round(y + height)).toBe(800);
    await page.getByRole('button', { name: 'Menu' }).click();
    const link = page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Activity' });
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
  });

  it('are told in the activity as what the assistant did, and what the user decided', async () => {
    const chat = await open('told');
    await chat.ask(SARAH);
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    await pages.show(chat.page, 'Activity');
    const feed = chat.page.locator('#feed');
    await feed.getByText('The assistant ran “Search mail” for told@example.com').waitFor();
    await feed.getByText('The assistant asked to run “Send a mail” for told@example.com').waitFor();
    await pages.show(chat.page, 'Approvals');
    await chat.page
      .getByRole('button', { name: /^Deny: Send a mail: zoe/ })
      .first()
      .click();
    await pages.show(chat.page, 'Activity');
    await feed.getByText('You denied the assistant’s “Send a mail” for told@example.com').waitFor();
  });

  it('stop an answer, also one that another page began', async () => {
    const chat = await open('stopping');
    const { page, log } = chat;
    const stop = page.getByRole('button', { name: 'Stop', exact: true });
    await chat.say('Be endless');
    await log.getByText('and so on').first().waitFor();
    await stop.click();
    await log.getByText('Stopped').waitFor();
    await eventually(async () => expect(await threads(chat)).toMatchObject([{ status: 'cancelled' }]));
    await page.getByRole('button', { name: 'New conversation' }).click();
    await chat.say('Be endless');
    await log.getByText('and so on').first().waitFor();
    await page.reload();
    await stop.click();
    await log.getByText('Stopped').waitFor();
    await eventually(async () =>
      expect((await threads(chat)).map(({ status }: { status: string }) => status)).toEqual(['cancelled', 'cancelled']),
    );
  });

  it('list, search, rename and delete, with markup in titles as text', async () => {
    const chat = await open('keeping');
    const { page } = chat;
    const list = page.locator('.threads');
    await chat.ask('What can you do?');
    await page.getByRole('button', { name: 'New conversation' }).click();
    await chat.ask(SARAH);
    await list.getByRole('button', { name: `Rename: ${SARAH}` }).click();
    const markup = '<img src=x onerror=alert(1)>';
    await page.getByLabel('Title').fill(markup);
    await page.getByLabel('Title').press('Enter');
    await page.getByRole('heading', { level: 2, name: markup }).waitFor();
    await list.getByRole('link', { name: markup, exact: true }).waitFor();
    expect(await page.locator('.chat img').count()).toBe(0);
    await page.getByLabel('Search conversations').fill('what can');
    await eventually(async () => expect(await list.getByRole('listitem').count()).toBe(1));
    await list.getByRole('link', { name: 'What can you do?', exact: true }).click();
    await chat.log.getByText('What can you do?', { exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await list.getByRole('button', { name: 'Delete: What can you do?' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await list.getByText('No title contains this.').waitFor();
    await page.getByRole('heading', { level: 2, name: 'New conversation' }).waitFor();
    expect(await threads(chat)).toMatchObject([{ title: markup }]);
    expect(pages.problems).toEqual([]);
  });

  it('show an answer that was interrupted, and none of another user’s', async () => {
    const chat = await open('interrupted');
    await chat.ask(SARAH);
    const [{ id }] = await threads(chat);
    const run = `select id from runs where thread_id = $1`;
    await steward.sql(`update runs set status = 'running', lease_until = now() - interval '1 minute' where id in (${run})`, [id]);
    await chat.page.reload();
    await chat.page.locator('.threads').getByText('interrupted').waitFor();
    const other = await open('other-user');
    await other.page.evaluate(`location.hash = '#chat/${id}'`);
    await other.log.getByText('This conversation does not exist any more.').waitFor();
    expect(await other.page.getByText('Sarah').count()).toBe(0);
  });

  describe('with an attack in what is read', () => {
    it('send nothing to a stranger that a mail names: it is refused after bank data, and the page says why', async () => {
      const chat = await open('attacked', { bank: true });
      await chat.page.getByRole('button', { name: /^A mail/ }).click();
      await chat.ended();
      const refused = chat.log.getByRole('article', { name: 'Refused: Send a mail' });
      await refused.getByText('audit@ledger-services.example').first().waitFor();
      await refused.getByText(/A bank’s data was read in this conversation, so this may go only to your own addresses/).waitFor();
      await refused.getByText('Read a mail').first().waitFor();
      await chat.log.getByText('Steward refused 1 call').waitFor();
      expect(await sent(chat, 'audit@ledger-services.example')).toEqual([]);
      expect(await axeViolations(chat.page)).toEqual([]);
      expect(chat.foreign).toEqual([]);
      expect(pages.problems).toEqual([]);
    });

    it('ask before an invitation changes the calendar, and say who asked for it', async () => {
      const chat = await open('invited');
      await chat.page.getByRole('button', { name: /^An invitation/ }).click();
      await chat.ended();
      const card = chat.log.getByRole('article', { name: /^Question: .*Monatsabschluss/ });
      await card.getByText('New to you').waitFor();
      await card.getByRole('button', { name: /comes? from / }).click();
      await card.getByText(/text by “events@ledger-services\.example”/).waitFor();
      await card.getByText('Repeats what others wrote').waitFor();
      expect(await card.locator('mark').first().textContent()).toBe('records@ledger-services.example');
      // Its arguments are only an id: its name is what the invitation has in it.
      const deletion = chat.log.getByRole('article', { name: /^Question: .*Clase/ });
      await deletion.getByRole('button', { name: /^“Clase de español” is named in an event by “.*ledger-services\.example”\.$/ }).click();
      await deletion.getByText('Its name: ').waitFor();
      expect(await deletion.getByRole('button', { name: /^Deny: / }).getAttribute('class')).toContain('primary');
      await chat.log.getByText('Steward asks you about 2 calls').waitFor();
      for (const name of [/^Deny: .*Monatsabschluss/, /^Deny: .*Clase/]) await chat.log.getByRole('button', { name }).click();
      await chat.log
        .getByText(/You denied/)
        .first()
        .waitFor();
      await eventually(async () => expect(await chat.log.getByText('denied by you').count()).toBe(2));
      // The course is every other week: the next seven days may be without it.
      const weeks = { from: dayFromNow(-7), to: dayFromNow(14) };
      const { items } = (await steward.call('/agents/calendar.list', { ...asJson(weeks), token: chat.token })).body.data;
      expect(JSON.stringify(items)).not.toContain('records@ledger-services.example');
      expect(JSON.stringify(items)).toContain('Clase de español');
      expect(pages.problems).toEqual([]);
    });

    it('leave the focus in the conversation when the button that began it is gone', async () => {
      const { page, log } = await open('pressing');
      await page.getByRole('button', { name: /^A mail/ }).press('Enter');
      await log.getByText('Be gullible: read my newest mails.').waitFor();
      expect(await page.evaluate("document.querySelector('.chat-log').contains(document.activeElement)")).toBe(true);
    });

    it('fail within three clicks of a new user, whose account is connected on the way', async () => {
      const page = await pages.open('/');
      await page.getByRole('button', { name: 'Sign in as ana' }).click();
      await page.getByRole('link', { name: 'See an attack fail' }).click();
      await page.getByRole('button', { name: 'Allow' }).click();
      const question = page.locator('.chat-log').getByRole('article', { name: /^Question: .*audit@ledger-services\.example/ });
      await question.getByText('New to you').waitFor();
      await question.getByRole('button', { name: /comes? from / }).click();
      await question.getByText(/It may have caused this request/).waitFor();
      expect(pages.problems).toEqual([]);
    });

    it('ask about each of the orders of a shared document', async () => {
      const chat = await open('sharing');
      await chat.page.getByRole('button', { name: /^A shared document/ }).click();
      await chat.log.getByRole('button', { name: /^Deny: Add text to a document: .*Offsite plan/ }).click();
      const question = chat.log.getByRole('article', { name: /^Question: .*planning@ledger-services\.example/ });
      await question.getByText('New to you').waitFor();
      await question.getByRole('button', { name: /comes? from|have not written/ }).click();
      await question.getByText(/text by “sarah\.oconnor@example\.net”/).waitFor();
    });
  });
});
