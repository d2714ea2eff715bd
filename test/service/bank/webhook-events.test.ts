import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { linkBank } from '../../support/scenes/flows.ts';
import { LinkedUser } from '../../support/scenes/webhook-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

const DAY_MS = 24 * 3_600_000;

let steward: TestSteward;
let user: LinkedUser;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

beforeEach(async () => {
  user = await LinkedUser.of(steward);
});

function inDays(days: number): string {
  return new Date(steward.clock.now() + days * DAY_MS).toISOString();
}

describe('ITEM/ERROR', () => {
  it('causes the item to be read: it requires a login, with one event', async () => {
    await steward.control('bank/reset-login', { item_id: user.itemId });
    await user.happens('ERROR', { error: { error_code: 'ITEM_LOGIN_REQUIRED' } });
    await user.happens('ERROR', { error: { error_code: 'ITEM_LOGIN_REQUIRED' } }, 10);
    expect(await user.entries()).toMatchObject([{ id: user.entryId, status: 'relink_required' }]);
    expect(await user.bank()).toEqual({ connected: true, needs_attention: 1 });
    expect(await user.told()).toEqual([['account.status', { status: 'relink_required' }]]);
  });

  it('of an item that is active again changes nothing', async () => {
    await user.happens('ERROR', { error: { error_code: 'ITEM_LOGIN_REQUIRED' } });
    expect((await user.entry()).status).toBe('active');
    expect(await user.told()).toEqual([]);
  });

  it('of an item that is gone reports it', async () => {
    await steward.control('bank/remove-item', { item_id: user.itemId });
    await user.happens('ERROR', { error: { error_code: 'ITEM_NOT_FOUND' } });
    expect(await user.told()).toEqual([['account.status', { status: 'item_gone' }]]);
  });

  it('of a bank that is down does not concern the user', async () => {
    await steward.control('bank/error', { code: 'INSTITUTION_DOWN', path: '/accounts/get', item_id: user.itemId });
    await user.happens('ERROR', { error: { error_code: 'INSTITUTION_DOWN' } });
    expect((await user.entry()).status).toBe('active');
  });
});

describe('ITEM/LOGIN_REPAIRED', () => {
  it('causes the item to be read: the status is cleared', async () => {
    await user.befalls('ERROR');
    expect((await user.entry()).status).toBe('relink_required');
    await user.befalls('LOGIN_REPAIRED');
    expect((await user.entry()).status).toBe('active');
  });

  it('clears the status, whether it arrives before or after its error', async () => {
    await user.befalls('ERROR');
    expect((await user.entry()).status).toBe('relink_required');
    await user.befalls('ERROR', 'reordered');
    expect((await user.entry()).status).toBe('active');
    expect(await user.told()).toEqual([
      ['account.status', { status: 'relink_required' }],
      ['account.status', { status: 'active' }],
    ]);
  });
});

describe('ITEM/PENDING_DISCONNECT', () => {
  it('warns, with its time, until the login is repaired', async () => {
    const event = { reason: 'INSTITUTION_MIGRATION', disconnect_time: inDays(7) };
    await user.happens('PENDING_DISCONNECT', event);
    expect(await user.entries()).toMatchObject([{ status: 'active', warning: 'pending_disconnect', expires_at: event.disconnect_time }]);
    expect(await user.bank()).toEqual({ connected: true, needs_attention: 1 });
    await user.happens('LOGIN_REPAIRED');
    expect(Object.keys(await user.entry()).sort()).toEqual(['bank_name', 'id', 'mask', 'status']);
    expect(await user.bank()).toEqual({ connected: true, needs_attention: 0 });
    // A late copy with a new signature does not restore it.
    await user.happens('PENDING_DISCONNECT', event, -10);
    expect(await user.entry()).not.toHaveProperty('warning');
    expect(await user.told()).toEqual([
      ['account.warning', { warning: 'pending_disconnect', expiresAt: event.disconnect_time }],
      ['account.warning', { warning: null }],
    ]);
  });

  it('ends with a refresh only after update mode', async () => {
    await user.happens('PENDING_DISCONNECT', { disconnect_time: inDays(1) });
    expect((await user.refresh()).status).toBe(200);
    expect(await user.entry()).toMatchObject({ warning: 'pending_disconnect' });
    await steward.call('/auth/bank/create_link_token', { token: user.token, form: { account_id: user.entryId } });
    expect((await user.refresh()).status).toBe(200);
    expect(await user.entry()).not.toHaveProperty('warning');
  });

  it('ends with a refresh within four hours of update mode', async () => {
    await user.happens('PENDING_DISCONNECT', { disconnect_time: inDays(1) });
    await steward.call('/auth/bank/create_link_token', { token: user.token, form: { account_id: user.entryId } });
    const refreshedAfter = async (time: string) => {
      await steward.sql('update bank_items set update_mode_at = now() - $2::interval where id = $1', [user.entryId, time]);
      expect((await user.refresh()).status).toBe(200);
      return (await user.entry()).warning;
    };
    expect(await refreshedAfter('4 hours 10 minutes')).toBe('pending_disconnect');
    expect(await refreshedAfter('3 hours 50 minutes')).toBeUndefined();
  });

  it('does not warn of an item that requires a login already', async () => {
    await user.befalls('ERROR');
    await user.happens('PENDING_DISCONNECT', { disconnect_time: inDays(1) });
    expect(await user.entry()).toMatchObject({ status: 'relink_required' });
    expect(await user.entry()).not.toHaveProperty('warning');
  });

  it('does not warn of a past time, and warns without a time', async () => {
    await user.happens('PENDING_DISCONNECT', { disconnect_time: inDays(-1) });
    expect(await user.entry()).not.toHaveProperty('warning');
    await user.happens('PENDING_DISCONNECT');
    expect(await user.entry()).toMatchObject({ warning: 'pending_disconnect' });
    expect(await user.entry()).not.toHaveProperty('expires_at');
  });

  it('becomes a status instead of a warning once access has ended', async () => {
    await user.happens('PENDING_DISCONNECT', { disconnect_time: inDays(1) });
    await user.befalls('ERROR');
    expect(await user.entry()).toMatchObject({ status: 'relink_required' });
    expect(await user.entry()).not.toHaveProperty('warning');
    expect(await user.bank()).toEqual({ connected: true, needs_attention: 1 });
  });
});

describe('ITEM/PENDING_EXPIRATION', () => {
  it('warns with the item’s time, until the bank is linked again', async () => {
    await user.befalls('PENDING_EXPIRATION');
    expect(await user.entry()).toMatchObject({ status: 'active', warning: 'pending_expiration', expires_at: expect.any(String) });
    expect((await linkBank(steward, user.token)).status).toBe(200);
    expect(await user.entries()).toMatchObject([{ id: user.entryId }]);
    expect(await user.entry()).not.toHaveProperty('warning');
    expect(await user.told()).toMatchObject([
      ['account.warning', { warning: 'pending_expiration' }],
      ['account.warning', { warning: null }],
    ]);
  });

  it('applies with its own time if the item has none, until the login is repaired', async () => {
    const event = { consent_expiration_time: inDays(6) };
    const warning = { warning: 'pending_expiration', expires_at: event.consent_expiration_time };
    await user.happens('PENDING_EXPIRATION', event);
    expect(await user.entry()).toMatchObject(warning);
    expect((await user.refresh()).status).toBe(200);
    expect(await user.entry()).toMatchObject(warning);
    await user.happens('LOGIN_REPAIRED');
    expect(await user.entry()).not.toHaveProperty('warning');
  });

  it('is not restored by a late copy with a new signature', async () => {
    const event = { consent_expiration_time: inDays(6) };
    await user.happens('PENDING_EXPIRATION', event);
    await user.happens('LOGIN_REPAIRED');
    await user.happens('PENDING_EXPIRATION', event, -10);
    expect(await user.entry()).not.toHaveProperty('warning');
  });
});
