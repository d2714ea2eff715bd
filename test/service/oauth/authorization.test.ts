import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newName } from '../../support/flows.ts';
import { Authorization, authorized, newClient, REDIRECT, refresh, revoke } from '../../support/oauth-scene.ts';
import { sessionOf } from '../../support/sign-in.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let steward: TestSteward;
beforeAll(async () => {
  steward = await startSteward({ LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: '1000' });
});
afterAll(() => steward.stop());

const browserOf = async (user = newName()) => sessionOf(steward, await steward.signIn(user));
const authenticate = (token: string, on = steward) => on.context.clientAccessTokens.authenticate(token);

describe('an MCP client', () => {
  it('registers, is authorized, gets tokens, refreshes and revokes them', async () => {
    const browser = await browserOf();
    const client = await newClient(steward);
    const authorization = new Authorization(client, browser);
    const back = await authorization.decide(await authorization.begin());
    expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: authorization.state,
      iss: steward.url,
    });
    const first = await authorization.exchange(steward, back.searchParams.get('code') as string);
    expect(first.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'read' });
    const principal = await authenticate(first.body.access_token);
    expect(principal).toMatchObject({ label: 'Notes', clientId: expect.any(String) });
    const second = await refresh(steward, client, first.body.refresh_token);
    expect(second).toMatchObject({ status: 200, body: { scope: 'read' } });
    expect(second.body.refresh_token).not.toBe(first.body.refresh_token);
    expect(await authenticate(second.body.access_token)).toMatchObject({ clientId: principal.clientId });
    expect(await revoke(steward, client, second.body.refresh_token)).toMatchObject({ status: 200, text: '' });
    await expect(authenticate(second.body.access_token)).rejects.toMatchObject({ code: 'invalid_token' });
    expect(await refresh(steward, client, second.body.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const [grant] = await steward.context.clientGrants.list(principal.userId);
    expect(grant).toMatchObject({ kind: 'oauth', oauthClientId: client.client_id, redirectHost: 'app.example.com', actions: ['*'] });
    expect(grant?.revokedAt).not.toBeNull();
    expect(await authorized(steward, browser)).toBeDefined();
  });
});
