import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ChatPage } from '../support/browser/chat-page.ts';
import { chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { linkBank } from '../support/scenes/flows.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe.skipIf(chromiumMissing)(`the first steps and what happened, on the page${whySkipped}`, () => {
  const scene = pageScene();
  const steps = (page: Page) => page.getByRole('region', { name: /^First steps/ });
  const step = (page: Page, text: string) => steps(page).getByRole('listitem').filter({ hasText: text });

  it('tick themselves, lead to their views, and can be hidden and shown again', async () => {
    const page = await scene.pages.openAs('beginner');
    await steps(page).getByText('0 of 6').waitFor();
    await step(page, 'Try an action').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Actions' }).waitFor();
    const token = await scene.steward.signIn('beginner');
    await linkBank(scene.steward, token);
    await step(page, 'Connect a bank').getByText('(done)').waitFor();
    const client = JSON.stringify({ name: 'Digest', actions: ['bank.*'], access: 'read' });
    await scene.steward.call('/tokens', { token, body: client, headers: JSON_TYPE });
    await steps(page).getByText('2 of 6').waitFor();
    await scene.pages.choose(page, 'bank.balances');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await step(page, 'Try an action').getByText('(done)').waitFor();
    await page.getByRole('button', { name: 'Hide: first steps' }).click();
    await steps(page).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await scene.pages.show(page, 'Settings');
    expect(await steps(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Show the first steps' }).click();
    await steps(page).getByText('3 of 6').waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('are ticked by what the user does, not by the assistant or an app, and stay ticked', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'watched');
    const { page, token } = chat;
    await steps(page).getByText('You did 1 of 6').waitFor();
    await step(page, 'Connect a bank').getByText('Balances and transactions, which nothing can change.').waitFor();
    await chat.ask('Be gullible: read my newest mails.');
    await steps(page).getByText('2 of 6').waitFor();
    expect(await step(page, 'Ask the assistant').getByText('(done)').count()).toBe(0);
    const { body: made } = await scene.steward.call('/tokens', {
      token,
      body: JSON.stringify({ name: 'Digest', actions: ['mail.*'], access: 'read' }),
      headers: JSON_TYPE,
    });
    await scene.steward.call('/agents/mail.labels', { method: 'POST', token: `Bearer ${made.token}`, body: '{}', headers: JSON_TYPE });
    await scene.pages.show(page, 'Activity');
    await page.locator('#feed').getByText('“Digest” ran “List labels”').waitFor();
    await page.locator('#feed').getByText('The assistant ran').first().waitFor();
    await steps(page).getByText('3 of 6').waitFor();
    expect(await step(page, 'Try an action').getByText('(done)').count()).toBe(0);
    await scene.pages.show(page, 'Actions');
    await scene.pages.choose(page, 'mail.labels');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await step(page, 'Try an action').getByText('(done)').waitFor();
    // Neither a day nor the end of a conversation takes it back.
    await page.route('**/threads?**', (route) => route.fulfill({ json: { threads: [], next: null } }));
    await page.route('**/user/audit?**', (route) => route.fulfill({ json: { entries: [], next_cursor: null } }));
    await page.reload();
    await steps(page).getByText('4 of 6').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('begin with an account of the sandbox at one press', async () => {
    const page = await scene.pages.openAs('presser');
    await page.getByRole('button', { name: 'Connect demo@example.com' }).click();
    // The message is there for some seconds only, and a click may return later than that.
    const shown = page.getByText('The workspace account is connected.').waitFor();
    await Promise.all([shown, page.getByRole('button', { name: 'Allow' }).click()]);
    await step(page, 'Connect a workspace').getByText('(done)').waitFor();
    expect(await page.getByRole('button', { name: 'Connect demo@example.com' }).isVisible()).toBe(false);
  });

  it('are told in sentences, with those that happened while the page was closed', async () => {
    const page = await scene.pages.openConnected('teller', 'Activity');
    const feed = page.locator('#feed');
    await feed.getByText('You connected the workspace account teller@example.com').waitFor();
    await page.goto('about:blank');
    const token = await scene.steward.signIn('teller');
    await linkBank(scene.steward, token);
    const body = JSON.stringify({ name: 'Digest', actions: ['mail.*'], access: 'read' });
    const { body: made } = await scene.steward.call('/tokens', { token, body, headers: JSON_TYPE });
    await scene.steward.call('/agents/mail.labels', { method: 'POST', token: `Bearer ${made.token}`, body: '{}', headers: JSON_TYPE });
    await page.goto(`${scene.steward.url}/#activity`);
    await feed.getByText('You connected the bank First Platypus Bank').waitFor();
    await feed.getByText('You made the token “Digest”').waitFor();
    await feed.getByText('“Digest” ran “List labels” for teller@example.com').waitFor();
    // What was told before the page was closed is still there, once.
    expect(await feed.getByText('You connected the workspace account teller@example.com').count()).toBe(1);
    await page.getByText('Calls', { exact: true }).click();
    await feed.getByText('You connected the bank').first().waitFor({ state: 'detached' });
    await feed.getByText('“Digest” ran “List labels”').waitFor();
    expect(
      await page.evaluate(`JSON.parse(Object.entries(localStorage).find(([key]) => key.startsWith('steward.events.'))[1]).since > 0`),
    ).toBe(true);
  });

  it('does not call a bank connected before the token is exchanged, and lets it be copied', async () => {
    const page = await scene.pages.openAs('copier');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const token = await scene.steward.signIn('copier');
    const { body } = await scene.steward.call('/auth/bank/create_link_token', { method: 'POST', token });
    await page.goto(body.link_url);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('group', { name: 'Accounts' }).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Access allowed' }).waitFor();
    expect(await page.getByText('Bank connected').count()).toBe(0);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^public-sandbox-/);
  });
});
