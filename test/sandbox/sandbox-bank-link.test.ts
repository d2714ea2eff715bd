import { describe, expect, test } from 'vitest';
import {
  accounts,
  call,
  control,
  FRONT_END,
  HOUR_MS,
  host,
  link,
  linkRequest,
  PLATYPUS,
  sync,
  useBankSandbox,
} from '../support/emulators/bank-sandbox-host.ts';

useBankSandbox();

describe('GET /sandbox/bank/link', () => {
  const page = (parameters: Record<string, string>) => fetch(`${host.url}/sandbox/bank/link?${new URLSearchParams(parameters)}`);

  /** Posts a form as a browser without script does; a redirect is not followed. */
  const post = (fields: [string, string][]) =>
    fetch(`${host.url}/sandbox/bank/link`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });

  const linkToken = async (request: object = linkRequest) => String((await call('linkTokenCreate', request)).link_token);

  const updateToken = (accessToken: string) => {
    const { products: _products, ...update } = linkRequest;
    return linkToken({ ...update, access_token: accessToken, update: { account_selection_enabled: true } });
  };

  test('rejects an unknown, an expired and a used link token', async () => {
    expect((await page({ link_token: 'link-sandbox-other' })).status).toBe(400);
    expect((await page({})).status).toBe(400);
    const used = await linkToken();
    await post([
      ['link_token', used],
      ['step', 'bank'],
      ['decision', 'cancel'],
    ]);
    expect((await page({ link_token: used })).status).toBe(400);
    const late = await linkToken();
    host.controls.advance(4 * HOUR_MS + 1);
    const rejected = await page({ link_token: late });
    expect(rejected.status).toBe(400);
    expect(await rejected.text()).toContain('unknown, used or expired');
  });

  test('leads without script from the bank to its accounts to a valid public token', async () => {
    const token = await linkToken();
    const first = await page({ link_token: token });
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src data:; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(await first.text()).toContain('Houndstooth Bank');
    const chosen = await post([
      ['link_token', token],
      ['step', 'bank'],
      ['decision', 'continue'],
      ['institution', PLATYPUS],
    ]);
    expect(chosen.status).toBe(303);
    expect(chosen.headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
    const second = await (await fetch(new URL(chosen.headers.get('location') ?? '', host.url))).text();
    expect(second.match(/type="checkbox"[^>]* checked/g)).toHaveLength(3);
    const done = await post([
      ['link_token', token],
      ['step', 'accounts'],
      ['decision', 'continue'],
      ['account', 'checking'],
      ['account', 'envelope'],
    ]);
    const publicToken = /<code>(public-sandbox-[^<]+)<\/code>/.exec(await done.text())?.[1];
    const { access_token: accessToken } = await call('itemPublicTokenExchange', { public_token: publicToken });
    expect((await accounts(String(accessToken))).map(({ mask }) => mask)).toEqual(['0000', null]);
    expect(
      (
        await post([
          ['link_token', token],
          ['step', 'accounts'],
          ['decision', 'continue'],
          ['account', 'checking'],
        ])
      ).status,
    ).toBe(400);
  });

  test('asks again when nothing was selected, and leads back to the banks', async () => {
    const token = await linkToken();
    expect(
      (
        await post([
          ['link_token', token],
          ['step', 'bank'],
          ['decision', 'continue'],
        ])
      ).status,
    ).toBe(400);
    expect(
      (
        await post([
          ['link_token', token],
          ['step', 'accounts'],
          ['decision', 'continue'],
          ['account', 'checking'],
        ])
      ).status,
    ).toBe(400);
    await post([
      ['link_token', token],
      ['step', 'bank'],
      ['decision', 'continue'],
      ['institution', 'ins_109511'],
    ]);
    const none = await post([
      ['link_token', token],
      ['step', 'accounts'],
      ['decision', 'continue'],
      ['account', 'envelope'],
    ]);
    expect(none.status).toBe(400);
    expect(await none.text()).toContain('Choose at least one account.');
    await post([
      ['link_token', token],
      ['step', 'accounts'],
      ['decision', 'back'],
    ]);
    expect(await (await page({ link_token: token })).text()).toContain('First Gingham Credit Union');
  });

  test('sends the outcome only to an opener of an allowed origin', async () => {
    const token = await linkToken();
    for (const origin of [
      'https://evil.example',
      'null',
      'javascript:alert(1)',
      `${FRONT_END}.evil.example`,
      'http://localhost:3000/path',
    ]) {
      expect((await page({ link_token: token, origin })).status, origin).toBe(400);
    }
    const opened = await page({ link_token: token, origin: FRONT_END });
    expect(opened.headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
    await post([
      ['link_token', token],
      ['step', 'bank'],
      ['decision', 'continue'],
      ['institution', PLATYPUS],
    ]);
    const done = await (
      await post([
        ['link_token', token],
        ['step', 'accounts'],
        ['decision', 'continue'],
        ['account', 'saving'],
      ])
    ).text();
    expect(done).toContain(`data-origin="${FRONT_END}"`);
    expect(done).toMatch(/data-public-token="public-sandbox-/);
    expect(done).toContain('src="/sandbox/assets/sandbox-link.js"');
  });

  test('redirects to an allowed address only, with the public token or the rejection', async () => {
    const token = await linkToken();
    for (const uri of [
      'https://evil.example/',
      'javascript:alert(1)',
      '//evil.example',
      `https://app.example@evil.example/`,
      `https://user@app.example/`,
    ]) {
      expect((await page({ link_token: token, redirect_uri: uri })).status, uri).toBe(400);
    }
    const opened = await page({ link_token: token, redirect_uri: `${FRONT_END}/banks?tab=1` });
    expect(opened.headers.get('content-security-policy')).toContain(`form-action 'self';`);
    await post([
      ['link_token', token],
      ['step', 'bank'],
      ['decision', 'continue'],
      ['institution', PLATYPUS],
    ]);
    const done = await post([
      ['link_token', token],
      ['step', 'accounts'],
      ['decision', 'continue'],
      ['account', 'saving'],
    ]);
    const location = new URL(done.headers.get('location') ?? '');
    expect([done.status, await done.text()]).toEqual([303, '']);
    expect(`${location.origin}${location.pathname}`).toBe(`${FRONT_END}/banks`);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      tab: '1',
      outcome: 'linked',
      public_token: expect.stringMatching(/^public-sandbox-/),
    });
    const other = await linkToken();
    await page({ link_token: other, redirect_uri: `${FRONT_END}/` });
    const cancelled = await post([
      ['link_token', other],
      ['step', 'bank'],
      ['decision', 'cancel'],
    ]);
    expect(cancelled.headers.get('location')).toBe(`${FRONT_END}/?outcome=cancelled`);
  });

  test('in update mode repairs the item under the same token and replaces its accounts', async () => {
    const { accessToken } = await link();
    const [checking] = await accounts(accessToken);
    await control('reset-login', { all: true });
    const token = await updateToken(accessToken);
    const shown = await (await page({ link_token: token })).text();
    expect(shown).toContain('First Platypus Bank');
    expect(shown).toContain('Log in again');
    const done = await (
      await post([
        ['link_token', token],
        ['step', 'accounts'],
        ['decision', 'continue'],
        ['account', 'checking'],
      ])
    ).text();
    expect(done).not.toContain('public-sandbox-');
    expect(await accounts(accessToken)).toEqual([checking]);
    expect((await call('itemGet', { access_token: accessToken })).item).toMatchObject({ error: null });
    const again = await updateToken(accessToken);
    await post([
      ['link_token', again],
      ['step', 'accounts'],
      ['decision', 'continue'],
      ['account', 'checking'],
      ['account', 'saving'],
    ]);
    expect((await accounts(accessToken)).map(({ mask }) => mask)).toEqual(['0000', '1111']);
  });

  test('an account added in update mode adds its transactions after the cursor', async () => {
    const { accessToken } = await link();
    const choose = async (...keys: string[]) => {
      const token = await updateToken(accessToken);
      await post([
        ['link_token', token],
        ['step', 'accounts'],
        ['decision', 'continue'],
        ...keys.map((key): [string, string] => ['account', key]),
      ]);
    };
    await choose('saving');
    await sync(accessToken);
    const { next_cursor: cursor } = await sync(accessToken);
    expect((await sync(accessToken, cursor)).added).toEqual([]);
    await choose('saving', 'checking');
    const [checking] = await accounts(accessToken);
    const { added } = await sync(accessToken, cursor);
    expect(added.length).toBeGreaterThan(100);
    expect(new Set(added.map((transaction) => Reflect.get(transaction, 'account_id')))).toEqual(new Set([checking?.account_id]));
  });

  test('rejects update mode for an item that was removed meanwhile', async () => {
    const { accessToken, itemId } = await link();
    const token = await updateToken(accessToken);
    await control('remove-item', { item_id: itemId });
    expect((await page({ link_token: token })).status).toBe(400);
  });

  test('escapes its input', async () => {
    const token = await linkToken({ ...linkRequest, client_name: '"><script>x</script>' });
    const shown = await (await page({ link_token: token })).text();
    expect(shown).not.toContain('<script>x');
    expect(shown).toContain('&lt;script&gt;');
  });
});
