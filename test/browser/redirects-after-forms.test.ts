import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../support/browser/browser.ts';
import { ACCESSIBILITY, chromiumMissing, type PageScene, pageScene, whySkipped } from '../support/browser/page.ts';
import { connect, newName } from '../support/scenes/flows.ts';
import { Authorization, newClient } from '../support/scenes/oauth-scene.ts';
import { type LoopbackServer, startLoopbackServer } from '../support/servers/loopback-server.ts';
import { sessionOf } from '../support/users/sign-in.ts';

// Chromium applies a page's form-action to each redirect that follows its form, however many there are.

/** Its callback redirects on: to the address in `on`, or to the same server as another origin. */
let app: LoopbackServer;

beforeAll(async () => {
  app = await startLoopbackServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', app.url);
    if (pathname !== '/callback') {
      response.setHeader('content-type', 'text/html').end('<title>app</title>Arrived');
      return;
    }
    const arrived = new URL(searchParams.get('on') ?? `${app.url.replace('127.0.0.1', 'app.localhost')}/arrived`);
    for (const [name, value] of searchParams) arrived.searchParams.set(name, value);
    response.writeHead(302, { location: arrived.href }).end();
  });
});
afterAll(() => app.close());

/** The address in the address bar, once the app's page is there. */
async function arrival({ pages }: PageScene, page: Page): Promise<URL> {
  await page.getByText('Arrived').waitFor();
  expect(pages.problems.filter((problem) => !problem.includes('favicon'))).toEqual([]);
  return new URL(page.url());
}

/** An authorization of a new client. */
async function authorizing({ steward }: PageScene, redirect: string): Promise<Authorization> {
  const client = await newClient(steward, { redirect_uris: [redirect] });
  return new Authorization(client, new FormBrowser(steward.url), { redirect_uri: redirect });
}

describe.skipIf(chromiumMissing)(`what follows a form may leave the service${whySkipped}`, () => {
  const scene = pageScene(() => ({ LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: '1000' }));

  /** The consent page of a client with this redirect URI, to a user who has just signed in. */
  async function asked(redirect: string): Promise<Page> {
    const page = await scene.pages.open((await authorizing(scene, redirect)).path);
    await page.getByLabel('Another user').fill(newName());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Connect an app?' }).waitFor();
    return page;
  }

  /** The sandbox's consent page for an account, in a browser that is bound to no user. */
  async function connecting(email: string): Promise<Page> {
    const form = { email, redirect_uri: `${app.url}/callback` };
    const { body } = await scene.steward.call('/workspace_access_request', { form, token: await scene.steward.signIn(newName()) });
    const page = await scene.pages.open(body.login_url);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    return page;
  }

  it.each([
    ['Allow', 'code'],
    ['Deny', 'error'],
  ])('%s of the consent page, where the client’s callback redirects to another origin', async (button, parameter) => {
    const page = await asked(`${app.url}/callback`);
    await page.getByRole('button', { name: button }).click();
    const { hostname, searchParams } = await arrival(scene, page);
    expect(hostname).toBe('app.localhost');
    expect([...searchParams.keys()]).toContain(parameter);
  });

  it.each(['com.example.app:/done', 'example-app://done'])(
    'Allow, where the client’s callback redirects to an app: %s',
    async (address) => {
      const page = await asked(`${app.url}/callback?on=${encodeURIComponent(address)}`);
      const request = page.context().waitForEvent('request', (one) => one.url().startsWith(address));
      await page.getByRole('button', { name: 'Allow' }).click();
      expect((await request).url()).toContain('code=');
    },
  );

  it('Allow, where the client is an app', async () => {
    const page = await asked('com.example.app:/callback');
    const request = page.context().waitForEvent('request', (one) => one.url().startsWith('com.example.app:/callback?code='));
    await page.getByRole('button', { name: 'Allow' }).click();
    await request;
    // The app is another program: the browser stays at a page that says how to go on.
    await page.getByRole('link', { name: 'Continue' }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(scene.pages.problems).toEqual([]);
  });

  it.each([
    ['Yes, I started this', 'connected'],
    ['Cancel', 'error'],
  ])('%s of the confirmation page, where the flow’s end redirects to another origin', async (button, status) => {
    const page = await connecting(`${newName()}@example.com`);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Continue only if you started this.').waitFor();
    await page.getByRole('button', { name: button }).click();
    const { hostname, searchParams } = await arrival(scene, page);
    expect([hostname, searchParams.get('status')]).toEqual(['app.localhost', status]);
  });

  it('the decision at the sandbox’s consent page', async () => {
    const page = await connecting(`${newName()}@example.com`);
    await page.getByRole('button', { name: 'Deny' }).click();
    const { hostname, searchParams } = await arrival(scene, page);
    expect([hostname, searchParams.get('code')]).toEqual(['app.localhost', 'access_denied']);
  });
});

describe.skipIf(chromiumMissing)(`a form of an ended session leads to a sign-in of another origin${whySkipped}`, () => {
  const scene = pageScene(() => ({ SIGN_IN_URL: `${app.url}/sign-in` }));

  /** A page of a signed-in user, whose session then ends. */
  async function ended(user: string, path: string): Promise<Page> {
    const { cookies } = await sessionOf(scene.steward, await scene.steward.signIn(user));
    const page = await scene.pages.open('/api-docs');
    await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: scene.steward.url })));
    await page.goto(new URL(path, scene.steward.url).href);
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    await page.context().clearCookies();
    return page;
  }

  it('from the page of an approval', async () => {
    const user = newName();
    const { token } = await connect(scene.steward, { token: await scene.steward.signIn(user), email: `${user}@example.com` });
    const { body } = await scene.steward.call('/agents/mail.send', {
      token,
      body: JSON.stringify({ to: ['zoe@example.org'], subject: 'Lunch', body: 'Friday?' }),
      headers: { 'content-type': 'application/json' },
    });
    const page = await ended(user, body.details.url);
    await page.getByRole('button', { name: 'Approve' }).click();
    const { pathname, searchParams } = await arrival(scene, page);
    expect([pathname, searchParams.get('return_to')]).toEqual(['/sign-in', new URL(body.details.url).pathname]);
  });

  it('from the consent page', async () => {
    const { path } = await authorizing(scene, 'https://app.example.com/callback');
    const page = await ended(newName(), path);
    const consent = new URL(page.url()).pathname;
    await page.getByRole('button', { name: 'Allow' }).click();
    const { pathname, searchParams } = await arrival(scene, page);
    expect([pathname, searchParams.get('return_to')]).toEqual(['/sign-in', consent]);
  });
});
