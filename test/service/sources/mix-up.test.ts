import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { outcome } from '../../support/scenes/flows.ts';
import { openSource } from '../../support/scenes/source-flows.ts';
import { SourceAuthorizationServer } from '../../support/servers/source-authorization-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { locationOf } from '../../support/users/sign-in.ts';

const server = new SourceAuthorizationServer();
let steward: TestSteward;

beforeAll(async () => {
  await server.start();
  steward = await startSteward({
    INTEGRATIONS_FILE: ownIntegrations(sourceFile(`{ url: "${server.address}", label: Tickets }`, 'find: { tool: find, effect: read }')),
  });
});
beforeEach(() => server.restart({ path: '', announcesIss: false }));
afterAll(async () => {
  await steward.stop();
  await server.stop();
});

/** A flow whose user is at the authorization server, which does not name itself in its answers. */
async function flow() {
  const { browser, login } = await openSource(steward, { token: await steward.signIn() });
  const url = new URL(locationOf(login));
  return { browser, redirectUri: new URL(url.searchParams.get('redirect_uri') ?? ''), answer: server.authorize(url.href) };
}

it('an answer that comes to the address of another source is not taken, and its code goes nowhere', async () => {
  for (const path of ['', '/notes']) {
    const { browser, redirectUri, answer } = await flow();
    redirectUri.pathname = `/auth/sources/callback${path}`;
    redirectUri.searchParams.set('state', answer.state);
    redirectUri.searchParams.set('code', answer.code);
    const before = server.callsOf('/token').length;
    expect(outcome(await browser.visit(redirectUri.href)), path).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(server.callsOf('/token')).toHaveLength(before);
  }
});

it('an answer that comes to its own address is', async () => {
  const { browser, redirectUri, answer } = await flow();
  expect(redirectUri.pathname).toBe('/auth/sources/callback/tickets');
  redirectUri.searchParams.set('state', answer.state);
  redirectUri.searchParams.set('code', answer.code);
  expect(outcome(await browser.visit(redirectUri.href))).toMatchObject({ source: 'tickets', status: 'connected' });
});
