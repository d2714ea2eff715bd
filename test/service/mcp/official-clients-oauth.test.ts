import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { revoke, usedEarlier } from '../../support/scenes/oauth-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { consenting, OAuthApp } from '../../support/users/oauth-app.ts';
import { type Browse, LINES } from '../../support/users/official-clients.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const REDIRECT = 'http://127.0.0.1:38123/callback';
const DOCUMENT = 'https://app.example.com/client.json';
const SENDING = { to: ['ana@example.com'], subject: 'Lunch', body: 'At one?' };

let steward: TestSteward;
let person: Person;
/** Addresses of documents that were fetched. */
const fetched: string[] = [];

beforeAll(async () => {
  steward = await startSteward(
    { LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: '1000' },
    {
      fetchDocument: async (url) => {
        fetched.push(url.href);
        return Response.json({ client_id: DOCUMENT, ...new OAuthApp({ redirectUrl: REDIRECT }).clientMetadata });
      },
    },
  );
});
afterAll(() => steward.stop());
beforeEach(async () => {
  person = await newPerson(steward);
});

const signedIn = (access?: 'read' | 'write'): Browse => {
  return async (page) => consenting(await sessionOf(steward, person.token), access)(page);
};
const register = () => new OAuthApp({ redirectUrl: REDIRECT });
const publish = () => new OAuthApp({ redirectUrl: REDIRECT, document: DOCUMENT });
const names = (tools: any[]) => tools.map(({ name }) => name);

async function userId(): Promise<string> {
  const [row] = await steward.sql<{ id: string }>('select user_id as id from workspace_accounts where email = $1', [person.email]);
  return row?.id ?? '';
}

/** As if an hour had passed. */
async function expireAccess(): Promise<void> {
  const expired = `update oauth_entries set expires_at = now() where model = 'AccessToken' and user_id = $1 and expires_at > now() returning 1`;
  expect(await steward.sql(expired, [await userId()])).toHaveLength(1);
}

describe.each(LINES)('the official client ($name)', (line) => {
  it.each([
    ['registers itself', register],
    ['is known by its published document', publish],
  ])('%s, signs the user in, and calls', async (_how, make) => {
    const app = make();
    const client = await line.signIn(steward.url, app, signedIn());
    expect(client.revision).toBe(line.revision);
    expect(names(await client.tools())).toContain('mail_search');
    expect((await client.call('mail_search')).structuredContent.meta.account).toBe(person.email);
    expect(await client.call('mail_send', SENDING)).toMatchObject({ structuredContent: { error: { code: 'approval_required' } } });
    if (make === publish) {
      expect(app.information).toMatchObject({ client_id: DOCUMENT });
      expect(fetched).toContain(DOCUMENT);
    } else expect(app.information).toMatchObject({ client_id: expect.not.stringContaining('https:') });
    await client.close();
  });

  it('is shown what the user permitted, and no more', async () => {
    const client = await line.signIn(steward.url, register(), signedIn('read'));
    expect(names(await client.tools())).not.toContain('mail_send');
    expect(await client.call('mail_send', SENDING)).toMatchObject({ isError: true, structuredContent: { error: { code: 'forbidden' } } });
    await client.close();
  });

  it('refreshes an expired token without the user, and gets new tokens each time', async () => {
    const app = register();
    const client = await line.signIn(steward.url, app, signedIn());
    for (let times = 1; times <= 2; times++) {
      await expireAccess();
      expect(await client.call('mail_search')).not.toMatchObject({ isError: true });
      expect(app.issued).toHaveLength(1 + times);
    }
    const tokens = app.issued.flatMap(({ access_token: access, refresh_token: refresh }) => [access, refresh]);
    expect(new Set(tokens).size).toBe(6);
    await client.close();
  });

  it('loses its access when a refresh token is used again after ten seconds', async () => {
    const app = register();
    const client = await line.signIn(steward.url, app, signedIn());
    await expireAccess();
    await client.call('mail_search');
    const [first, second] = app.issued;
    // As a thief does, and an app that was restored from a backup.
    await usedEarlier(steward.sql, first!.refresh_token!);
    app.restore(first!);
    await expect(client.call('mail_search')).rejects.toThrow(/authoriz/i);
    expect(app.issued).toHaveLength(2);
    app.restore(second!);
    await expect(line.connect(steward.url, { authProvider: app })).rejects.toThrow(/authoriz/i);
    await client.close();
  });

  it('is refused with the next request once it has revoked its refresh token', async () => {
    const app = register();
    const client = await line.signIn(steward.url, app, signedIn());
    const { status } = await revoke(steward, { client_id: app.information!.client_id }, app.issued[0]!.refresh_token!);
    expect(status).toBe(200);
    await expect(client.call('mail_search')).rejects.toThrow(/authoriz/i);
    await client.close();
  });

  it('is refused with the next request once the user has disconnected it', async () => {
    const app = register();
    const client = await line.signIn(steward.url, app, signedIn());
    const [grant] = await steward.context.clientGrants.list(await userId());
    await steward.context.clientGrants.revoke(await userId(), grant!.id);
    await expect(client.call('mail_search')).rejects.toThrow(/authoriz/i);
    await client.close();
  });
});
