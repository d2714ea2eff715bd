import { OAuth2Client } from 'google-auth-library';
import { gmail } from 'googleapis/build/src/apis/gmail/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../support/steward.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

describe('the sandbox’s workspace APIs, through the provider’s own SDK', () => {
  it('are reached below apiUrl by rootUrl, and reject an unknown access token like the provider', async () => {
    const auth = new OAuth2Client();
    auth.setCredentials({ access_token: 'ya29.unknown' });
    const rootUrl = `${steward.context.sandbox?.workspace.apiUrl}/`;
    const call = gmail({ version: 'v1', auth }).users.getProfile({ userId: 'me' }, { rootUrl, retry: false });
    // There is no refresh token, so the SDK returns the rejection.
    await expect(call).rejects.toMatchObject({ status: 401 });
    expect((await steward.control('state')).calls.workspace['/api/gmail/v1/users/me/profile']).toBe(1);
  });

  it('reject half of a character in a body', async () => {
    const url = `${steward.context.sandbox?.workspace.apiUrl}/calendar/v3/calendars/primary/events`;
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"summary":"\\ud83d"}' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('Invalid JSON payload') } });
  });
});
