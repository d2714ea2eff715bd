import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { chromiumMissing, Pages, whySkipped } from '../support/browser/page.ts';
import { connect, linkBank } from '../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/** Shows a result in an empty page with the page's own look. */
const SHOW = `async ({ action, data, meta }) => {
  const { resultView } = await import('/assets/console/results/result-view.js');
  const main = document.querySelector('main');
  main.replaceChildren(Object.assign(document.createElement('h1'), { textContent: action }), resultView(action, data, meta));
}`;

describe.skipIf(chromiumMissing)(`results of actions on the page${whySkipped}`, () => {
  let steward: TestSteward;
  let pages: Pages;
  let page: Page;
  let token: string;
  const requests: string[] = [];

  beforeAll(async () => {
    steward = await startSteward();
    pages = await Pages.launch(steward);
    token = await steward.signIn('results');
    await connect(steward, { token, email: 'results@example.com' });
    await linkBank(steward, token);
    page = await pages.open('/');
    page.on('request', (request) => requests.push(request.url()));
  });
  afterAll(async () => {
    await pages?.browser.close();
    await steward?.stop();
  });

  const call = async (action: string, input: object = {}) => {
    const response = await steward.call(`/agents/${action}`, { token, body: JSON.stringify(input), headers: JSON_TYPE });
    expect(response.status, response.text).toBe(200);
    return response.body as { data: any; meta: object };
  };
  const show = (action: string, data: unknown, meta: object = {}) => page.evaluate(`(${SHOW})(${JSON.stringify({ action, data, meta })})`);
  const text = () => page.locator('.view').innerText();
  // A file that mentions the name may be newer.
  const fileNamed = async (query: string) =>
    (await call('drive.search', { query })).data.items.find(({ name }: { name: string }) => name.startsWith(query)).id;

  /** Runs an action and shows what it returned. */
  async function run(action: string, input: object = {}) {
    const { data, meta } = await call(action, input);
    await show(action, data, meta);
    return data;
  }

  it('lists mails, and shows a thread with its text', async () => {
    const { items } = await run('mail.search', { query: 'from:sarah', max: 1 });
    expect(await text()).toMatch(/1 message · results@example\.com[\s\S]*Sarah O’Connor sarah\.oconnor@example\.net/);
    await page.getByText('written by others').waitFor();
    await run('mail.read', { thread: items[0].thread });
    expect(await text()).toMatch(/Lunch on Tuesday\?[\s\S]*The new place by the canal/);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('shows labels, drafts without any, and what can be undone', async () => {
    await run('mail.labels');
    expect(await text()).toMatch(/Your labels\s+Travel/);
    await run('mail.drafts');
    expect(await text()).toContain('Nothing was found.');
    await run('mail.draft', { to: ['zoe@example.org'], subject: 'Hi', body: 'Hello' });
    expect(await text()).toContain('It can be undone: Delete the draft to zoe@example.org: “Hi”.');
    await page.getByText('your own').waitFor();
  });

  it('shows events by day, free time, and when people are busy', async () => {
    const { items } = await run('calendar.list');
    expect(await page.locator('.agenda .event').count()).toBe(items.length);
    expect(await text()).toMatch(/\w+day, \d+ \w+ \d{4}/);
    // The browsers of tests are in UTC, the calendar is in Berlin.
    expect(await text()).toMatch(/\d\d:\d\d–\d\d:\d\d Berlin time \(\d\d:\d\d yours\)/);
    // Which events are left depends on the day of the week.
    const titled = items.find(({ title }: { title: string }) => title !== '');
    await run('calendar.get', { id: titled.id });
    expect(await text()).toContain(titled.title);
    expect(await text()).toContain('Open in the calendar (www.google.com)');
    await run('calendar.free', { day_start: '09:00', day_end: '12:00' });
    expect(await text()).toMatch(/\d+ h( \d+ min)? free/);
    await run('calendar.busy', { people: ['results@example.com'], from: items[0].start.slice(0, 10) });
    expect(await text()).toContain('results@example.com');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('shows files, documents, sheets and slides', async () => {
    await run('drive.search', { query: 'Budget.csv' });
    expect(await text()).toMatch(/Budget\.csv \(drive\.google\.com\)/);
    await run('drive.read', { id: await fileNamed('Budget.csv') });
    expect(await text()).toContain('"Quay walls",120000');
    await run('documents.read', { id: await fileNamed('Harbour brief') });
    expect(await page.locator('.markdown .markdown-heading').first().textContent()).toBe('Harbour 2026');
    await page.getByRole('region', { name: 'Table' }).getByText('€ 45,500').waitFor();
    await run('presentations.read', { id: await fileNamed('Quarterly review') });
    expect(await page.locator('.slide').count()).toBe(6);
    await run('spreadsheets.read', { id: await fileNamed('Household budget'), range: 'A1:D5' });
    expect(await page.locator('table.data td.amount').count()).toBeGreaterThan(0);
    await run('drive.permissions', { id: await fileNamed('Harbour brief') });
    expect(await text()).toMatch(/results@example\.com\s+owner/);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('shows balances, and transactions with totals and charts', async () => {
    await run('bank.balances');
    expect(await text()).toMatch(/Everyday Interest Checking …0000\s+\$2,340\.55/);
    await page.getByText('financial', { exact: true }).waitFor();
    await page.getByRole('img', { name: 'Balances by account' }).waitFor();
    // A bank that was just connected has none yet.
    expect((await steward.call('/agents/bank.transactions', { token, body: '{}', headers: JSON_TYPE })).status).toBe(503);
    const from = new Date(steward.clock.now() - 300 * 86_400_000).toISOString().slice(0, 10);
    const { items } = await run('bank.transactions', { max: 100, from });
    const out = items
      .filter(({ amount }: { amount: number }) => amount > 0)
      .reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
    const total = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(out);
    const foot = page.locator('tfoot tr').filter({ hasText: 'Money out' });
    expect(await foot.locator('.amount').textContent()).toBe(total);
    await page.getByRole('img', { name: 'Spending by category' }).waitFor();
    await run('bank.spending');
    await page.getByRole('img', { name: /^Spending by category Category: / }).waitFor();
    await page.locator('.chart').getByText('As a table', { exact: true }).click();
    await page.getByRole('region', { name: 'Spending by category as a table' }).getByText('Food and drink').waitFor();
    await run('bank.numbers');
    expect(await text()).toContain('••••0000');
    await run('bank.changes');
    expect(await text()).toMatch(/New \(\d+\)/);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('keeps markup as text, reveals hidden characters, and loads nothing', async () => {
    const from = '<img src=x onerror=alert(1)> <a@evil.example>';
    const item = {
      id: '1',
      thread: '1',
      from,
      subject: 'a\u202eb\u200b 👩‍🍳',
      date: '2026-11-25T10:00:00Z',
      snippet: '<b>x</b>',
      unread: false,
    };
    await show('mail.search', { items: [item] });
    expect(await text()).toMatch(/<img src=x onerror=alert\(1\)> a@evil\.example[\s\S]*a\[U\+202E\]b\[U\+200B\] 👩‍🍳[\s\S]*<b>x<\/b>/);
    const file = {
      id: '1',
      name: 'x.png',
      type: 'image',
      mime: 'image/png',
      link: 'javascript:alert(1)',
      format: 'image/png',
      base64: 'AAAA',
    };
    await show('drive.read', file);
    expect(await text()).toContain('3 bytes, not shown here');
    await show('documents.read', {
      title: 'T',
      link: 'https://evil.example/',
      tabs: [{ title: 'A', text: '![x](https://evil.example/x.png)' }],
    });
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.locator('main a[href^="javascript"]').count()).toBe(0);
    expect(requests.filter((url) => new URL(url).host !== new URL(steward.url).host)).toEqual([]);
  });

  it('shows any other value as names and values, and every value as JSON by the keyboard', async () => {
    const data = { items: [{ subject: 7 }], deep: { list: [true, null, 'x'], link: 'https://example.com/a' }, events: null };
    const hint = 'Left out: `items` after the first 1.';
    await show('custom.action', data, { account: 'a@example.com', truncated: true, hint });
    expect(await text()).toMatch(/Deep[\s\S]*yes[\s\S]*https:\/\/example\.com\/a/);
    expect(await page.getByText('shortened').getAttribute('title')).toBe(hint);
    await page.getByRole('tab', { name: 'View' }).press('ArrowRight');
    expect(JSON.parse((await page.getByRole('region', { name: 'JSON of Custom action' }).textContent()) ?? '')).toEqual(data);
    await page.getByRole('button', { name: 'Copy: the result as JSON' }).waitFor();
    for (const odd of [null, 'text', 5, [], [1], {}]) {
      await show('custom.action', odd);
      expect(await page.locator('.view').count()).toBe(1);
    }
    // A part of a shape must not break the page.
    await show('custom.action', { accounts: [{ balances: {} }] });
    await show('custom.action', { sums: [{ amount: 1 }], totals: [{}], from: 1 });
    expect(await axeViolations(page)).toEqual([]);
    expect(pages.problems).toEqual([]);
  });
});
