import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, newName, workspaceAccounts } from '../../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

let steward: TestSteward;
let token: string;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

/** A new account, at the sandbox's provider. */
beforeEach(async () => {
  await steward.control('faults/clear', {});
  await steward.control('workspace', { rotation: 'strict' });
  token = await steward.signIn(newName());
  await connect(steward, { token, email: `${newName()}@example.com` });
});

async function calls(name: string): Promise<number> {
  return (await steward.control('state')).calls.workspace[name] ?? 0;
}

/** Number of token requests and of calls of a path meanwhile. */
async function counting(path: string, work: () => Promise<unknown>): Promise<{ refreshes: number; sent: number }> {
  const before = [await calls('refreshes'), await calls(path)];
  await work();
  return { refreshes: (await calls('refreshes')) - before[0]!, sent: (await calls(path)) - before[1]! };
}

const LABELS = '/api/gmail/v1/users/me/labels';
const DRAFTS = '/api/gmail/v1/users/me/drafts';
const refuse = (path: string, times?: number) => steward.control('faults', { part: 'workspace', path, kind: 'status', status: 401, times });

describe('an action whose token is no longer valid', () => {
  it('refreshes a rejected one, and repeats a read', async () => {
    await refuse(LABELS, 1);
    const counted = await counting(LABELS, () => callAction(steward, 'mail.labels', {}, { token }));
    expect(counted).toEqual({ refreshes: 1, sent: 2 });
  });

  it('refreshes an expired one once, for 20 concurrent calls', async () => {
    await steward.sql(`update grants set expires_at = now() - interval '1 minute' where expires_at is not null`);
    const { refreshes } = await counting(LABELS, () =>
      Promise.all(Array.from({ length: 20 }, () => callAction(steward, 'mail.labels', {}, { token }))),
    );
    expect(refreshes).toBe(1);
  });

  it('refreshes a rejected one, and sends no change twice', async () => {
    await refuse(DRAFTS, 1);
    const input = { to: ['ana@example.com'], subject: 'Hello', body: 'Hello' };
    const counted = await counting(DRAFTS, async () => {
      await expect(callAction(steward, 'mail.draft', input, { token })).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
    });
    expect(counted).toEqual({ refreshes: 1, sent: 1 });
    await callAction(steward, 'mail.draft', input, { token });
  });

  it('stops if fresh ones are rejected, too, and leaves the account connected', async () => {
    await refuse(LABELS);
    const { refreshes, sent } = await counting(LABELS, async () => {
      for (let use = 0; use < 8; use += 1) {
        await expect(callAction(steward, 'mail.labels', {}, { token })).rejects.toMatchObject({ code: 'provider_error' });
      }
    });
    expect(refreshes).toBeLessThanOrEqual(5);
    expect(sent).toBeLessThanOrEqual(16);
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ status: 'active' }]);
  });

  it('reports a withdrawn consent, also in the lists', async () => {
    const [account] = await workspaceAccounts(steward, token);
    await steward.control('workspace/revoke', { email: account?.email });
    await expect(callAction(steward, 'mail.labels', {}, { token })).rejects.toMatchObject({ code: 'reauth_required' });
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ status: 'reauth_required' }]);
  });
});
