import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../support/browser/browser.ts';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { newName } from '../support/scenes/flows.ts';
import { Authorization, newClient } from '../support/scenes/oauth-scene.ts';
import { type LoopbackServer, startLoopbackServer } from '../support/servers/loopback-server.ts';

describe.skipIf(chromiumMissing)(`the consent page${whySkipped}`, () => {
  const scene = pageScene(() => ({ LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: '1000' }));
  let app: LoopbackServer;

  beforeAll(async () => {
    app = await startLoopbackServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<title>app</title>Connected'),
    );
  });
  afterAll(() => app?.close());

  /** A client's authorization, opened in a browser that is signed out. */
  async function open(width?: number) {
    const user = newName();
    const redirect = `${app.url}/callback`;
    const client = await newClient(scene.steward, { redirect_uris: [redirect] });
    const authorization = new Authorization(client, new FormBrowser(scene.steward.url), { redirect_uri: redirect });
    const page = await scene.pages.open(authorization.path, width);
    await page.getByLabel('Another user').fill(user);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Connect an app?' }).waitFor();
    return { page, authorization };
  }

  it('leads from the client through the sign-in and back to the client', async () => {
    const { page, authorization } = await open(360);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByLabel('Read, and make changes').check();
    await page.getByLabel('For how long').selectOption('30');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Connected').waitFor();
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toMatchObject({ state: authorization.state, iss: scene.steward.url });
    const { body } = await authorization.exchange(scene.steward, searchParams.get('code') as string);
    expect(body).toMatchObject({ scope: 'read write' });
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('steward_oauth_session');
    expect(scene.pages.problems.filter((problem) => !problem.includes('favicon'))).toEqual([]);
  });

  it('connects the app when Allow is pressed twice', async () => {
    const { page, authorization } = await open();
    await page.getByRole('button', { name: 'Allow' }).dblclick();
    await page.getByText('Connected').waitFor();
    const code = new URL(page.url()).searchParams.get('code') as string;
    expect((await authorization.exchange(scene.steward, code)).status).toBe(200);
  });

  it('is reached in each of several tabs in which the user signs in at the same moment', async () => {
    const redirect = `${app.url}/callback`;
    const client = await newClient(scene.steward, { redirect_uris: [redirect] });
    const opened = () => new Authorization(client, new FormBrowser(scene.steward.url), { redirect_uri: redirect });
    const context = await scene.pages.newContext();
    const user = newName();
    const tabs = await Promise.all([1, 2, 3, 4, 5].map(() => context.newPage()));
    await Promise.all(tabs.map((tab) => tab.goto(scene.steward.url + opened().path)));
    for (const tab of tabs) await tab.getByLabel('Another user').fill(user);
    // Each callback begins a session, which ends that of the tab before.
    for (const tab of tabs) {
      await tab.getByRole('button', { name: 'Sign in' }).click();
      await tab.getByRole('heading', { name: 'Connect an app?' }).waitFor();
    }
    const last = tabs.at(-1);
    await last?.getByRole('button', { name: 'Allow' }).click();
    await last?.getByText('Connected').waitFor();
    // Its form is of a session that has ended: it decides nothing, and the question comes again.
    const [first] = tabs;
    await first?.getByLabel('Read, and make changes').check();
    await first?.getByRole('button', { name: 'Allow' }).click();
    await first?.getByRole('radio', { name: 'Read, and make changes', checked: false }).waitFor();
  });

  it('says what is missing, and tells the client of a denial', async () => {
    const { page } = await open();
    for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('alert').getByText('Tick at least one thing that the app may use').waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Connected').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });
});
