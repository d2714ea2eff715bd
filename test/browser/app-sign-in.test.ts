import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { newName } from '../support/scenes/flows.ts';
import { type LoopbackServer, startLoopbackServer } from '../support/servers/loopback-server.ts';
import { OAuthApp } from '../support/users/oauth-app.ts';
import { type Browse, LINES } from '../support/users/official-clients.ts';

const DOCUMENT = 'https://app.example.com/client.json';

describe.skipIf(chromiumMissing)(`an app that signs its user in${whySkipped}`, () => {
  let callback: LoopbackServer;
  let arrived = (_path: string) => {};
  const scene = pageScene(undefined, { fetchDocument: async () => Response.json({ client_id: DOCUMENT, ...published() }) });

  beforeAll(async () => {
    callback = await startLoopbackServer((request, response) => {
      if (request.url?.startsWith('/callback')) arrived(request.url);
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Back</title>You can close this window.');
    });
  });
  afterAll(() => callback?.close());

  const published = () => new OAuthApp({ redirectUrl: `${callback.url}/callback` }).clientMetadata;

  /** A user who is signed out, and lets the app write. */
  function throughThePages(user: string): Browse {
    return async (address) => {
      const back = Promise.withResolvers<string>();
      arrived = back.resolve;
      const page = await scene.pages.open(address.href, 360);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.getByLabel('Another user').fill(user);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Connect an app?' }).waitFor();
      expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
      await page.getByText('Official asks for access to your accounts.').waitFor();
      await page.getByLabel('Read, and make changes').check();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('You can close this window.').waitFor();
      expect(scene.pages.problems).toEqual([]);
      return new URL(await back.promise, callback.url);
    };
  }

  it.each(
    LINES.flatMap((line) => [
      { line, name: line.name, how: 'registers itself', options: {} },
      { line, name: line.name, how: 'is known by its published document', options: { document: DOCUMENT } },
    ]),
  )('with the official client ($name) $how', async ({ line, options }) => {
    const app = new OAuthApp({ redirectUrl: `${callback.url}/callback`, ...options });
    const client = await line.signIn(scene.steward.url, app, throughThePages(newName()));
    expect((await client.tools()).map(({ name }) => name)).toEqual(['approval_result']);
    await client.close();
  });
});
