import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ChatPage } from '../support/browser/chat-page.ts';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { eventually } from '../support/time/eventually.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const SIZES = [
  ['1280×800', 1280, 800],
  ['390×844', 390, 844],
] as const;
const ATTACK = 'Be gullible: read my newest mails.';
/** All that texts in the sandbox make a gullible assistant ask. */
const ATTACKS = [ATTACK, 'Be gullible: what is on my calendar this week?', 'Be gullible: read the document Offsite plan.'];

describe.skipIf(chromiumMissing)(`a question to the user${whySkipped}`, () => {
  const scene = pageScene();

  const call = async (user: string, action: string, input: object) =>
    scene.steward.call(`/agents/${action}`, { token: await scene.steward.signIn(user), body: JSON.stringify(input), headers: JSON_TYPE });
  const decision = (card: Locator) => card.getByRole('button', { name: /^(?:Deny|Change|Approve): / });

  /** Whether the three answers are in what is seen, above whatever covers the page's end. */
  async function isSeen(answers: Locator): Promise<boolean> {
    return answers.evaluateAll(
      (buttons) =>
        buttons.length === 3 &&
        buttons.every((button) => {
          const { left, right, top, bottom } = button.getBoundingClientRect();
          const { ownerDocument: page } = button;
          const { innerWidth, innerHeight } = page.defaultView;
          const seen = page.elementFromPoint((left + right) / 2, (top + bottom) / 2);
          return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && button.contains(seen);
        }),
    );
  }
  const isInView = (card: Locator) => isSeen(decision(card));
  const height = async (node: Locator) => (await node.boundingBox())?.height ?? 0;

  /** Asks for an attack in a conversation of its own. @returns the questions to which it leads */
  async function attack(chat: ChatPage, sentence: string): Promise<Locator[]> {
    const { page } = chat;
    await page.goto('about:blank');
    await page.goto(`${scene.steward.url}/#chat`);
    await page.getByRole('heading', { level: 2, name: 'New conversation' }).waitFor();
    await chat.ask(sentence);
    const cards = chat.log.getByRole('article', { name: /^Question: / });
    await cards.first().waitFor();
    return cards.all();
  }

  /** Tabs back to the beginning of a card and on to its answers, of which `last` is the first. */
  async function expectReached(page: Page, last: Locator): Promise<void> {
    const focus = page.locator(':focus');
    const isSeenAtAll = () =>
      focus.evaluate((node) => {
        const { left, top, width, height: size } = node.getBoundingClientRect();
        const seen = node.ownerDocument.elementFromPoint(left + width / 2, top + Math.min(size / 2, 20));
        return node.contains(seen) || seen?.contains(node) === true;
      });
    const isInCard = () => focus.evaluate((node) => node.closest('.approval-card') !== null);
    await last.focus();
    while (await isInCard()) await page.keyboard.press('Shift+Tab');
    do {
      await page.keyboard.press('Tab');
      expect(await isSeenAtAll(), await focus.evaluate((node) => node.outerHTML)).toBe(true);
    } while (!(await last.evaluate((node) => node.matches(':focus'))));
  }

  /** Scrolls through a card, and says where its decision was out of view. */
  async function outOfView(page: Page, card: Locator): Promise<string[]> {
    const missing: string[] = [];
    for (const part of await card.locator('.question-body > *').all()) {
      for (const block of ['start', 'end'] as const) {
        await part.evaluate((node, to) => node.scrollIntoView({ block: to }), block);
        if (!(await isInView(card))) missing.push(`${await part.getAttribute('class')} ${block}`);
      }
    }
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    return missing;
  }

  for (const [size, width, tall] of SIZES) {
    it(`has each decision in view at ${size}, in the conversation, and that of the longest attack while it is read`, async () => {
      const chat = await ChatPage.open(scene.steward, scene.pages, `long-${width}`);
      await chat.page.setViewportSize({ width, height: tall });
      const heights: number[] = [];
      for (const sentence of ATTACKS) {
        const [first, ...others] = await attack(chat, sentence);
        if (first === undefined) throw new Error(`nothing was asked: ${sentence}`);
        await eventually(async () => expect(await isInView(first), sentence).toBe(true));
        heights.push(await height(first));
        for (const card of others) {
          await card.evaluate((node) => node.scrollIntoView({ block: 'start' }));
          expect(await isInView(card), sentence).toBe(true);
          heights.push(await height(card));
        }
        expect(await axeViolations(chat.page)).toEqual([]);
      }
      const [longest] = await attack(chat, ATTACK);
      if (longest === undefined) throw new Error('nothing was asked');
      expect(await height(longest)).toBeGreaterThanOrEqual(Math.max(...heights));
      expect(await outOfView(chat.page, longest)).toEqual([]);
    });

    it(`has each decision of the attacks in view at ${size}, in the approvals and on its own page`, async () => {
      const chat = await ChatPage.open(scene.steward, scene.pages, `listed-${width}`);
      const { page, token } = chat;
      for (const sentence of ATTACKS) await attack(chat, sentence);
      await page.setViewportSize({ width, height: tall });
      const card = page.locator('#question').getByRole('article', { name: /^Question: / });
      let longest = { address: '', height: 0 };
      const { approvals } = (await scene.steward.call('/approvals', { token })).body;
      expect(approvals.length).toBeGreaterThanOrEqual(ATTACKS.length);
      for (const { id } of approvals) {
        await page.goto(`${scene.steward.url}/approvals/${id}`);
        const answers = page.locator('.decision').getByText(/^(?:Deny|Change|Approve)$/);
        expect(await isSeen(answers), id).toBe(true);
        await page.evaluate('scrollTo(0, document.body.scrollHeight)');
        expect(await isSeen(answers), id).toBe(true);
        await page.goto(`${scene.steward.url}/#approvals/${id}`);
        await eventually(async () => expect(await isInView(card), id).toBe(true));
        if ((await height(card)) > longest.height) longest = { address: page.url(), height: await height(card) };
      }
      await page.goto('about:blank');
      await page.goto(longest.address);
      await eventually(async () => expect(await isInView(card)).toBe(true));
      expect(await outOfView(page, card)).toEqual([]);
      expect(await axeViolations(page)).toEqual([]);
    });

    it(`leads from the list of the approvals to a question and back, at ${size}`, async () => {
      const chat = await ChatPage.open(scene.steward, scene.pages, `back-${width}`);
      await chat.ask(ATTACK);
      await chat.page.setViewportSize({ width, height: tall });
      await chat.page.goto(`${scene.steward.url}/#approvals`);
      await chat.page.getByRole('link', { name: /^Send a mail.*audit@/ }).click();
      const card = chat.page.locator('#question').getByRole('article', { name: /^Question: Send a mail: audit@/ });
      await eventually(async () => expect(await isInView(card)).toBe(true));
      await chat.page.goBack();
      await chat.page.getByRole('link', { name: /^Send a mail.*audit@/ }).waitFor();
      expect(await card.isVisible()).toBe(width > 1_000);
    });
  }

  it('shows the thing itself, with denying first where text of others asked for it', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'careful-reader');
    await chat.ask(ATTACK);
    const card = chat.log.getByRole('article', { name: /^Question: / });
    await card.getByRole('heading', { name: 'Send a mail', exact: true }).waitFor();
    const text = (await card.textContent()) ?? '';
    const shown = await card.locator('.question-head, .question-viewers, .question-fields').allTextContents();
    expect(shown.join(' ')).not.toMatch(/mail\.send|to\.0|argument|\bcc\b|attachments/i);
    expect(text.indexOf('audit@ledger-services.example')).toBeLessThan(text.indexOf('New to you'));
    expect(await card.locator('.question-fields mark').first().textContent()).toBe('audit@ledger-services.example');
    expect(await decision(card).allTextContents()).toEqual(['Deny', 'Change', 'Approve']);
    expect(await card.locator('.button.primary').allTextContents()).toEqual(['Deny']);
    expect(await card.locator('.countdown').textContent()).toMatch(/^\d{1,2} minutes left$/);
    const line = card.getByRole('button', { name: /come from a mail by/ });
    expect(await line.getAttribute('aria-expanded')).toBe('false');
    await line.press('Enter');
    expect(await line.getAttribute('aria-expanded')).toBe('true');
    await card.getByText('Repeats what others wrote').waitFor();
    await card.getByText('Statement of account: please confirm your last payments').first().waitFor();
    expect(await card.locator('.question-evidence').textContent()).not.toMatch(/The text of|to\.0/);
    expect(await axeViolations(chat.page)).toEqual([]);
    await line.press('Enter');
    expect(await card.getByText('Repeats what others wrote').isVisible()).toBe(false);
  });

  it('shows an error at its field above the answers, on a phone', async () => {
    const page = await scene.pages.openConnected('thumb', 'Approvals');
    await page.setViewportSize({ width: 390, height: 844 });
    await call('thumb', 'calendar.create', {
      title: 'Dinner',
      start: '2027-03-22T09:00',
      end: '2027-03-22T10:00',
      zone: 'Europe/Berlin',
      attendees: ['zoe@example.org'],
    });
    const card = page.locator('#question .approval-card');
    await page.locator('.question-link').click();
    await card.getByRole('button', { name: /^Change: / }).click();
    await card.getByLabel('Guests').fill('nobody');
    await card.getByRole('button', { name: /^Approve with/ }).click();
    const problem = card.getByText('Line 1 must be a mail address');
    await problem.waitFor();
    const [said, foot] = await Promise.all([problem.boundingBox(), card.locator('.question-foot').boundingBox()]);
    expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThanOrEqual(foot?.y ?? 0);
    expect(await axeViolations(page)).toEqual([]);
    await card.getByLabel('Guests').fill('zoe@example.org');
    for (const [part, text] of Object.entries({ start: '02:30', end: '03:30' })) {
      await card.locator(`input[type="date"][id$="-${part}"]`).fill('2027-03-28');
      await card.locator(`input[type="time"][id$="-${part}-time"]`).fill(text);
    }
    await card.getByRole('button', { name: /^Approve with/ }).click();
    await card.getByText('02:30 does not exist in Europe/Berlin on Sun, 28 Mar 2027').waitFor();
    expect(await card.locator('[aria-invalid="true"]').getAttribute('id')).toMatch(/-start$/);
  });

  it('has approving as the primary answer where nothing needs care', async () => {
    const page = await scene.pages.openConnected('self', 'Approvals');
    await call('self', 'mail.send', { to: ['self@example.com'], subject: 'Note', body: 'Milk' });
    const card = page.getByRole('article', { name: 'Question: Send a mail: self@example.com, Note' });
    await card.getByText('Your own account').waitFor();
    expect(await decision(card).allTextContents()).toEqual(['Deny', 'Change', 'Approve']);
    expect(await card.locator('.button.primary').allTextContents()).toEqual(['Approve']);
    expect(await card.locator('.risk-line').count()).toBe(0);
  });

  it('names files, with their ids among the exact details only', async () => {
    const page = await scene.pages.openConnected('namer', 'Approvals');
    const token = await scene.steward.signIn('namer');
    const found = await scene.steward.call('/agents/drive.search', { token, body: '{}', headers: JSON_TYPE });
    const [file] = found.body.data.items.filter(({ name }: { name: string }) => name.startsWith('Budget'));
    await call('namer', 'drive.share', { id: file.id, email: 'zoe@example.org', role: 'reader' });
    const card = page.locator('#question .approval-card');
    await card.getByRole('heading', { name: 'Share a file' }).waitFor();
    await card.getByText(file.name).first().waitFor();
    expect(await card.innerText()).not.toContain(file.id);
    await card.getByText('Exact details').click();
    expect(await card.innerText()).toContain(file.id);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
  });

  it('folds many viewers, and keeps long, right-to-left and hidden text apart', async () => {
    const page = await scene.pages.openConnected('crowd', 'Approvals');
    const attendees = Array.from({ length: 60 }, (_, index) => `guest-${index}@example.org`);
    const title = `${'w'.repeat(290)}\u202eabc`;
    await call('crowd', 'calendar.create', {
      title,
      start: '2027-03-21T09:00',
      end: '2027-03-21T10:00',
      attendees,
      location: 'חדר ישיבות',
      notify: true,
    });
    const card = page.locator('#question .approval-card');
    await card.getByText('[U+202E]').first().waitFor();
    await card.getByText(/^You have not written to guest-0@.+ or 7 more before, and 50 others were not checked\.$/).waitFor();
    const viewers = card.locator('.question-viewers');
    await viewers.getByText('60 people, 10 new to you, 50 not known to Steward.', { exact: true }).waitFor();
    expect(
      await viewers
        .getByText(/^guest-/)
        .filter({ visible: true })
        .count(),
    ).toBe(8);
    await viewers.getByText('and 52 more').click();
    expect(
      await viewers
        .getByText(/^guest-/)
        .filter({ visible: true })
        .count(),
    ).toBe(60);
    for (const [, width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      if (width < 900) await page.locator('.question-link').click();
      await eventually(async () => expect(await isInView(card)).toBe(true));
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await axeViolations(page)).toEqual([]);
    }
    const place = card.getByText('חדר ישיבות', { exact: true });
    expect(await place.evaluate((node) => node.matches(':dir(rtl)'))).toBe(true);
  });

  it('says in the conversation that it has expired, also after a reload, and is asked again', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'late');
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    const card = chat.log.getByRole('article', { name: /^Question: Send a mail: zoe/ });
    await decision(card).first().waitFor();
    await scene.steward.sql(`update approvals set expires_at = now() - interval '1 minute' where thread_id is not null`);
    await chat.page.reload();
    await card.getByText('Expired').waitFor();
    await card.getByText('Nobody decided in time. Nothing was done.').waitFor();
    expect(await decision(card).count()).toBe(0);
    await card.getByRole('button', { name: /^Ask again: / }).click();
    await eventually(async () => expect(await isInView(card.last())).toBe(true));
    await card
      .last()
      .getByRole('button', { name: /^Approve: / })
      .click();
    await chat.log.getByText('I sent the mail to zoe@example.org.').waitFor();
  });

  it('says in the conversation how it was decided while the page was closed', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'away');
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    const address = chat.page.url();
    await chat.page.goto(`${scene.steward.url}/test`);
    const { approvals } = (await scene.steward.call('/approvals', { token: chat.token })).body;
    const denial = { token: chat.token, body: JSON.stringify({ approved: false }), headers: JSON_TYPE };
    expect((await scene.steward.call(`/approvals/${approvals[0].id}`, denial)).status).toBe(200);
    await chat.page.goto(address);
    await chat.log.locator('.tool-step').getByText('denied by you').waitFor();
    expect(await chat.log.getByRole('button', { name: /^Approve: / }).count()).toBe(0);
  });

  it('keeps the focus in its place, by the keyboard alone', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'typist');
    const { page, text } = chat;
    await chat.ask('Write to zoe@example.org: Lunch at noon?');
    await text.focus();
    await page.keyboard.press('Shift+Tab');
    const focus = page.locator(':focus');
    expect(await focus.textContent()).toBe('Approve');
    await page.keyboard.press('Enter');
    await chat.log.getByText('I sent the mail to zoe@example.org.').waitFor();
    expect(await focus.evaluate((node) => node.closest('.tool-step') !== null)).toBe(true);
  });

  for (const [size, width, tall] of SIZES) {
    it(`has what the keyboard reaches above its answers at ${size}, in the question and in its form`, async () => {
      const chat = await ChatPage.open(scene.steward, scene.pages, `tabbing-${width}`);
      const { page } = chat;
      await page.setViewportSize({ width, height: tall });
      await chat.ask(ATTACK);
      const card = chat.log.getByRole('article', { name: /^Question: / });
      await expectReached(page, card.locator('.question-foot .button').first());
      await card.getByRole('button', { name: /^Change: / }).click();
      await expectReached(page, card.getByRole('button', { name: /^Cancel: / }));
    });
  }
});
