import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';

const METADATA = 'https://assistant.example.com/oauth/metadata.json';

describe.skipIf(chromiumMissing)(`clients on the page${whySkipped}`, () => {
  const scene = pageScene();

  async function connectApp(user: string, more: { name?: string; oauthClientId?: string; redirectHost?: string } = {}): Promise<void> {
    const { userId } = await scene.steward.context.sessions.authenticate(await scene.steward.signIn(user));
    await scene.steward.context.clientGrants.create({
      userId,
      kind: 'oauth',
      name: 'Assistant',
      tokenHash: randomBytes(32),
      lastFour: null,
      oauthClientId: METADATA,
      redirectHost: 'assistant.example.com',
      actions: ['mail.*', 'calendar.list', 'calendar.free'],
      access: 'write',
      accountIds: null,
      exceptAccountIds: [],
      days: 90,
      ...more,
    });
  }

  it('appear when they connect, say what they may do, and are disconnected with the keyboard', async () => {
    const page = await scene.pages.openAs('owner', 'Connected apps');
    const card = page.locator('#connected');
    await page.locator('#socket').getByText('connected').waitFor();
    await connectApp('owner');
    await card
      .getByText(/^May read and change Mail and Calendar \(List events, Find free time\) on all accounts, until \w+, \d+ \w+ \d{4}\.$/)
      .waitFor();
    await card.getByText('From assistant.example.com. Not used yet.').waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await card.getByRole('button', { name: 'Disconnect: Assistant' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('“Assistant” is disconnected.').waitFor();
    await page.locator('#connected-title:focus').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Menu' }).click();
    await scene.pages.show(page, 'Activity');
    await page.locator('#feed').getByText('You disconnected the app “Assistant” (assistant.example.com)').waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it.each([
    ['ends its quotation', 'Notes” is disconnected. “You', "Notes' is disconnected. 'You"],
    ['imitates a decision', 'Your bank — already approved', 'Your bank — already approved'],
    ['turns its letters', '\u202eknab ruoY', '[U+202E]knab ruoY'],
    ['is written from right to left', 'البنك', '\u2068البنك\u2069'],
    ['is long, without a blank', 'x'.repeat(200), 'x'.repeat(200)],
    ['is that of an app that is gone', 'A disconnected app', 'A disconnected app'],
  ])('are named in quotation marks with their host, where the name %s', async (_what, name, shown) => {
    const page = await scene.pages.openConnected('imitated', 'Connected apps');
    await connectApp('imitated', { name, oauthClientId: 'abc', redirectHost: 'evil.example' });
    const entry = page.locator('#connected .entry').filter({ hasText: 'It received access at evil.example.' });
    await entry.getByRole('button', { name: 'Disconnect' }).click();
    await page
      .getByRole('dialog', { name: `Disconnect “${shown}”?`, exact: true })
      .getByRole('button', { name: 'Disconnect' })
      .click();
    await page.getByText(`“${shown}” is disconnected.`, { exact: true }).waitFor();
    await scene.pages.show(page, 'Activity');
    await page.locator('#feed').getByText(`You disconnected the app “${shown}” (evil.example)`, { exact: true }).first().waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
  });

  it.each([
    [
      { oauthClientId: 'abc', redirectHost: 'evil.example' },
      'It registered itself, and its name is not verified. It received access at evil.example.',
    ],
    [{ redirectHost: '127.0.0.1' }, 'A program on the device where you signed in, as assistant.example.com.'],
    [{ oauthClientId: 'abc', redirectHost: 'localhost' }, 'A program on the device where you signed in.'],
    [{ redirectHost: 'other.example' }, 'From assistant.example.com. It received access at other.example.'],
  ])('say who they are as far as that is known: %j', async (more, text) => {
    const user = `origin-${randomBytes(4).toString('hex')}`;
    await connectApp(user, more);
    const page = await scene.pages.openAs(user, 'Connected apps');
    await page.locator('#connected').getByText(text).waitFor();
  });

  it('cannot hide what they are called, or write markup', async () => {
    await connectApp('careful', { name: '<b>Bank</b>\u202egnp.exe\u200b' });
    const page = await scene.pages.openAs('careful', 'Connected apps');
    await page.getByRole('heading', { name: '<b>Bank</b>[U+202E]gnp.exe[U+200B]' }).waitFor();
  });

  it('have lines to paste, with a token that is made for it and shown once', async () => {
    const page = await scene.pages.openAs('connector', 'Connected apps');
    const card = page.locator('#connect-client');
    const client = card.getByLabel('App', { exact: true });
    expect(await card.locator('#client-address pre').textContent()).toBe(`${scene.steward.url}/mcp`);
    for (const name of await client.locator('option').allTextContents()) {
      await client.selectOption(name);
      for (const list of ['#client-sign-in', '#client-with-token']) expect(await card.locator(list).textContent()).not.toBe('');
      expect(await card.locator('#client-sign-in').textContent()).toContain(`${scene.steward.url}/mcp`);
      expect(await card.locator('#client-with-token').textContent()).toContain('stw_pat_…');
      expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    }
    await client.selectOption('Codex');
    await card.getByLabel('Access').selectOption('Read and write');
    await card.getByRole('button', { name: 'Make a token for it' }).click();
    await card.getByText('The token “Codex” is in the lines below. Copy it now; it won’t be shown again.').waitFor();
    const [token = ''] = String(await card.locator('#client-with-token').textContent()).match(/stw_pat_[0-9A-Za-z]{36}/) ?? [];
    const idToken = await scene.steward.signIn('connector');
    expect((await scene.steward.call('/clients', { token: idToken })).body.clients).toMatchObject([
      { name: 'Codex', access: 'write', actions: ['*'], accounts: null, last_four: token.slice(-4) },
    ]);
    await page.locator('#connected').getByText('May read and change everything on all accounts').waitFor();
    await client.selectOption('Cursor');
    expect(await page.content()).not.toContain(token);
    expect(scene.pages.problems).toEqual([]);
  });

  it('have lines that can be copied', async () => {
    const page = await scene.pages.openAs('copier', 'Connected apps');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const card = page.locator('#connect-client');
    await card.getByRole('button', { name: 'Copy: Claude Code with a token' }).click();
    await card.getByText('Copied').waitFor();
    const line = `claude mcp add --transport http --scope user steward ${scene.steward.url}/mcp --header "Authorization: Bearer stw_pat_…"`;
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(line);
  });

  it('have a token that is forgotten at the sign-out, and made only after a recent sign-in', async () => {
    const page = await scene.pages.openAs('forgetter', 'Connected apps');
    const card = page.locator('#connect-client');
    await card.getByRole('button', { name: 'Make a token for it' }).click();
    await card.getByText('it won’t be shown again.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    expect(await page.content()).not.toMatch(/stw_pat_[0-9A-Za-z]/);
    await scene.steward.control('clock', { advance_ms: -6 * 60_000 });
    await scene.pages.signIn(page, 'forgetter');
    await scene.steward.control('clock', { advance_ms: 6 * 60_000 });
    await card.getByRole('button', { name: 'Make a token for it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in again as forgetter' }).click();
    await card.getByText('it won’t be shown again.').waitFor();
  });
});
