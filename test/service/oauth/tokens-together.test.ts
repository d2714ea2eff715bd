import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { newName } from '../../support/flows.ts';
import { consenting, OAuthApp } from '../../support/oauth-app.ts';
import { authorized, newClient, refresh } from '../../support/oauth-scene.ts';
import { LINES } from '../../support/official-clients.ts';
import { sessionOf } from '../../support/sign-in.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { newPerson } from '../../support/workspace-content.ts';

const REFUSED = { status: 400, body: { error: 'invalid_grant' } };
/** Longer than by default: what is sent at the same moment may arrive later on a busy machine. */
const WAIT_MS = 5_000;

let steward: TestSteward;
beforeAll(async () => {
  steward = await startSteward({ LIMIT_OAUTH_REFRESH_WAIT_MS: String(WAIT_MS) });
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
    expect(await refresh(steward, client, tokens.refresh_token)).toMatchObject(REFUSED);
    await expect(authenticate(first?.body.access_token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('is one also in a request that has the parameter of a code', async () => {
    const { client, tokens } = await newAuthorization();
    const all = await Promise.all(['', 'x'].map((code) => refresh(steward, client, tokens.refresh_token, { code })));
    for (const { status, body } of all) expect({ status, body }).toEqual({ status: 200, body: all[0]?.body });
    await authenticate(all[0]?.body.access_token);
  });

  it('gives the response again to a client that did not receive it, encrypted until then, and to no other', async () => {
    const { client, tokens } = await newAuthorization();
    const leaving = new AbortController();
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: client.client_id });
    const left = fetch(`${steward.url}/oauth/token`, { method: 'POST', body, signal: leaving.signal });
    const kept = () =>
      steward.sql<{ response: Buffer }>(
        'select response from oauth_entries where id_hash = $1 and response is not null and sent_at is null',
        [createHash('sha256').update(tokens.refresh_token).digest()],
      );
    const [{ response } = { response: Buffer.alloc(0) }] = await eventually(async () => {
      const rows = await kept();
      return rows.length > 0 && rows;
    });
    const lines = steward.logs.length;
    leaving.abort();
    await expect(left).rejects.toThrow();
    await eventually(() => steward.logs.slice(lines).some((line) => line.includes('request aborted')));
    expect(response.toString('latin1')).not.toContain('access_token');
    // Longer than the response waits for other requests: nobody is waiting any more.
    await steward.clock.advance(WAIT_MS);
    expect(await refresh(steward, await newClient(steward), tokens.refresh_token)).toMatchObject(REFUSED);
    const again = await refresh(steward, client, tokens.refresh_token);
    expect(again.status).toBe(200);
    await authenticate(again.body.access_token);
    await eventually(async () => (await kept()).length === 0);
    expect(await refresh(steward, client, again.body.refresh_token)).toMatchObject({ status: 200 });
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
