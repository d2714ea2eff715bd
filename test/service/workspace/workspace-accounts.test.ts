import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, newName, outcome, workspaceAccounts } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';

const ACCOUNTS = '/auth/workspace/accounts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

/** A new user with this number of accounts, in the order of their connection. */
async function userWith(count: number) {
  const token = await steward.signIn(newName());
  const ids: string[] = [];
  const emails: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const email = `${newName()}@example.com`;
    const { callback } = await connect(steward, { token, email });
    ids.push(outcome(callback).account_id ?? '');
    emails.push(email);
  }
  return { token, ids, emails };
}

function disconnect(token: string, id: string | undefined) {
  return steward.call(`${ACCOUNTS}/${id}`, { method: 'DELETE', token });
}

function makeDefault(token: string, id: string | undefined) {
  return steward.call(`${ACCOUNTS}/${id}/default`, { method: 'POST', token });
}

async function defaultOf(token: string): Promise<string[]> {
  return (await workspaceAccounts(steward, token)).filter((account) => account.default).map(({ id }) => id);
}

describe('GET /auth/workspace/accounts', () => {
  it('is protected', async () => {
    expectError(await steward.call(ACCOUNTS), 'invalid_token');
  });

  it('is empty at first', async () => {
    const response = await steward.call(ACCOUNTS, { token: await steward.signIn(newName()) });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ accounts: [] });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('lists the caller’s accounts only, connected longest first, the first as default', async () => {
    const { token, ids, emails } = await userWith(3);
    const other = await userWith(1);
    const accounts = await workspaceAccounts(steward, token);
    expect(accounts).toEqual(
      ids.map((id, index) => ({
        id,
        email: emails[index],
        name: expect.stringMatching(/^Person/),
        picture: expect.stringMatching(/^http/),
        default: index === 0,
        status: 'active',
        missing_scopes: [],
      })),
    );
    expect((await workspaceAccounts(steward, other.token)).map(({ id }) => id)).toEqual(other.ids);
  });

  it('shows an account that needs a new consent as reauth_required', async () => {
    const { token, ids } = await userWith(1);
    await steward.sql(`update grants g set status = 'reauth_required' from workspace_accounts a where a.grant_id = g.id and a.id = $1`, [
      ids[0],
    ]);
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ id: ids[0], status: 'reauth_required' }]);
    expect((await steward.call('/integrations', { token })).body.workspace).toEqual({ connected: true, needs_attention: 1 });
  });

  it('shows the same account at two users as two entries', async () => {
    const email = `${newName()}@example.com`;
    const [one, two] = [await steward.signIn(newName()), await steward.signIn(newName())];
    const first = outcome((await connect(steward, { token: one, email })).callback);
    const second = outcome((await connect(steward, { token: two, email })).callback);
    expect(first.account_id).not.toBe(second.account_id);
    expect(await workspaceAccounts(steward, one)).toMatchObject([{ id: first.account_id, default: true }]);
    expect(await workspaceAccounts(steward, two)).toMatchObject([{ id: second.account_id, default: true }]);
  });
});

describe('connecting several accounts', () => {
  it('concurrently makes exactly one the default', async () => {
    const token = await steward.signIn(newName());
    const emails = Array.from({ length: 6 }, () => `${newName()}@example.com`);
    const done = await Promise.all(emails.map((email) => connect(steward, { token, email })));
    expect(done.map(({ callback }) => outcome(callback).status)).toEqual(emails.map(() => 'connected'));
    expect(await workspaceAccounts(steward, token)).toHaveLength(6);
    expect(await defaultOf(token)).toHaveLength(1);
  });

  it('the same one concurrently makes one account', async () => {
    const token = await steward.signIn(newName());
    const email = `${newName()}@example.com`;
    const done = await Promise.all(Array.from({ length: 5 }, () => connect(steward, { token, email })));
    const ids = new Set(done.map(({ callback }) => outcome(callback).account_id));
    expect(ids.size).toBe(1);
    expect((await workspaceAccounts(steward, token)).map(({ id }) => id)).toEqual([...ids]);
  });

  it('the same one again keeps its id, its position, the default and the rest', async () => {
    const { token, ids, emails } = await userWith(3);
    await makeDefault(token, ids[1]);
    const before = await workspaceAccounts(steward, token);
    for (const index of [1, 0]) {
      const { callback } = await connect(steward, { token, email: emails[index]! });
      expect(outcome(callback).account_id).toBe(ids[index]);
    }
    expect(await workspaceAccounts(steward, token)).toEqual(before);
  });
});

describe('POST /auth/workspace/accounts/{account_id}/default', () => {
  it('is protected', async () => {
    const { token, ids } = await userWith(2);
    expectError(await steward.call(`${ACCOUNTS}/${ids[1]}/default`, { method: 'POST' }), 'invalid_token');
    expect(await defaultOf(token)).toEqual([ids[0]]);
  });

  it('moves the flag, and changes nothing the second time', async () => {
    const { token, ids } = await userWith(2);
    for (const _round of [1, 2]) {
      const response = await makeDefault(token, ids[1]);
      expect(response.status).toBe(200);
      expect(response.body).toEqual({ success: true });
      expect(await defaultOf(token)).toEqual([ids[1]]);
    }
  });

  it('does not find another user’s account, an unknown or an invalid id', async () => {
    const { token, ids } = await userWith(2);
    const other = await userWith(2);
    for (const id of [other.ids[1], randomUUID(), 'x', '1', `${ids[1]}0`, '%00', "';--"])
      expectError(await makeDefault(token, id), 'not_found');
    expect(await defaultOf(token)).toEqual([ids[0]]);
    expect(await defaultOf(other.token)).toEqual([other.ids[0]]);
  });

  it('of several concurrently leaves exactly one', async () => {
    const { token, ids } = await userWith(3);
    const responses = await Promise.all([...ids, ...ids].map((id) => makeDefault(token, id)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await defaultOf(token)).toHaveLength(1);
  });
});

describe('DELETE /auth/workspace/accounts/{account_id}', () => {
  it('is protected', async () => {
    const { token, ids } = await userWith(1);
    expectError(await steward.call(`${ACCOUNTS}/${ids[0]}`, { method: 'DELETE' }), 'invalid_token');
    expect(await workspaceAccounts(steward, token)).toHaveLength(1);
  });

  it('removes the account with all of its data from the list immediately', async () => {
    const { token, ids } = await userWith(1);
    const [grant] = await steward.sql<{ id: string }>('select grant_id as id from workspace_accounts where id = $1', [ids[0]]);
    const response = await disconnect(token, ids[0]);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ success: true });
    expect(await workspaceAccounts(steward, token)).toEqual([]);
    expect(await steward.sql('select 1 from grants where id = $1', [grant?.id])).toEqual([]);
    expect((await steward.call('/integrations', { token })).body.workspace).toEqual({ connected: false, needs_attention: 0 });
    expectError(await disconnect(token, ids[0]), 'not_found');
  });

  it('does not find another user’s account, an unknown or an invalid id', async () => {
    const { token, ids } = await userWith(1);
    const other = await userWith(1);
    for (const id of [other.ids[0], randomUUID(), 'x', '1', `${ids[0]}0`, '%00', "';--"])
      expectError(await disconnect(token, id), 'not_found');
    expect(await workspaceAccounts(steward, token)).toHaveLength(1);
    expect(await workspaceAccounts(steward, other.token)).toHaveLength(1);
  });

  it('of the default moves the flag to the account connected longest', async () => {
    const { token, ids } = await userWith(4);
    await makeDefault(token, ids[2]);
    await disconnect(token, ids[2]);
    expect(await defaultOf(token)).toEqual([ids[0]]);
    await disconnect(token, ids[0]);
    expect(await defaultOf(token)).toEqual([ids[1]]);
  });

  it('of another one keeps the default', async () => {
    const { token, ids } = await userWith(3);
    await makeDefault(token, ids[2]);
    await disconnect(token, ids[0]);
    expect(await defaultOf(token)).toEqual([ids[2]]);
  });

  it('of all concurrently disconnects each once', async () => {
    const { token, ids } = await userWith(3);
    const responses = await Promise.all([...ids, ...ids].map((id) => disconnect(token, id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 404, 404, 404]);
    expect(await workspaceAccounts(steward, token)).toEqual([]);
  });
});
