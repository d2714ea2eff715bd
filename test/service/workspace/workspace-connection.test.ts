import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, outcome } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

describe('connecting a workspace account', () => {
  it('ends at the redirect_uri with the account connected, default and named', async () => {
    const { callback, token, request } = await connect(steward, {
      email: 'demo@example.com',
      redirectUri: 'http://localhost:5173/done?keep=1',
    });
    expect(request.status).toBe(200);
    expect(callback.status).toBe(303);
    expect(callback.headers.get('location')).toMatch(/^http:\/\/localhost:5173\/done\?keep=1&/);
    expect(outcome(callback)).toMatchObject({ integration: 'workspace', status: 'connected' });
    const list = await steward.call('/auth/workspace/accounts', { token });
    expect(list.body.accounts).toEqual([
      {
        id: outcome(callback).account_id,
        email: 'demo@example.com',
        name: expect.any(String),
        picture: expect.any(String),
        default: true,
        status: 'active',
        missing_scopes: [],
      },
    ]);
  });
});
