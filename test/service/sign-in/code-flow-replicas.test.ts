import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { locationOf } from '../../support/users/sign-in.ts';

describe.skipIf(!hasPostgres)('a sign-in whose callback reaches two replicas', () => {
  let issuer: TestIssuer;
  let database: PostgresDatabase;
  let replicas: [TestSteward, TestSteward];
  beforeAll(async () => {
    [issuer, database] = [await startIssuer(), await createPostgresDatabase()];
    const env = { ...issuer.env, OIDC_CLIENT_ID: 'pages', DATABASE_URL: database.url, PUBLIC_URL: 'http://steward.test:8080' };
    const keys = { MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
    replicas = [await startSteward({ ...env, ...keys }), await startSteward({ ...env, ...keys })];
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await Promise.all([database.drop(), issuer.close()]);
  });

  /** A browser in the middle of a sign-in, and the callback with a code, which the issuer takes once. */
  async function begun() {
    const browser = new FormBrowser(replicas[0].address);
    const parameters = new URL(locationOf(await browser.visit('/sign-in'))).searchParams;
    const codes: (string | null)[] = [];
    const { promise: repeated, resolve: repeat } = Promise.withResolvers<void>();
    issuer.issues(async (form) => {
      codes.push(form.get('code'));
      if (codes.length > 1) {
        repeat();
        return null;
      }
      // The first request is under way until the other one is refused.
      await repeated;
      const id = await issuer.sign('ada', { aud: 'pages', nonce: parameters.get('nonce') });
      return { access_token: 'x', token_type: 'Bearer', id_token: id };
    });
    const callback = (code: string) => `/auth/session/callback?${new URLSearchParams({ code, state: parameters.get('state') ?? '' })}`;
    return { browser, codes, callback };
  }

  it('signs the user in at both, when they get it at the same moment', async () => {
    const { browser, codes, callback } = await begun();
    const tabs = replicas.map(({ address }) => new FormBrowser(address).take(browser));
    const responses = await Promise.all(tabs.map((tab) => tab.visit(callback('c'))));
    expect(responses.map((response) => [response.status, locationOf(response)])).toEqual(Array(2).fill([303, '/approvals']));
    expect(codes).toEqual(['c', 'c']);
    for (const tab of tabs) expect((await tab.visit('/approvals')).text).toContain('ada@example.com');
  });

  it('leads on when one gets it later, and signs in nobody, nor sends the code again', async () => {
    const { browser, codes, callback } = await begun();
    const tabs = replicas.map(({ address }) => new FormBrowser(address).take(browser));
    await Promise.all(tabs.map((tab) => tab.visit(callback('c'))));
    const late = new FormBrowser(replicas[1].address).take(browser);
    const response = await late.visit(callback('c'));
    expect([response.status, locationOf(response)]).toEqual([303, '/approvals']);
    expect([codes.length, late.cookies.has('steward_session')]).toEqual([2, false]);
  });

  it('signs nobody in who has not the user’s code', async () => {
    const { browser, callback } = await begun();
    const [first, other] = replicas.map(({ address }) => new FormBrowser(address).take(browser)) as [FormBrowser, FormBrowser];
    const [mine, guessed] = await Promise.all([first.visit(callback('c')), other.visit(callback('guessed'))]);
    const signedIn = [first, other].filter(({ cookies }) => cookies.has('steward_session'));
    expect([mine.status, guessed.status].toSorted()).toEqual([303, 403]);
    expect(signedIn.length).toBe(1);
  });
});
