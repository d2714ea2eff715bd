import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { linkBank, newName } from '../../support/scenes/flows.ts';
import { Authorization, newClient, type OAuthClient, pathOf, REDIRECT, refresh, submitConsent } from '../../support/scenes/oauth-scene.ts';
import type { TestSteward } from '../../support/steward.ts';
import { McpClient } from '../../support/users/mcp-client.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { locationOf, sessionOf } from '../../support/users/sign-in.ts';

let scene: ExecutorScene;
let steward: TestSteward;
let user: ConnectedGrant;
let browser: FormBrowser;
let client: OAuthClient;

beforeAll(async () => {
  scene = await ExecutorScene.start({ LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: '1000' });
  steward = scene.steward;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  user = await scene.connect();
  browser = await sessionOf(steward, user.token);
  client = await newClient(steward);
});

const grants = () => steward.context.clientGrants.list(user.userId);

async function post(consent: string, where: FormBrowser, change: (fields: URLSearchParams) => void = () => {}, headers = {}) {
  const page = await browser.visit(consent);
  const action = { ...page, text: page.text };
  return where.submit(
    action,
    consent,
    (fields) => {
      fields.set('decision', 'allow');
      change(fields);
    },
    headers,
  );
}

describe('the consent page', () => {
  it('says who asks, where the access goes, and offers agents, accounts and durations', async () => {
    const consent = await new Authorization(client, browser).begin();
    const { text, headers } = await browser.visit(consent);
    expect(text).toContain('<q><bdi>Notes</bdi></q> asks for access');
    expect(text).toContain('registered itself');
    expect(text).toContain('<bdi>app.example.com</bdi>');
    expect(text).not.toContain('on this computer');
    expect(text).toMatch(/name="agent" value="test" checked/);
    expect(text).toMatch(/name="access" value="read" checked/);
    expect(text).toContain(`name="account" value="${user.accountId}" checked`);
    expect(text).toContain('name="later" value="true">');
    expect(text).toMatch(/<option value="1">1 day<\/option>/);
    expect(text).toMatch(/<option value="90" selected>90 days/);
    expect(text).not.toContain('<script');
    expect(headers.get('content-security-policy')).toContain("form-action 'self';");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['http://127.0.0.1:7777/cb', '127.0.0.1:7777'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor:'],
    ['com.example.app:/oauth', 'com.example.app:'],
  ])('warns of %s', async (uri, name) => {
    const local = await newClient(steward, { redirect_uris: [uri] });
    const { text, headers } = await browser.visit(await new Authorization(local, browser, { redirect_uri: uri }).begin());
    expect(text).toContain('class="warning"');
    // What is known of the app comes before the warning.
    expect(text.indexOf(`It runs on this computer (<strong><bdi>${name}</bdi></strong>).`)).toBeGreaterThan(0);
    expect(text.indexOf('class="warning"')).toBeGreaterThan(text.indexOf('It runs on this computer'));
    expect(headers.get('content-security-policy')).toContain("form-action 'self';");
  });

  it('shows hidden characters of a name, and escapes it', async () => {
    const odd = await newClient(steward, { client_name: '<b>No\u2061tes\u200b</b>' });
    const { text } = await browser.visit(await new Authorization(odd, browser).begin());
    expect(text).toContain('&lt;b&gt;No<span class="hidden-character">U+2061</span>tes<span class="hidden-character">U+200B</span>');
  });

  it('leads through the sign-in, and back', async () => {
    const signedOut = new FormBrowser(steward.url);
    const consent = await new Authorization(client, signedOut).begin();
    const signIn = await signedOut.visit(consent);
    expect(locationOf(signIn)).toBe(`/sign-in?return_to=${encodeURIComponent(consent)}`);
    expect((await signedOut.visit(locationOf(signIn))).status).toBe(303);
    signedOut.take(browser);
    expect((await signedOut.visit(consent)).status).toBe(200);
  });

  it('answers neither HEAD nor prefetch, and nothing without the cookie of the authorization', async () => {
    const consent = await new Authorization(client, browser).begin();
    expect((await browser.visit(consent, { method: 'HEAD' })).status).toBe(405);
    expect((await browser.visit(consent, { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(405);
    const other = await sessionOf(steward, user.token);
    expect((await other.visit(consent)).status).toBe(403);
    expect((await other.visit(`/oauth/consent/${'x'.repeat(43)}`)).status).toBe(403);
    expect((await other.visit('/oauth/consent/x')).status).toBe(404);
    expect((await browser.visit(consent)).status).toBe(200);
  });
});

describe('a consent', () => {
  it('permits what was chosen', async () => {
    const authorization = new Authorization(client, browser);
    const code = await authorization.code((fields) => {
      fields.delete('agent');
      fields.append('agent', 'test');
      fields.append('agent', 'mail');
      fields.set('access', 'write');
      fields.set('days', '30');
    });
    const [grant] = await grants();
    expect(grant).toMatchObject({
      actions: ['test.*', 'mail.*'],
      access: 'write',
      accountIds: [user.accountId],
      name: 'Notes',
      kind: 'oauth',
    });
    expect(Math.round(((grant?.expiresAt.getTime() ?? 0) - (grant?.createdAt.getTime() ?? 0)) / 86_400_000)).toBe(30);
    expect((await authorization.exchange(steward, code)).body).toMatchObject({ scope: 'read write' });
    expect((await scene.trail(user)).at(-1)).toBe('client_connected ok');
  });

  it('permits no changes to a client that asked to read only', async () => {
    const authorization = new Authorization(client, browser, { scope: 'read offline_access' });
    const consent = await authorization.begin();
    expect((await browser.visit(consent)).text).not.toContain('value="write"');
    const back = await authorization.decide(consent, (fields) => fields.set('access', 'write'));
    expect((await grants())[0]).toMatchObject({ access: 'read' });
    const { body } = await authorization.exchange(steward, back.searchParams.get('code') as string);
    expect(body).toMatchObject({ scope: 'read', refresh_token: expect.any(String) });
  });

  it.each([
    ['no agent', (fields: URLSearchParams) => fields.delete('agent'), 400],
    ['an unknown agent', (fields: URLSearchParams) => fields.set('agent', 'nothing'), 400],
    ['no account', (fields: URLSearchParams) => fields.delete('account'), 400],
    ['another’s account', (fields: URLSearchParams) => fields.set('account', crypto.randomUUID()), 400],
    [
      'another’s account beside later ones',
      (fields: URLSearchParams) => [fields.set('later', 'true'), fields.set('account', crypto.randomUUID())],
      400,
    ],
    ['later ones said otherwise', (fields: URLSearchParams) => fields.set('later', 'all'), 400],
    ['the field of all accounts', (fields: URLSearchParams) => fields.set('accounts', 'all'), 400],
    ['another duration', (fields: URLSearchParams) => fields.set('days', '3650'), 400],
    ['no decision', (fields: URLSearchParams) => fields.delete('decision'), 400],
    ['an unknown field', (fields: URLSearchParams) => fields.set('actions', '*'), 400],
    ['no token', (fields: URLSearchParams) => fields.delete('csrf'), 403],
    ['another token', (fields: URLSearchParams) => fields.set('csrf', 'x'.repeat(43)), 403],
  ])('with %s is not given', async (_what, change: (fields: URLSearchParams) => unknown, status) => {
    const consent = await new Authorization(client, browser).begin();
    expect((await post(consent, browser, (fields) => void change(fields))).status).toBe(status);
    expect(await grants()).toEqual([]);
    expect((await browser.visit(consent)).status).toBe(200);
  });

  it('denied tells the client so', async () => {
    const authorization = new Authorization(client, browser);
    const back = await authorization.decide(await authorization.begin(), () => {}, 'deny');
    expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: authorization.state, iss: steward.url });
    expect(await grants()).toEqual([]);
  });

  it('given twice, also at the same moment, makes one grant and leads on', async () => {
    const authorization = new Authorization(client, browser);
    const consent = await authorization.begin();
    const page = await browser.visit(consent);
    const answers = await Promise.all([1, 2, 3].map(() => submitConsent(browser, page, consent)));
    expect(new Set(answers.map(locationOf)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await grants()).length).toBe(1);
    expect((await browser.visit(consent)).text).toContain('You have decided this already');
    const back = await browser.visit(pathOf(locationOf(answers[0] as never)));
    expect(new URL(locationOf(back)).searchParams.get('code')).not.toBeNull();
    expect((await grants()).length).toBe(1);
  });

  it('is answered once more until the app has its answer: pressed twice, loaded again, or lost on the way', async () => {
    const authorization = new Authorization(client, browser);
    const consent = await authorization.begin();
    const page = await browser.visit(consent);
    const resume = pathOf(locationOf(await submitConsent(browser, page, consent)));
    const answers = await Promise.all([1, 2, 3].map(() => browser.visit(resume)));
    const address = locationOf(answers[0] as never);
    const code = new URL(address).searchParams.get('code') as string;
    expect(answers.map((answer) => [answer.status, locationOf(answer)])).toEqual(Array(3).fill([303, address]));
    for (const decision of ['allow', 'deny']) {
      const again = await submitConsent(browser, page, consent, (fields) => fields.set('decision', decision));
      expect([again.status, pathOf(locationOf(again))], decision).toEqual([200, resume]);
      expect(locationOf(await browser.visit(resume)), decision).toBe(address);
    }
    const decided = await browser.visit(consent);
    expect(decided.text).toContain('You have decided this already');
    expect(decided.text).toContain(`href="${steward.url}${resume}"`);
    const { status, body } = await authorization.exchange(steward, code);
    expect(status).toBe(200);
    // Sent once more, the code would look stolen, and the app would lose its access.
    expect((await browser.visit(resume)).status).toBe(403);
    const late = await submitConsent(browser, page, consent);
    expect([late.status, locationOf(late)]).toEqual([200, '']);
    expect(late.text).toContain('You have decided this already');
    expect((await browser.visit(consent)).text).not.toContain(resume);
    expect((await grants()).length).toBe(1);
    expect((await refresh(steward, client, body.refresh_token)).status).toBe(200);
  });

  it('is answered again to no other browser and no other user, and for a minute', async () => {
    const authorization = new Authorization(client, browser);
    const consent = await authorization.begin();
    const resume = pathOf(locationOf(await submitConsent(browser, await browser.visit(consent), consent)));
    expect((await browser.visit(resume)).status).toBe(303);
    const other = await scene.connect();
    const signedOut = new FormBrowser(steward.url).take(browser);
    signedOut.cookies.delete('steward_session');
    const takers = [
      await sessionOf(steward, user.token),
      new FormBrowser(steward.url).take(browser).take(await sessionOf(steward, other.token)),
      signedOut,
    ];
    for (const taker of takers) {
      const refused = await taker.visit(resume);
      expect([refused.status, refused.headers.get('location')]).toEqual([403, null]);
    }
    await steward.sql(`update oauth_entries set expires_at = expires_at - interval '1 minute' where model = 'Answer'`);
    expect((await browser.visit(resume)).status).toBe(403);
    expect((await browser.visit(consent)).status).toBe(403);
  });

  it('denied is answered once more, too, and allows nothing later', async () => {
    const authorization = new Authorization(client, browser);
    const consent = await authorization.begin();
    const page = await browser.visit(consent);
    const deny = (fields: URLSearchParams) => fields.set('decision', 'deny');
    const resume = pathOf(locationOf(await submitConsent(browser, page, consent, deny)));
    const address = locationOf(await browser.visit(resume));
    expect(new URL(address).searchParams.get('error')).toBe('access_denied');
    expect(pathOf(locationOf(await submitConsent(browser, page, consent)))).toBe(resume);
    expect(locationOf(await browser.visit(resume))).toBe(address);
    expect(await grants()).toEqual([]);
  });

  it.each(['allow', 'deny'])('is answered once more to an app whose address has a code of its own: %s', async (decision) => {
    const uri = `${REDIRECT}?code=own&iss=own`;
    const own = await newClient(steward, { redirect_uris: [uri] });
    const consent = await new Authorization(own, browser, { redirect_uri: uri }).begin();
    const page = await browser.visit(consent);
    const resume = pathOf(locationOf(await submitConsent(browser, page, consent, (fields) => fields.set('decision', decision))));
    const address = locationOf(await browser.visit(resume));
    expect(new URL(address).searchParams.get('code') === 'own').toBe(decision === 'deny');
    expect(locationOf(await browser.visit(resume))).toBe(address);
    expect((await browser.visit(consent)).text).toContain(`href="${steward.url}${resume}"`);
  });

  it('that has ended before the app has its code tells the app so, once more too, whatever its address has of its own', async () => {
    const uri = `${REDIRECT}?code=own`;
    const own = await newClient(steward, { redirect_uris: [uri] });
    const consent = await new Authorization(own, browser, { redirect_uri: uri }).begin();
    const resume = pathOf(locationOf(await submitConsent(browser, await browser.visit(consent), consent)));
    const [given] = await grants();
    expect((await steward.call(`/clients/${given?.id}`, { method: 'DELETE', token: user.token })).status).toBe(200);
    const address = locationOf(await browser.visit(resume));
    expect(new URL(address).searchParams.get('error')).toBe('access_denied');
    expect(locationOf(await browser.visit(resume))).toBe(address);
    expect((await browser.visit(consent)).text).toContain(`href="${steward.url}${resume}"`);
  });

  it.each(['allow', 'deny'])('is not asked for again once the user has decided to %s, whatever is ticked then', async (decision) => {
    const consent = await new Authorization(client, browser).begin();
    const page = await browser.visit(consent);
    const resume = locationOf(await submitConsent(browser, page, consent, (fields) => fields.set('decision', decision)));
    for (const name of ['agent', 'account']) {
      const again = await submitConsent(browser, page, consent, (fields) => {
        fields.set('decision', 'allow');
        fields.delete(name);
      });
      expect([again.status, locationOf(again)], name).toEqual([200, resume]);
    }
    expect(await grants()).toHaveLength(decision === 'allow' ? 1 : 0);
  });

  it('denied after it was given changes nothing', async () => {
    const consent = await new Authorization(client, browser).begin();
    const page = await browser.visit(consent);
    const send = (decision: string) => browser.submit(page, consent, (fields) => fields.set('decision', decision));
    const first = await send('allow');
    const second = await send('deny');
    expect(locationOf(second)).toBe(locationOf(first));
    expect(new URL(locationOf(await browser.visit(pathOf(locationOf(second))))).searchParams.get('code')).not.toBeNull();
  });

  it('is not taken from another user’s session, another browser, or another site', async () => {
    const consent = await new Authorization(client, browser).begin();
    // The same browser, in which another user has signed in meanwhile.
    const other = await scene.connect();
    const page = await browser.visit(consent);
    const shared = new FormBrowser(steward.url).take(browser).take(await sessionOf(steward, other.token));
    const allow = (fields: URLSearchParams) => fields.set('decision', 'allow');
    expect((await shared.submit(page, consent, allow)).status).toBe(403);
    // Another browser of the same user.
    expect((await (await sessionOf(steward, user.token)).submit(page, consent, allow)).status).toBe(403);
    const foreign = { origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' };
    expect((await browser.submit(page, consent, allow, foreign)).status).toBe(403);
    // By an ID token instead of a session.
    const { cookies } = browser;
    const cookie = [...cookies]
      .filter(([name]) => name.startsWith('steward_oauth'))
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    const form = { decision: 'allow', agent: 'test', later: 'true' };
    expect((await steward.call(consent, { form, token: user.token, headers: { cookie } })).status).toBe(403);
    expect(await grants()).toEqual([]);
    expect(await steward.context.clientGrants.list(other.userId)).toEqual([]);
  });

  it('is asked for again where its form is of an earlier session of the user, as in another tab', async () => {
    const authorization = new Authorization(client, browser);
    const consent = await authorization.begin();
    const earlier = await browser.visit(consent);
    browser.take(await sessionOf(steward, user.token));
    for (const decision of ['allow', 'deny']) {
      const refused = await submitConsent(browser, earlier, consent, (fields) => fields.set('decision', decision));
      expect([refused.status, locationOf(refused)], decision).toEqual([403, consent]);
    }
    expect(await grants()).toEqual([]);
    const asked = await browser.visit(consent);
    expect(asked.text).toContain('asks for access');
    expect((await submitConsent(browser, asked, consent)).status).toBe(200);
    expect(await grants()).toHaveLength(1);
  });

  it('is asked for each time, and belongs to who gives it', async () => {
    await new Authorization(client, browser).code();
    const other = await scene.connect();
    const shared = new FormBrowser(steward.url).take(browser).take(await sessionOf(steward, other.token));
    const authorization = new Authorization(client, shared);
    const consent = await authorization.begin();
    expect(consent).toMatch(/^\/oauth\/consent\//);
    const code = (await authorization.decide(consent)).searchParams.get('code') as string;
    const { body } = await authorization.exchange(steward, code);
    expect(await steward.context.authenticateClient(body.access_token)).toMatchObject({ userId: other.userId });
    await new Authorization(client, browser).code();
    expect(await steward.sql(`select 1 from oauth_entries where model = 'Session'`)).toEqual([]);
    // Each installation has a grant of its own.
    expect((await grants()).filter(({ revokedAt }) => revokedAt === null).length).toBe(2);
  });

  it('of a request that another browser began gives that browser nothing', async () => {
    const stranger = new FormBrowser(steward.url);
    const victim = new FormBrowser(steward.url).take(browser);
    const authorization = new Authorization(client, stranger);
    const consent = await authorization.begin();
    // A neighbouring host or port can place cookies.
    for (const [name, value] of stranger.cookies) victim.cookies.set(name, value);
    const page = await victim.visit(consent);
    const decided = await submitConsent(victim, page, consent);
    expect(decided.status).toBe(200);
    const other = await scene.connect();
    const path = pathOf(locationOf(decided));
    const [, uid = ''] = /^\/oauth\/authorize\/([\w-]{43})$/.exec(path) ?? [];
    const encoded = `%${uid.charCodeAt(0).toString(16)}${uid.slice(1)}`;
    for (const taker of [stranger, new FormBrowser(steward.url).take(stranger).take(await sessionOf(steward, other.token))]) {
      // The library looks at the cookie only, and not at the path.
      for (const last of [uid, encoded, 'anything', 'x'.repeat(43)]) {
        const refused = await taker.visit(`/oauth/authorize/${last}`);
        expect(refused.status, last).toBe(403);
        expect(refused.headers.get('location'), last).toBeNull();
      }
    }
    const back = await victim.visit(path);
    expect(new URL(locationOf(back)).searchParams.get('code')).toBeTruthy();
  });

  it('that was not given leads nobody on, and can still be given', async () => {
    const authorization = new Authorization(client, browser);
    const consent = await authorization.begin();
    expect((await browser.visit(consent.replace('/consent/', '/authorize/'))).status).toBe(403);
    expect((await authorization.decide(consent)).searchParams.get('code')).toBeTruthy();
  });

  it('permits later accounts, and of those of today the ticked ones only', async () => {
    const second = await scene.connect({ token: user.token, email: 'second@example.com' });
    const ticked = async (...ids: string[]) => {
      const authorization = new Authorization(client, browser);
      await authorization.decide(await authorization.begin(), (fields) => {
        fields.delete('account');
        for (const id of ids) fields.append('account', id);
        fields.set('later', 'true');
      });
      const { accountIds, exceptAccountIds } = (await grants())[0] ?? {};
      return { accountIds, exceptAccountIds };
    };
    expect(await ticked(user.accountId, second.accountId)).toEqual({ accountIds: null, exceptAccountIds: [] });
    expect(await ticked(user.accountId)).toEqual({ accountIds: null, exceptAccountIds: [second.accountId] });
    const { body } = await steward.call('/clients', { token: user.token });
    expect(body.clients[0]).toMatchObject({ accounts: null, except_accounts: [second.accountId] });
  });

  it('to read, or to use some actions only, is what the app is told when it calls others', async () => {
    const refusalOf = async (change: (fields: URLSearchParams) => void) => {
      const authorization = new Authorization(client, browser);
      const { body } = await authorization.exchange(steward, await authorization.code(change));
      const { message } = await new McpClient(steward, body.access_token).call('test_send', { to: ['ana@example.com'] });
      return message.result.structuredContent.error;
    };
    const readOnly = await refusalOf((fields) => fields.set('access', 'read'));
    expect([readOnly.code, readOnly.message]).toEqual(['forbidden', expect.stringMatching(/^This app may only read,/)]);
    const others = await refusalOf((fields) => {
      fields.set('access', 'write');
      fields.set('agent', 'mail');
    });
    expect([others.code, others.message]).toEqual(['forbidden', expect.stringMatching(/^This app may not use this action\./)]);
  });

  it('keeps the app from an account that was left out, the default one too, and from no later one', async () => {
    const second = await scene.connect({ token: user.token, email: 'second@example.com' });
    const authorization = new Authorization(client, browser);
    const code = await authorization.code((fields) => {
      fields.set('account', second.accountId);
      fields.set('later', 'true');
    });
    const app = new McpClient(steward, (await authorization.exchange(steward, code)).body.access_token);
    const read = async (input: object) => (await app.call('test_read', input)).message.result.structuredContent;
    expect((await read({})).meta.account).toBe('second@example.com');
    for (const account of [user.accountId, user.email]) {
      const { error } = await read({ account });
      expect(error.code).toBe('invalid_request');
      expect(JSON.stringify(error)).not.toContain(user.email);
    }
    await scene.connect({ token: user.token, email: 'third@example.com' });
    expect((await read({ account: 'third@example.com' })).meta.account).toBe('third@example.com');
  });

  it('ticks nothing of a bank by itself, neither its accounts nor its actions', async () => {
    const banking = await steward.signIn(newName());
    expect((await linkBank(steward, banking)).status).toBe(200);
    const own = await sessionOf(steward, banking);
    const consent = await new Authorization(client, own).begin();
    const { text } = await own.visit(consent);
    expect(text).toMatch(/name="account" value="[\w-]{36}"> <span><bdi>[^<]+<\/bdi> <span class="muted">bank</);
    expect(text).toMatch(/name="agent" value="bank">/);
    expect(text).toMatch(/name="agent" value="mail" checked>/);
    expect(text).toContain('name="later" value="true">');
  });

  it('offers later accounts to who has none yet', async () => {
    const own = await sessionOf(steward, await steward.signIn(newName()));
    const authorization = new Authorization(client, own);
    const consent = await authorization.begin();
    expect((await own.visit(consent)).text).toContain('name="later" value="true" checked>');
    expect((await authorization.decide(consent)).searchParams.get('code')).toBeTruthy();
  });

  it('keeps what was chosen when something is missing', async () => {
    const consent = await new Authorization(client, browser).begin();
    const answer = await post(
      consent,
      browser,
      (fields) => {
        for (const name of ['agent', 'account', 'access', 'days']) fields.delete(name);
        fields.append('agent', 'mail');
        fields.append('access', 'write');
        fields.append('days', '30');
      },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
    );
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Tick at least one account');
    expect(answer.text).toMatch(/name="agent" value="mail" checked/);
    expect(answer.text).not.toMatch(/name="agent" value="bank" checked/);
    expect(answer.text).not.toMatch(/name="account" value="[\w-]+" checked/);
    expect(answer.text).toMatch(/name="access" value="write" checked/);
    expect(answer.text).toMatch(/<option value="30" selected>/);
    expect(await grants()).toEqual([]);
  });
});

describe('the fields of a consent', () => {
  it('are boxes for agents and accounts, of which several can be ticked, and one choice for what', async () => {
    const { text } = await browser.visit(await new Authorization(client, browser).begin());
    const types = [...text.matchAll(/<input type="(checkbox|radio)" name="([a-z]+)"/g)].map(([, type, name]) => `${name} ${type}`);
    expect([...new Set(types)].sort()).toEqual(['access radio', 'account checkbox', 'agent checkbox', 'later checkbox']);
  });
});
