import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { connect, newName } from '../support/scenes/flows.ts';

/** A mail as the longest attack of the sandbox asks for it, and longer. */
const LONG = Array.from({ length: 60 }, (_, index) => `${index}. Please confirm your last payments, with all that you have paid for.`).join(
  '\n',
);
const MAIL = { to: ['zoe@example.org'], subject: 'Hi', body: 'Lunch?' };
const ANSWERS = ['Deny', 'Change', 'Approve'];
const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];

describe.skipIf(chromiumMissing)(`the page of a question${whySkipped}`, () => {
  const scene = pageScene();

  /** A question that waits, on its page. */
  async function asked(mail: object, size = SIZES[0] as { width: number; height: number }, user = newName()): Promise<Page> {
    const { token } = await connect(scene.steward, { token: await scene.steward.signIn(user), email: `${user}@example.com` });
    const headers = { 'content-type': 'application/json' };
    const { body } = await scene.steward.call('/agents/mail.send', { token, body: JSON.stringify(mail), headers });
    expect(body.code).toBe('approval_required');
    const page = await scene.pages.open(new URL(body.details.url).pathname, size.width);
    await page.setViewportSize(size);
    await page.getByLabel('Another user').fill(user);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('left, until').waitFor();
    return page;
  }

  const answer = (page: Page, name: string) => page.locator('.decision').getByText(name, { exact: true });

  async function expectInView(page: Page, { width, height }: { width: number; height: number }): Promise<void> {
    for (const [name, node] of [
      ...ANSWERS.map((one) => [one, answer(page, one)] as const),
      ['the line of risk', page.locator('.risk > summary')] as const,
    ]) {
      const box = await node.boundingBox();
      expect(box, name).not.toBeNull();
      if (box === null) return;
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
    }
  }

  it.each(SIZES)('keeps its answers in view at $width×$height, however long it is and wherever it is scrolled to', async (size) => {
    const input = { to: ['accounts@ledger-services.example'], subject: `${'W'.repeat(300)}`, body: LONG };
    const page = await asked(input, size);
    await expectInView(page, size);
    const tops = await Promise.all(ANSWERS.map(async (name) => Math.round((await answer(page, name).boundingBox())?.y ?? 0)));
    expect(new Set(tops).size, 'side by side').toBe(1);
    for (const end of [100_000, 0]) {
      await page.evaluate(`scrollTo(0, ${end})`);
      await expectInView(page, size);
    }
    await page.locator('details.risk > summary').click();
    await page.locator('details.exact > summary').click();
    await expectInView(page, size);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
  });

  it('has its answers in one row on a phone, a long line of risk cut, and many people folded', async () => {
    const guests = Array.from({ length: 60 }, (_, index) => `${'guest'.repeat(10)}${index}@example.org`);
    const page = await asked({ ...MAIL, to: guests });
    const boxes = await Promise.all(ANSWERS.map((name) => answer(page, name).boundingBox()));
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
    expect((await page.locator('.decision').boundingBox())?.height).toBeLessThan(844 / 3);
    const people = page.locator('dl.fields').getByRole('listitem');
    await page.getByText('and 52 more').waitFor();
    expect(await people.filter({ visible: true }).count()).toBe(8);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
  });

  it('offers Deny first where someone is new, and Approve where the user knows everyone', async () => {
    const isPrimary = async (page: Page) =>
      Promise.all(['Deny', 'Approve'].map((name) => answer(page, name).evaluate((node) => node.classList.contains('primary'))));
    expect(await isPrimary(await asked(MAIL))).toEqual([true, false]);
    const user = newName();
    expect(await isPrimary(await asked({ ...MAIL, to: [`${user}@example.com`] }, SIZES[0], user))).toEqual([false, true]);
  });

  it('changes a mail in fields, with the error at its field', async () => {
    const page = await asked(MAIL);
    await answer(page, 'Change').click();
    await page.getByRole('heading', { name: 'Change: Send a mail' }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByLabel('To (required)').fill('zoe@example.org\nnobody');
    await page.getByLabel('Subject').fill('Dinner');
    await page.getByRole('button', { name: 'Approve these changes' }).first().click();
    const to = page.getByLabel('To (required)');
    await page.getByText('Line 2: must be a mail address').waitFor();
    expect(await to.getAttribute('aria-invalid')).toBe('true');
    expect(await to.inputValue()).toBe('zoe@example.org\nnobody');
    expect(await page.getByLabel('Subject').inputValue()).toBe('Dinner');
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await to.fill('zoe@example.org');
    await page.locator('.decision').getByRole('button').click();
    await page.getByRole('heading', { name: 'Done' }).waitFor();
  });

  it('opens a form with an error at its field, which has the focus and is in view with what is said about it', async () => {
    const page = await asked(MAIL);
    await answer(page, 'Change').click();
    await page.getByLabel('Bcc').fill('zoe@example.org\nnobody');
    await page.locator('.decision').getByRole('button').click();
    const problem = page.getByText('Line 2: must be a mail address');
    await problem.waitFor();
    expect(await page.locator(':focus').getAttribute('name')).toBe('field.bcc');
    const [about, decision] = await Promise.all([problem.boundingBox(), page.locator('.decision').boundingBox()]);
    expect((about?.y ?? 0) + (about?.height ?? 0)).toBeLessThanOrEqual(decision?.y ?? 0);
  });

  it('says which hidden characters a field of its form holds', async () => {
    const page = await asked({ ...MAIL, body: 'Lunch\u202e?\u200b' });
    await answer(page, 'Change').click();
    await page.getByText('This holds hidden characters: U+202E, U+200B').waitFor();
    expect(await page.getByLabel('Text').getAttribute('aria-describedby')).toMatch(/-hidden/);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('is told from others in the list by whom and what it is about', async () => {
    const page = await asked({ ...MAIL, subject: 'x'.repeat(300) });
    await page.goto(new URL('/approvals', page.url()).href);
    await page.getByRole('link', { name: /^Send a mail: zoe@example\.org, x{79}…$/ }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
  });

  it('names each long text by its field', async () => {
    const page = await asked({ ...MAIL, body: LONG, attachments: [{ name: 'numbers.txt', text: LONG }] });
    for (const name of ['Text', 'Content of “numbers.txt”']) await page.getByRole('region', { name, exact: true }).waitFor();
    await page.locator('details.risk > summary').click();
    expect(await axeViolations(page)).toEqual([]);
  });

  it('has each line of a text in its own direction', async () => {
    const page = await asked({ ...MAIL, body: 'שלום\nHello' });
    const text = page.locator('.quoted').first();
    expect(await text.evaluate((node) => node.ownerDocument.defaultView?.getComputedStyle(node).unicodeBidi)).toBe('plaintext');
  });

  it('says of a question that was decided what became of it', async () => {
    const page = await asked(MAIL);
    const url = page.url();
    await answer(page, 'Approve').click();
    await page.getByRole('heading', { name: 'Done' }).waitFor();
    const response = await page.goto(url);
    expect(response?.status()).toBe(200);
    await page.getByText(/You approved this on .+ It was sent\./).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByRole('link', { name: 'All approvals' }).click();
    await page.getByRole('heading', { name: 'Decided in the last day' }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
  });
});
