import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPerson } from '../../support/emulators/workspace-content.ts';
import { newName } from '../../support/scenes/flows.ts';
import { authorized, newClient, refresh, refreshCut, usedEarlier } from '../../support/scenes/oauth-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { consenting, OAuthApp } from '../../support/users/oauth-app.ts';
import { LINES } from '../../support/users/official-clients.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const REFUSED = { status: 400, body: { error: 'invalid_grant' } };

let steward: TestSteward;
beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());

const authenticate = (token: string) => steward.context.authenticateClient(token);
const newAuthorization = async () => authorized(steward, await sessionOf(steward, await steward.signIn(newName())));

describe('a refresh token', () => {
  it('used ten times at the same moment gives one response, as clients with several calls under way expect', async () => {
    const { client, tokens } = await newAuthorization();
    const all = await Promise.all(Array.from({ length: 10 }, () => refresh(steward, client, tokens.refresh_token)));
    const [first] = all;
    for (const { status, body } of all) expect({ status, body }).toEqual({ status: 200, body: first?.body });
    await authenticate(first?.body.access_token);
    // Later, it is reuse.
    await usedEarlier(steward.sql, tokens.refresh_token);
    expect(await refresh(steward, client, tokens.refresh_token)).toMatchObject(REFUSED);
    await expect(authenticate(first?.body.access_token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('is one also in a request that has the parameter of a code', async () => {
    const { client, tokens } = await newAuthorization();
    const all = await Promise.all(['', 'x'].map((code) => refresh(steward, client, tokens.refresh_token, { code })));
    for (const { status, body } of all) expect({ status, body }).toEqual({ status: 200, body: all[0]?.body });
    await authenticate(all[0]?.body.access_token);
  });

  it('gives the response again to a client whose connection was cut, encrypted until then, and to no other', async () => {
    const { client, tokens } = await newAuthorization();
    await refreshCut(steward.url, client, tokens.refresh_token);
    const [used] = await steward.sql<{ response: Buffer }>(
      'select response from oauth_entries where id_hash = sha256($1::text::bytea) and consumed_at is not null',
      [tokens.refresh_token],
    );
    expect(used?.response.length).toBeGreaterThan(0);
    expect(used?.response.toString('latin1')).not.toContain('access_token');
    expect(await refresh(steward, await newClient(steward), tokens.refresh_token)).toMatchObject(REFUSED);
    const again = await refresh(steward, client, tokens.refresh_token);
    expect(again.status).toBe(200);
    expect(await refresh(steward, client, tokens.refresh_token)).toMatchObject({ status: 200, body: again.body });
    // There is one pair of new tokens.
    const { userId } = await authenticate(again.body.access_token);
    const count = `select model, count(*)::int from oauth_entries where user_id = $1 and model like '%Token' group by model order by model`;
    expect(await steward.sql(count, [userId])).toEqual(['AccessToken', 'RefreshToken'].map((model) => ({ model, count: 2 })));
    expect(await refresh(steward, client, again.body.refresh_token)).toMatchObject({ status: 200 });
  });

  it('ends the grant when a client that did not receive the response repeats its request after ten seconds', async () => {
    const { client, tokens } = await newAuthorization();
    await refreshCut(steward.url, client, tokens.refresh_token);
    const { userId } = await authenticate(tokens.access_token);
    await usedEarlier(steward.sql, tokens.refresh_token);
    expect(await refresh(steward, client, tokens.refresh_token)).toMatchObject(REFUSED);
    expect((await steward.context.clientGrants.list(userId))[0]?.revokedAt).not.toBeNull();
  });
});

describe.each(LINES)('the official client ($name)', (line) => {
  it('refreshes once for calls that run at the same time', async () => {
    const { token } = await newPerson(steward);
    const app = new OAuthApp({ redirectUrl: 'http://127.0.0.1:38125/callback' });
    const client = await line.signIn(steward.url, app, consenting(await sessionOf(steward, token)));
    // As if an hour had passed.
    const expired = `update oauth_entries set expires_at = now() where model = 'AccessToken' and expires_at > now() returning 1`;
    expect(await steward.sql(expired)).not.toHaveLength(0);
    const results = await Promise.all([1, 2, 3].map(() => client.call('mail_search')));
    for (const result of results) expect(result).not.toMatchObject({ isError: true });
    expect(await client.call('mail_search')).not.toMatchObject({ isError: true });
    await client.close();
  });
});
