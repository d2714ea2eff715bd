import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { linkBank } from '../support/scenes/flows.ts';
import { eventually } from '../support/time/eventually.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe.skipIf(chromiumMissing)(`approvals, allowances and read-only accounts on the page${whySkipped}`, () => {
  const scene = pageScene();

  async function connected(user: string, view: 'Accounts' | 'Approvals' = 'Approvals'): Promise<{ page: Page; token: string }> {
    const page = await scene.pages.openConnected(user, view);
    return { page, token: await scene.steward.signIn(user) };
  }

  const send = (token: string, to: string[], body = 'Bis morgen!') =>
    scene.steward.call('/agents/mail.send', { token, body: JSON.stringify({ to, subject: 'Lunch', body }), headers: JSON_TYPE });
  const invite = (token: string, title: string) => {
    const event = { title, start: '2027-03-21T09:00', end: '2027-03-21T10:00', attendees: ['zoe@example.org'] };
    return scene.steward.call('/agents/calendar.create', { token, body: JSON.stringify(event), headers: JSON_TYPE });
  };
  const isFocused = (control: Locator) => control.evaluate((node) => node.matches(':focus'));
  const ended = (page: Page) => page.getByRole('complementary', { name: 'Messages' });

  it('allow calls in advance, which are listed and revoked', async () => {
    const { page, token } = await connected('trusting');
    await invite(token, 'Lunch');
    await page.getByText('Don’t ask again for a while').click();
    await page.getByLabel('Allow calls like this without asking').selectOption('7');
    await page.getByRole('button', { name: /^Approve: / }).click();
    await ended(page).getByText('Approved. The action has run.').waitFor();
    const card = page.locator('#allowances');
    await card.getByRole('heading', { name: 'Create an event: zoe@example.org' }).waitFor();
    await card.getByText('For you, with trusting@example.com, until').waitFor();
    await card.getByText('With these details only: Guests, Ends, Video meeting = no, Tell them by mail = yes, Starts, Title').waitFor();
    expect((await invite(token, 'Dinner')).status).toBe(200);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await card.getByRole('button', { name: /^Revoke: Create an event/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await card.getByText('Nothing is allowed in advance.').waitFor();
    expect((await invite(token, 'Breakfast')).body.code).toBe('approval_required');
    expect(scene.pages.problems).toEqual([]);
  });

  it('say which client asked', async () => {
    const { page, token } = await connected('asked');
    const body = JSON.stringify({ name: 'Digest', actions: ['*'], access: 'write' });
    const { body: made } = await scene.steward.call('/tokens', { token, body, headers: JSON_TYPE });
    await scene.steward.sql(`update client_grants set name = '<b>Digest</b>\u202e' where id = $1`, [made.id]);
    await send(token, ['zoe@example.org']);
    await send(`Bearer ${made.token}`, ['ben@example.org']);
    const card = page.locator('#question .approval-card');
    await page.getByRole('link', { name: /ben@example\.org/ }).click();
    await card.getByText('Asked by your token <b>Digest</b>[U+202E].').waitFor();
    await page.getByRole('link', { name: /zoe@example\.org/ }).click();
    await card.getByText('zoe@example.org').first().waitFor();
    expect(await card.textContent()).not.toContain('Asked by');
    expect(scene.pages.problems).toEqual([]);
  });

  it('are changed in the form of the action, and asked again if others would see it', async () => {
    const { page, token } = await connected('editor');
    await send(token, ['Zoe <zoe@example.org>'], 'a\u202eb\u200bc');
    await page.getByRole('button', { name: /^Change: Send a mail: zoe/ }).press('Enter');
    const to = page.getByLabel('To', { exact: true });
    expect(await isFocused(to)).toBe(true);
    expect(await to.inputValue()).toBe('Zoe <zoe@example.org>');
    // The operator requires approval of each mail.
    expect(await page.getByLabel('Allow calls like this without asking').count()).toBe(0);
    await page.getByText('This holds hidden characters: [U+202E], [U+200B]').waitFor();
    await to.fill('Zoe <zoe@example.org>\nnobody');
    const approve = page.getByRole('button', { name: /^Approve with these changes: / });
    await approve.click();
    const problem = page.locator('.field-problem');
    await problem.getByText(/^Line 2 must be /).waitFor();
    expect(await to.getAttribute('aria-invalid')).toBe('true');
    expect(await isFocused(to)).toBe(true);
    expect(await to.getAttribute('aria-describedby')).toContain(await problem.getAttribute('id'));
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    // Another question arrives, and what is written stays.
    await send(token, ['yan@example.org']);
    await page.getByRole('link', { name: /yan@example\.org/ }).waitFor();
    expect(await to.inputValue()).toBe('Zoe <zoe@example.org>\nnobody');
    await to.fill('xul@example.org');
    await approve.click();
    const again = page.getByRole('article', { name: /^Question: Send a mail: xul@/ });
    // On the question itself: a message would go away before it is decided.
    await again.getByText('so you are asked again. The action has not run.').waitFor();
    expect(await page.getByText('Approved.').count()).toBe(0);
    await again.getByRole('button', { name: /^Approve: / }).click();
    await ended(page).getByText('Approved. The action has run.').waitFor();
    await page.locator('#question').getByText('You approved this with changes. Sent.').waitFor();
    // How one ended does not stand beside the next.
    await send(token, ['zoe@example.org'], 'Next.');
    await page.getByRole('link', { name: /zoe@example\.org/ }).click();
    expect(await ended(page).getByText('The action has run.').count()).toBe(0);
    await page.locator('#question').getByText('Exact details').click();
    const link = page.getByRole('link', { name: /^Open its own page: Send a mail: zoe/ });
    expect(await link.getAttribute('href')).toMatch(/\/approvals\/[\w-]{36}$/);
    expect(scene.pages.problems).toEqual([]);
  });

  it('are changed as JSON, which the form takes over, and Cancel leaves as they were', async () => {
    const { page, token } = await connected('json-editor');
    await send(token, ['zoe@example.org'], 'a\u202eb');
    await page.getByRole('button', { name: /^Change: / }).click();
    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = page.getByLabel('Exact details as JSON');
    const before = await json.inputValue();
    expect(before).toContain('a\\u202eb');
    const approve = page.getByRole('button', { name: /^Approve with these changes: / });
    await json.fill('{\n"to" [');
    await approve.click();
    await page.getByText('This is not valid JSON: look at line 2, column 6.').waitFor();
    await json.fill('[]');
    await approve.click();
    await page.getByText('This must be a JSON object').waitFor();
    await json.fill(before.replace('Lunch', 'Dinner'));
    await page.getByRole('tab', { name: 'Form' }).click();
    expect(await page.getByLabel('Subject').inputValue()).toBe('Dinner');
    await page.getByLabel('Subject').fill('Breakfast');
    await page.getByRole('tab', { name: 'JSON' }).click();
    expect(await json.inputValue()).toBe(before.replace('Lunch', 'Breakfast'));
    await page.getByRole('button', { name: /^Cancel: / }).click();
    const change = page.getByRole('button', { name: /^Change: / });
    expect(await isFocused(change)).toBe(true);
    await page.locator('#question').getByText('Lunch', { exact: true }).waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('are left as they were by Escape, from any field, with the focus where the change began', async () => {
    const { page, token } = await connected('escaper');
    await send(token, ['zoe@example.org']);
    const change = page.getByRole('button', { name: /^Change: / });
    const leave = async (control: Locator) => {
      await control.press('Escape');
      expect(await isFocused(change)).toBe(true);
      await page.locator('#question').getByText('Lunch', { exact: true }).waitFor();
    };
    await change.press('Enter');
    await page.getByLabel('Subject').fill('Dinner');
    await leave(page.getByLabel('Subject'));
    await change.press('Enter');
    await leave(page.getByRole('tab', { name: 'JSON' }));
    await change.press('Enter');
    await leave(page.getByRole('button', { name: /^Approve with these changes: / }));
    // Outside of a change there is nothing to leave but the evidence.
    const line = page.locator('#question .risk-line');
    await line.press('Enter');
    await page.locator('#question .question-evidence').waitFor();
    await page.locator('#question .question-evidence').press('Escape');
    await page.locator('#question .question-evidence').waitFor({ state: 'hidden' });
    expect(await isFocused(line)).toBe(true);
    expect((await scene.steward.call('/approvals', { token })).body.approvals).toHaveLength(1);
  });

  it('leave the focus at their heading when they go, whoever decided', async () => {
    const { page, token } = await connected('keeper');
    await send(token, ['zoe@example.org']);
    await page.getByRole('button', { name: /^Approve: / }).focus();
    const [{ id }] = (await scene.steward.call('/approvals', { token })).body.approvals;
    const denial = { token, body: JSON.stringify({ approved: false }), headers: JSON_TYPE };
    await scene.steward.call(`/approvals/${id}`, denial);
    await page.locator('#question').getByText('You denied this.').waitFor();
    expect(await isFocused(page.getByRole('heading', { name: 'The question' }))).toBe(true);
    for (const to of ['yan@example.org', 'xul@example.org']) await send(token, [to]);
    await page.getByRole('button', { name: 'Deny all' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Deny all 2' }).press('Enter');
    await page.getByText('No pending approvals.').waitFor();
    await eventually(async () => expect(await isFocused(page.getByRole('heading', { name: 'Waiting for you' }))).toBe(true));
  });

  it('change an event by its date and time, and leave the id to the JSON', async () => {
    const { page, token } = await connected('mover');
    const made = await scene.steward.call('/agents/calendar.create', {
      token,
      body: JSON.stringify({ title: 'Standup', start: '2027-03-22T09:30', end: '2027-03-22T10:00', zone: 'Europe/Berlin' }),
      headers: JSON_TYPE,
    });
    const { id } = made.body.data;
    const change = { id, start: '2027-03-22T11:00', add_attendees: ['zoe@example.org'] };
    const asked = await scene.steward.call('/agents/calendar.update', { token, body: JSON.stringify(change), headers: JSON_TYPE });
    expect(asked.body.code).toBe('approval_required');
    await page.getByRole('button', { name: /^Change: / }).click();
    const form = page.locator('.change-form');
    const start = form.getByLabel('Starts (optional)', { exact: true });
    expect([await start.inputValue(), await form.getByLabel('Starts: time of day').inputValue()]).toEqual(['2027-03-22', '11:00']);
    expect(await form.locator(':is(input, textarea)').evaluateAll((nodes, shown) => nodes.some((node) => node.value === shown), id)).toBe(
      false,
    );
    await form.getByLabel('Starts: time of day').fill('12:00');
    await page.getByRole('button', { name: /^Approve with these changes: / }).click();
    await ended(page).getByText('Approved. The action has run.').waitFor();
    const { body } = await scene.steward.call('/agents/calendar.get', { token, body: JSON.stringify({ id }), headers: JSON_TYPE });
    expect(JSON.stringify(body.data)).toContain('2027-03-22T12:00');
  });

  it('say in words what a rule and a zone are that are entered, as they are entered', async () => {
    const { page, token } = await connected('repeating');
    const event = { title: 'Rounds', start: '2027-03-22T09:30', end: '2027-03-22T10:00', zone: 'Europe/Berlin' };
    const body = JSON.stringify({ ...event, recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3'], attendees: ['zoe@example.org'] });
    await scene.steward.call('/agents/calendar.create', { token, body, headers: JSON_TYPE });
    await page.getByRole('button', { name: /^Change: / }).click();
    const form = page.locator('.change-form');
    await form.getByText('That is: Each week on Monday, 3 times.').waitFor();
    await form.getByText('That is: Berlin time.').waitFor();
    await form.getByLabel('Repeats').fill('RRULE:FREQ=DAILY;COUNT=5');
    await form.getByText('That is: Each day, 5 times.').waitFor();
    await form.getByLabel('Repeats').fill('RRULE:FREQ=DAILY;BYHOUR=5');
    await form.getByText('That is: Each day, 5 times.').waitFor({ state: 'detached' });
    expect(await axeViolations(page)).toEqual([]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('stand in a list, those that need care first, and are denied together', async () => {
    const { page, token } = await connected('many');
    for (const to of ['many@example.com', 'zoe@example.org', 'yan@example.org']) await send(token, [to]);
    const links = page.locator('.question-link');
    await eventually(async () => expect(await links.count()).toBe(3));
    const texts = await links.allTextContents();
    expect(texts.map((text) => text.includes('Needs care'))).toEqual([true, true, false]);
    expect(texts[2]).toContain('many@example.com');
    // One question at a time.
    expect(await page.locator('.approval-card').count()).toBe(1);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Deny all' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Deny all 3 questions?').waitFor();
    await dialog.getByRole('button', { name: 'Deny all 3' }).click();
    await ended(page).getByText('3 questions denied. Nothing has run.').waitFor();
    await page.getByText('No pending approvals.').waitFor();
    await eventually(async () => expect(await page.locator('#decided .tag').allTextContents()).toEqual(['Denied', 'Denied', 'Denied']));
    expect((await scene.steward.call('/approvals', { token })).body.approvals).toEqual([]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('are denied together, but for those that were decided meanwhile, which is said', async () => {
    const { page, token } = await connected('overtaken');
    for (const to of ['zoe@example.org', 'yan@example.org']) await send(token, [to]);
    const { approvals } = (await scene.steward.call('/approvals', { token })).body;
    const deny = (id: string) =>
      scene.steward.call(`/approvals/${id}`, { token, body: JSON.stringify({ approved: false }), headers: JSON_TYPE });
    await page.getByRole('button', { name: 'Deny all' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Deny all 2 questions?').waitFor();
    await deny(approvals[0].id);
    await dialog.getByRole('button', { name: 'Deny all 2' }).click();
    await ended(page).getByText('1 question denied. The others were not open any more.').waitFor();
    const again = await deny(approvals[0].id);
    expect([again.status, again.body.code, again.body.details]).toEqual([409, 'conflict', { reason: 'over' }]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('go away with a sentence when they are decided elsewhere, and all decisions of the day are listed', async () => {
    const { page, token } = await connected('two-places');
    await send(token, ['zoe@example.org']);
    await send(token, ['yan@example.org']);
    await page.getByRole('link', { name: /zoe@example\.org/ }).click();
    const { approvals } = (await scene.steward.call('/approvals', { token })).body;
    const idOf = (address: string) => approvals.find((one: any) => one.audience[0].address === address).id;
    const decide = (address: string, approved: boolean) =>
      scene.steward.call(`/approvals/${idOf(address)}`, { token, body: JSON.stringify({ approved }), headers: JSON_TYPE });
    expect((await decide('zoe@example.org', true)).status).toBe(200);
    await page.locator('#question').getByText('You approved this. Sent.').waitFor();
    expect((await decide('yan@example.org', false)).status).toBe(200);
    await page
      .getByRole('status')
      .getByText(/Not open any more: .*yan@example\.org/)
      .waitFor();
    const decided = page.locator('#decided');
    await decided.getByText('You denied this. Nothing was done.').waitFor();
    expect(await decided.locator('.tag').allTextContents()).toEqual(['Denied', 'Approved']);
    // Also in a tab that has seen none of them, and by their addresses.
    await page.goto(`${scene.steward.url}/#approvals/${idOf('zoe@example.org')}`);
    await page.reload();
    await decided.getByText('Send a mail').first().waitFor();
    await page.locator('#question').getByText('You approved this. Sent.').waitFor();
    await page.goto(`${scene.steward.url}/#approvals/${crypto.randomUUID()}`);
    await page.locator('#question').getByText('This question is not open any more.').waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('say in words what became of a call that failed, and of one that may have been done', async () => {
    const { page, token } = await connected('failing');
    const path = '/api/gmail/v1/users/me/messages/send';
    const end = async (to: string, status: number) => {
      await send(token, [to]);
      await scene.steward.control('faults', { part: 'workspace', path, kind: 'status', status, times: 1 });
      const [{ id }] = (await scene.steward.call('/approvals', { token })).body.approvals;
      await scene.steward.call(`/approvals/${id}`, { token, body: '{"approved":true}', headers: JSON_TYPE });
      return id;
    };
    await end('zoe@example.org', 400);
    const id = await end('yan@example.org', 500);
    const [REJECTED, UNKNOWN] = [/It failed, and nothing was done: its details were not valid\./, /It may have been done, or a part of it/];
    const decided = page.locator('#decided');
    await decided.getByText(REJECTED).waitFor();
    await decided.getByText(UNKNOWN).waitFor();
    await page.goto(`${scene.steward.url}/#approvals/${id}`);
    await page.locator('#question').getByText(UNKNOWN).waitFor();
    await scene.pages.show(page, 'Activity');
    const feed = page.locator('#feed');
    await feed.getByText('You approved “Send a mail” for failing@example.com, which failed: its details were not valid').waitFor();
    const unknown = feed.getByText('for failing@example.com, but whether it was done is not known');
    await unknown.waitFor();
    expect(await unknown.getAttribute('title')).toBe('mail.send: outcome_unknown');
    expect(await feed.textContent()).not.toMatch(/invalid_request|outcome_unknown/);
    expect(scene.pages.problems).toEqual([]);
  });

  it('keep a second click from deciding the next question', async () => {
    const { page, token } = await connected('hasty');
    await send(token, ['zoe@example.org']);
    await send(token, ['yan@example.org']);
    await page
      .locator('#question')
      .getByRole('button', { name: /^Approve: / })
      .dblclick();
    await page.locator('#question').getByText('You approved this. Sent.').waitFor();
    expect((await scene.steward.call('/approvals', { token })).body.approvals).toHaveLength(1);
    await page.getByRole('link', { name: 'Next question' }).click();
    await page
      .locator('#question')
      .getByRole('button', { name: /^Deny: / })
      .click();
    await page.locator('#question').getByText('You denied this.').waitFor();
  });

  it('set accounts and banks to read-only, and permit changes after a recent sign-in', async () => {
    const { page, token } = await connected('careful', 'Accounts');
    await linkBank(scene.steward, token);
    await page.reload();
    for (const name of ['careful@example.com', 'First Platypus Bank']) {
      await page.getByRole('button', { name: `Set to read-only: ${name}` }).click();
      await page.getByText(`${name} is read-only. Assistants can change nothing in it.`).waitFor();
      await page.getByRole('button', { name: `Permit changes: ${name}` }).waitFor();
    }
    expect((await send(token, ['zoe@example.org'])).body.code).toBe('forbidden');
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByRole('button', { name: 'Permit changes: careful@example.com' }).click();
    await page.getByText('Assistants can change careful@example.com again.').waitFor();
    expect((await send(token, ['zoe@example.org'])).body.code).toBe('approval_required');
    expect(scene.pages.problems).toEqual([]);
  });

  it('say that permitting changes needs a recent sign-in', async () => {
    await scene.steward.control('clock', { advance_ms: -6 * 60_000 });
    const { page } = await connected('returning', 'Accounts');
    await scene.steward.control('clock', { advance_ms: 6 * 60_000 });
    await page.getByRole('button', { name: 'Set to read-only: returning@example.com' }).click();
    await page.getByRole('button', { name: 'Permit changes: returning@example.com' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await ended(page).getByText('Sign in again').waitFor();
    await page.getByRole('button', { name: 'Permit changes: returning@example.com' }).click();
    await dialog.getByRole('button', { name: 'Sign in again as returning' }).click();
    await page.getByRole('button', { name: 'Set to read-only: returning@example.com' }).waitFor();
  });
});
