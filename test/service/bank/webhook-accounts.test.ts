import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { linkBank, sweepNow } from '../../support/scenes/flows.ts';
import { allHandled, LinkedUser } from '../../support/scenes/webhook-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { callAction } from '../../support/users/agents.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

let steward: TestSteward;
let user: LinkedUser;
let other: LinkedUser;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

/** Each test has two users of the same bank, since an event must find its own. */
beforeEach(async () => {
  [user, other] = [await LinkedUser.of(steward), await LinkedUser.of(steward)];
});

async function accountId(of: LinkedUser, name: string): Promise<string> {
  const [row] = await steward.sql<{ accounts: { account_id: string; name: string }[] }>('select accounts from bank_items where id = $1', [
    of.entryId,
  ]);
  return row?.accounts.find((account) => account.name === name)?.account_id ?? '';
}

describe('ITEM/NEW_ACCOUNTS_AVAILABLE', () => {
  it('is offered until update mode is completed, with one event', async () => {
    await user.happens('NEW_ACCOUNTS_AVAILABLE', { error: null });
    await user.happens('NEW_ACCOUNTS_AVAILABLE', { error: null, copy: 1 });
    expect(await user.entry()).toMatchObject({ status: 'active', new_accounts: true });
    expect(await user.bank()).toEqual({ connected: true, needs_attention: 0 });
    expect(await user.told()).toEqual([['account.new_accounts', {}]]);
    expect((await user.refresh()).status).toBe(200);
    expect(await user.entry()).toMatchObject({ new_accounts: true });
    const link = await steward.call('/auth/bank/create_link_token', { token: user.token, form: { account_id: user.entryId } });
    const page = await steward.call(new URL(link.body.link_url).pathname + new URL(link.body.link_url).search);
    expect(page.text).toContain('name="account"');
    expect((await user.refresh()).status).toBe(200);
    expect(await user.entry()).not.toHaveProperty('new_accounts');
    expect(await other.entry()).not.toHaveProperty('new_accounts');
  });

  it('is no longer offered once the bank is linked again', async () => {
    await user.happens('NEW_ACCOUNTS_AVAILABLE', { error: null });
    expect(await user.entry()).toMatchObject({ id: user.entryId, new_accounts: true });
    expect((await linkBank(steward, user.token)).status).toBe(200);
    expect(await user.entries()).toMatchObject([{ id: user.entryId, status: 'active' }]);
    expect(await user.entry()).not.toHaveProperty('new_accounts');
  });
});

describe('ITEM/USER_ACCOUNT_REVOKED', () => {
  it('deletes the data of that account only', async () => {
    const before = (await user.entry()).mask;
    expect(before.map(({ name }: { name: string }) => name)).toContain('Checking');
    await user.happens('USER_ACCOUNT_REVOKED', { account_id: await accountId(user, 'Checking') });
    expect((await user.entry()).mask).toEqual(before.filter(({ name }: { name: string }) => name !== 'Checking'));
    expect(await accountId(user, 'Checking')).toBe('');
    expect(await user.told()).toEqual([['account.changed', {}]]);
    expect((await other.entry()).mask).toEqual(before);
  });

  it('of an unknown account, or another user’s, changes nothing', async () => {
    const before = await user.entry();
    await user.happens('USER_ACCOUNT_REVOKED', { account_id: 'unknown' });
    await user.happens('USER_ACCOUNT_REVOKED', { account_id: await accountId(other, 'Checking') });
    expect(await user.entry()).toEqual(before);
    expect((await other.entry()).mask).toEqual(before.mask);
    expect(await user.told()).toEqual([]);
  });
});

describe('ITEM/USER_PERMISSION_REVOKED', () => {
  it('disconnects, deletes derived data, removes the item, and sends one event', async () => {
    await callAction(steward, 'bank.changes', {}, { token: user.token });
    await steward.sql(`update bank_items set sync_state = '{"item":"i","start":"","cursor":"c"}' where id = $1`, [user.entryId]);
    await user.happens('USER_PERMISSION_REVOKED', { error: { error_code: 'USER_PERMISSION_REVOKED' } });
    await user.happens('USER_PERMISSION_REVOKED', { error: { error_code: 'USER_PERMISSION_REVOKED' } }, 10);
    expect(await user.entries()).toEqual([]);
    expect(await user.bank()).toEqual({ connected: false, needs_attention: 0 });
    expect(await steward.sql('select id from bank_items where id = $1', [user.entryId])).toEqual([]);
    expect(await steward.sql('select id from grants where subject = $1', [user.itemId])).toEqual([]);
    expect(await steward.sql('select id from bank_webhooks where item_id = $1', [user.itemId])).toEqual([]);
    expect(await user.told()).toEqual([['account.disconnected', {}]]);
    await expect(callAction(steward, 'bank.changes', {}, { token: user.token })).rejects.toMatchObject({ code: 'not_found' });
    const removed = async () => (await steward.control('bank/state')).items.find((item: any) => item.item_id === user.itemId).removed;
    await eventually(removed);
    expect(await other.entries()).toHaveLength(1);
  });
});

describe('TRANSACTIONS/SYNC_UPDATES_AVAILABLE', () => {
  it('is sent to the user’s sockets, and no other user’s', async () => {
    const [own, foreign] = [await SocketClient.signedIn(steward.url, user.token), await SocketClient.signedIn(steward.url, other.token)];
    await user.happens('SYNC_UPDATES_AVAILABLE', { initial_update_complete: true, historical_update_complete: true });
    await other.happens('SYNC_UPDATES_AVAILABLE', { initial_update_complete: true, historical_update_complete: true });
    const events = async (client: SocketClient) => (await client.event('account.transactions')).data;
    expect(await events(own)).toEqual({ account: user.entryId, provider: 'bank' });
    expect(await events(foreign)).toEqual({ account: other.entryId, provider: 'bank' });
    await Promise.all([own.close(), foreign.close()]);
    expect(await user.told()).toEqual([['account.transactions', {}]]);
    // The next one may be equal, and is another event.
    await user.happens('SYNC_UPDATES_AVAILABLE', { initial_update_complete: true, historical_update_complete: true }, -5);
    expect(await user.told()).toHaveLength(2);
  });
});

describe('an event that waited while its bank was linked again', () => {
  it.each([
    ['ITEM/USER_PERMISSION_REVOKED', {}],
    ['ITEM/USER_ACCOUNT_REVOKED', { accountId: 'checking' }],
    ['ITEM/PENDING_DISCONNECT', {}],
    ['ITEM/NEW_ACCOUNTS_AVAILABLE', {}],
    ['TRANSACTIONS/SYNC_UPDATES_AVAILABLE', {}],
  ])('%s is about an item that is gone, and changes nothing', async (event, details) => {
    expect((await linkBank(steward, user.token)).status).toBe(200);
    const before = await user.entries();
    expect(before).toMatchObject([{ id: user.entryId }]);
    if ('accountId' in details) details.accountId = await accountId(user, 'Checking');
    await steward.sql(
      `insert into bank_webhooks (id, user_id, grant_id, item_id, event, details, digest)
       select gen_random_uuid(), user_id, grant_id, $2, $3, $4, '\\x00' from bank_items where id = $1`,
      [user.entryId, user.itemId, event, JSON.stringify(details)],
    );
    await sweepNow(steward);
    await allHandled(steward);
    expect(await user.entries()).toEqual(before);
    expect(await user.told()).toEqual([]);
  });
});
