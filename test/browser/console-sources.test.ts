import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ChatPage } from '../support/browser/chat-page.ts';
import { chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe.skipIf(chromiumMissing)(`other servers, in the console${whySkipped}`, () => {
  const scene = pageScene();
  const card = (page: Page) => page.getByRole('region', { name: 'Other servers' });
  const tools = (page: Page) => page.getByRole('dialog', { name: /^Tools of Tickets/ });
  const tool = (page: Page, name: string) =>
    tools(page)
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name }) });

  const control = (path: string, body: object) =>
    scene.steward.call(`/sandbox/control/tickets/tools/${path}`, { body: JSON.stringify(body), headers: JSON_TYPE });

  /** As a minute later, by the database's clock and the process's. */
  async function listAgain(): Promise<void> {
    await scene.steward.sql('update source_accounts set list_after = now()');
    await scene.steward.clock.advance(60_000);
  }

  /** In two clicks. */
  async function connect(page: Page): Promise<void> {
    await scene.pages.show(page, 'Accounts');
    await card(page).getByRole('button', { name: 'Connect Tickets' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await card(page)
      .getByText(/\d+ tools/)
      .waitFor();
  }

  /** Until the decision is stored: the list is shown anew after it, and what a change shows of before is headed “Allowed” too. */
  async function allow(held: Locator): Promise<void> {
    const button = held.getByRole('button', { name: /^Allow/ });
    await button.click();
    await button.waitFor({ state: 'detached' });
  }

  it('are connected in two clicks, listed with their tools, and disconnected', async () => {
    const page = await scene.pages.openAs('sourced');
    await connect(page);
    expect(new URL(page.url()).search).toBe('');
    await card(page)
      .getByRole('button', { name: /^Tools/ })
      .click();
    await tool(page, 'search_tickets').getByText('Allowed').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await card(page)
      .getByRole('button', { name: /^Disconnect/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await card(page).getByText('No other server is connected yet.').waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('show what has changed in a tool, and take the decision', async () => {
    const page = await scene.pages.openAs('watching');
    await connect(page);
    await control('change', { tool: 'close_ticket', members: { description: 'Closes a ticket, and mails everyone.' } });
    await listAgain();
    await card(page).getByText('1 tool to look at').waitFor();
    await card(page)
      .getByRole('button', { name: /^Tools/ })
      .click();
    const held = tool(page, 'close_ticket');
    await held.getByText('Changed since it was allowed: description.').waitFor();
    await held.getByText('Closes a ticket, and mails everyone.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await allow(held);
    await page.keyboard.press('Escape');
    await card(page).getByText('1 tool to look at').waitFor({ state: 'detached' });
    await control('change', { tool: 'search_tickets', members: { title: 'Search' } });
    await listAgain();
    await card(page).getByText('1 tool to look at').waitFor();
    await scene.pages.show(page, 'Chat');
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Which tickets are open?');
    await page.keyboard.press('Enter');
    await page.getByText(/^A tool of Tickets .* has changed\. It is not used until you have looked at it\.$/).waitFor();
    await page.getByRole('button', { name: 'See what has changed' }).click();
    await tool(page, 'search_tickets').getByText('Changed since it was allowed: title.').waitFor();
    await page.keyboard.press('Escape');
    await scene.pages.show(page, 'Activity');
    await page.locator('#feed').getByText('You allowed the tool “close_ticket” of Tickets').waitFor();
    await page.locator('#feed').getByText('You connected the source Tickets').waitFor();
    await control('reset', {});
  });

  it('say why they can’t be used, and what to do: a connection that lacks access, and a tool', async () => {
    const page = await scene.pages.openAs('lacking');
    const members = { inputSchema: { type: 'object', properties: { id: { $ref: 'https://example.com/id.json' } } } };
    await control('change', { tool: 'close_ticket', members });
    await connect(page);
    await card(page)
      .getByRole('button', { name: /^Tools/ })
      .click();
    await tool(page, 'close_ticket')
      .getByText('The server offers it, but it can’t be used, because its schema refers to another document.')
      .waitFor();
    await page.keyboard.press('Escape');
    // As if the server had refused its list for want of two permissions, when it was to be read first.
    await scene.steward.sql(
      `update source_accounts set listed_at = null, list_error = 'missing_scopes', wanted_scopes = '{tickets:list,tickets:write}'`,
    );
    await page.reload();
    await card(page).getByText('asks for more access (tickets:list, tickets:write). Reconnect it to give that.').waitFor();
    await card(page).getByText('Reconnect required').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await scene.steward.sql(`update source_accounts set list_error = 'provider_timeout', wanted_scopes = '{}'`);
    await page.reload();
    await card(page).getByText('its tools could not be read: the server did not answer in time; Steward tries again').waitFor();
    await scene.steward.sql(`update source_accounts set list_error = 'missing_scopes', wanted_scopes = '{tickets:write}'`);
    await page.reload();
    await control('reset', {});
    await card(page)
      .getByRole('button', { name: /^Reconnect/ })
      .click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await card(page)
      .getByText(/\d+ tools/)
      .waitFor();
    await card(page).getByText('Reconnect required').waitFor({ state: 'detached' });
  });

  it('are asked unasked until something else was read, and then with a question that names them', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'searching');
    const { page } = chat;
    await connect(page);
    await scene.pages.show(page, 'Chat');
    await chat.ask('Which tickets are open?');
    await chat.ask('Read my newest mail.');
    await chat.ask('Search tickets for invoice.');
    await page.getByText('Receives the details').waitFor();
    await page.getByText('“Tickets” will receive these details.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it('are asked about again where a tool changes before the decision: with what has changed, and once it is allowed', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'changing');
    const { page } = chat;
    await connect(page);
    await scene.pages.show(page, 'Chat');
    await chat.ask('Read my newest mail.');
    await chat.ask('Search tickets for invoice.');
    const question = chat.log.getByRole('article', { name: 'Question: Tickets: search tickets: invoice' });
    expect(await question.getByText('invoice').count()).toBe(2);
    await control('change', { tool: 'search_tickets', members: { description: 'Finds tickets, and keeps what is searched for.' } });
    await listAgain();
    await question.getByRole('button', { name: /^Approve/ }).click();
    await question.getByText('has changed since it was allowed (description), so it waits until you have looked at it.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await question.getByRole('button', { name: /^See what has changed/ }).click();
    await tool(page, 'search_tickets').getByText('Finds tickets, and keeps what is searched for.').waitFor();
    expect(await tools(page).getByRole('listitem').count()).toBe(1);
    await allow(tool(page, 'search_tickets'));
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: /^Approve/ }).click();
    await question.getByText('so you are asked again. The action has not run.').waitFor();
    await question.getByRole('button', { name: /^Approve/ }).click();
    await chat.log.getByText('1 of 1 tickets').waitFor();
    expect((await scene.steward.call('/sandbox/control/tickets/state')).body.received).toContainEqual(
      expect.objectContaining({ tool: 'search_tickets', arguments: { query: 'invoice' } }),
    );
    await control('reset', {});
  });

  it('are offered below an answer that needs one, and connected from there', async () => {
    const chat = await ChatPage.open(scene.steward, scene.pages, 'needing');
    await chat.ask('Which tickets are open?');
    await chat.log.getByText('Tickets is not connected. The assistant needs it for this.').waitFor();
    expect(await axeViolations(chat.page)).toEqual([]);
    await chat.log.getByRole('button', { name: 'Connect Tickets' }).click();
    await chat.page.getByRole('button', { name: 'Allow' }).click();
    await chat.page.getByText('The server is connected.').waitFor();
  });

  it('are an attack that fails: what they need is connected on the way', async () => {
    const page = await scene.pages.openAs('attacked');
    await scene.pages.show(page, 'Chat');
    await page.getByRole('button', { name: /^A ticket/ }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Connect Tickets').waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Receives the details').waitFor();
    await page.getByText(/comes? from a mail by/).waitFor();
    expect((await scene.steward.call('/sandbox/control/tickets/state')).body.received).not.toContainEqual(
      expect.objectContaining({
        tool: 'search_tickets',
        arguments: expect.objectContaining({ query: expect.stringMatching(/\w{3,} \w{3,}/) }),
      }),
    );
  });
});
