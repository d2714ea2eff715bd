import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkDueItems } from '../../../src/bank/item-polling.ts';
import { leaseDueItems } from '../../../src/bank/items-repository.ts';
import { linkBank, runNow, unschedule } from '../../support/scenes/flows.ts';
import { LinkedUser } from '../../support/scenes/webhook-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

let steward: TestSteward;
let user: LinkedUser;

beforeAll(async () => {
  steward = await startSteward();
  // Without the scheduled poll, only a test leases due items.
  await unschedule(steward.sql, 'bank-check');
});

afterAll(() => steward.stop());

beforeEach(async () => {
  await steward.control('faults/clear', {});
  user = await LinkedUser.of(steward);
  // Only this test's item is due.
  await steward.sql(`update bank_items set check_after = now() + interval '1 day'`);
  await due();
});

async function due(): Promise<void> {
  await steward.sql(`update bank_items set check_after = now() - interval '1 minute' where id = $1`, [user.entryId]);
}

function poll(): Promise<void> {
  return checkDueItems(steward.context.bankDeps);
}

async function hoursUntilNext(): Promise<number> {
  const [row] = await steward.sql<{ hours: number }>(
    'select (extract(epoch from check_after - now()) / 3600)::float as hours from bank_items where id = $1',
    [user.entryId],
  );
  return row?.hours ?? 0;
}

async function calls(path: string): Promise<number> {
  return (await steward.control('bank/state')).calls[path] ?? 0;
}

describe('items that have not been read for hours', () => {
  it('are polled once they are due: a new status is found without a webhook, with an event', async () => {
    await steward.control('bank/reset-login', { item_id: user.itemId });
    await runNow(steward, 'bank-check');
    await eventually(async () => (await user.entry()).status === 'relink_required');
    expect(await user.told()).toEqual([['account.status', { status: 'relink_required' }]]);
  });

  it('cost one free request, and are due again after some six hours', async () => {
    const before = await Promise.all(['/item/get', '/accounts/get', '/accounts/balance/get'].map(calls));
    await poll();
    await poll();
    const after = await Promise.all(['/item/get', '/accounts/get', '/accounts/balance/get'].map(calls));
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 0, 0]);
    expect(await hoursUntilNext()).toBeGreaterThan(4.4);
    expect(await hoursUntilNext()).toBeLessThan(7.6);
  });

  it('get a warning from the item, until the login is repaired', async () => {
    await user.befalls('PENDING_EXPIRATION');
    await steward.sql('update bank_items set warning = null, expires_at = null');
    await due();
    await poll();
    expect(await user.entry()).toMatchObject({ status: 'active', warning: 'pending_expiration' });
    await user.befalls('LOGIN_REPAIRED');
    await due();
    await poll();
    expect(await user.entry()).not.toHaveProperty('warning');
  });

  it.each(['pending_disconnect', 'pending_expiration'])('lose an expired warning: %s', async (warning) => {
    await steward.sql(`update bank_items set warning = $2, expires_at = now() - interval '1 hour' where id = $1`, [user.entryId, warning]);
    await poll();
    expect(await user.entry()).not.toHaveProperty('warning');
    expect(await user.told()).toEqual([['account.warning', { warning: null }]]);
  });

  it('stay unchanged while the aggregator is unavailable, and are retried within the hour', async () => {
    await steward.control('faults', { part: 'bank', kind: 'status', status: 503 });
    await poll();
    expect((await user.entry()).status).toBe('active');
    expect(await hoursUntilNext()).toBeGreaterThan(0.1);
    expect(await hoursUntilNext()).toBeLessThan(0.5);
  });

  it('that are gone are not read again until they are linked again', async () => {
    await steward.control('bank/remove-item', { item_id: user.itemId });
    await poll();
    expect((await user.entry()).status).toBe('item_gone');
    const [row] = await steward.sql(`select check_after = 'infinity' as never from bank_items where id = $1`, [user.entryId]);
    expect(row).toEqual({ never: true });
    await linkBank(steward, user.token);
    expect(await user.entry()).toMatchObject({ id: user.entryId, status: 'active' });
    expect(await hoursUntilNext()).toBeLessThan(7.6);
  });

  it('get the current webhook address', async () => {
    const before = await calls('/item/webhook/update');
    await poll();
    expect(await calls('/item/webhook/update')).toBe(before + 1);
    await due();
    await poll();
    expect(await calls('/item/webhook/update')).toBe(before + 1);
  });

  it('are leased: of several concurrent polls, one gets each item', async () => {
    await steward.sql(`update bank_items set check_after = now() - interval '1 minute'`);
    const [all] = await steward.sql<{ count: number }>('select count(*)::int as count from bank_items');
    const leases = await Promise.all([1, 2, 3, 4].map(() => leaseDueItems(steward.context.db, 5)));
    const ids = leases.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(Math.min(all?.count ?? 0, 20));
    expect(await leaseDueItems(steward.context.db, 100)).toHaveLength(Math.max(0, (all?.count ?? 0) - 20));
  });
});
