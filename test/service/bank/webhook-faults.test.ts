import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deleteExpiredRows } from '../../../src/database/retention.ts';
import { BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { deliver, eventBody, linkEmulated, WebhookSigner } from '../../support/emulators/bank-webhooks.ts';
import { queueInstalled } from '../../support/scenes/flows.ts';
import { allHandled, LinkedUser, retryNow } from '../../support/scenes/webhook-scene.ts';
import { type FaultyDatabase, startFaultyDatabase } from '../../support/servers/database-proxy.ts';
import { sendJson } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';

/** For so long, a key whose request failed is not requested again. */
const FAILED_FOR_MS = 6_000;
/** Of a response of the aggregator. */
const DELAY_MS = 5_000;

describe('a webhook during another failure', () => {
  let database: FaultyDatabase;
  let steward: TestSteward;

  beforeAll(async () => {
    database = await startFaultyDatabase();
    steward = await startSteward(database.env);
  });

  afterEach(() => steward.control('faults/clear', {}));

  afterAll(async () => {
    await steward.stop();
    await database.stop();
  });

  it('returns 503 while its key is needed and the aggregator is unavailable', async () => {
    const user = await LinkedUser.of(steward);
    await steward.control('faults', { part: 'bank', path: '/webhook_verification_key/get', kind: 'status', status: 503 });
    for (let tries = 0; tries < 3; tries += 1) expectError(await user.hears('ERROR'), 'unavailable');
    expect(await steward.sql('select id from bank_webhooks')).toEqual([]);
    await steward.control('faults/clear', {});
    // A key whose request failed is not requested again at once.
    expectError(await user.hears('ERROR'), 'unavailable');
    await steward.clock.advance(FAILED_FOR_MS);
    expect((await user.hears('ERROR')).status).toBe(200);
  });

  it('returns 503 while the database is unavailable; its next delivery is accepted', async () => {
    const user = await LinkedUser.of(steward);
    await user.happens('ERROR');
    await steward.control('bank/reset-login', { item_id: user.itemId });
    database.cut();
    expectError(await user.hears('ERROR'), 'unavailable');
    database.restore();
    await eventually(async () => (await user.hears('ERROR', {}, 20)).status === 200);
    await eventually(async () => (await user.entry()).status === 'relink_required');
  });

  it('waits until its item can be read, and is then handled', async () => {
    const user = await LinkedUser.of(steward);
    await steward.control('bank/reset-login', { item_id: user.itemId });
    await steward.control('faults', { part: 'bank', path: '/item/get', kind: 'status', status: 503 });
    expect((await user.hears('ERROR', {}, 30)).status).toBe(200);
    await eventually(async () => ((await steward.control('bank/state')).calls['/item/get'] ?? 0) > 1);
    expect((await user.entry()).status).toBe('active');
    await steward.control('faults/clear', {});
    await eventually(async () => {
      await retryNow(steward, 'bank-webhook');
      return (await user.entry()).status === 'relink_required';
    });
    await allHandled(steward);
  });

  it('is dropped after a day', async () => {
    const user = await LinkedUser.of(steward);
    await steward.control('faults', { part: 'bank', path: '/item/get', kind: 'status', status: 503 });
    expect((await user.hears('ERROR', {}, 40)).status).toBe(200);
    await steward.sql(`update bank_webhooks set received_at = now() - interval '25 hours' where item_id = $1`, [user.itemId]);
    await eventually(async () => {
      await retryNow(steward, 'bank-webhook');
      return steward.logs.some((line) => line.includes('bank webhook dropped'));
    });
    await steward.sql(`update bank_webhooks set received_at = now() - interval '3 days' where item_id = $1`, [user.itemId]);
    await deleteExpiredRows(steward.context.db, 'bank_webhooks');
    expect(await steward.sql('select id from bank_webhooks where item_id = $1', [user.itemId])).toEqual([]);
  });

  it('is queued again two hours after its job was queued, not before', async () => {
    const user = await LinkedUser.of(steward);
    await queueInstalled(steward);
    await steward.sql(
      `insert into bank_webhooks (id, user_id, grant_id, item_id, event, details, digest, queued_at)
       select gen_random_uuid(), user_id, grant_id, $2, event, '{}', event::bytea, now() - ago
       from bank_items, (values ('ITEM/ERROR', interval '121 minutes'), ('ITEM/LOGIN_REPAIRED', interval '1 hour')) stored (event, ago)
       where id = $1`,
      [user.entryId, user.itemId],
    );
    await steward.context.webhooks.sweep();
    const queued = await steward.sql(`select event from bank_webhooks where item_id = $1 and queued_at > now() - interval '30 minutes'`, [
      user.itemId,
    ]);
    // Also deletes the other one, which has no job.
    expect((await user.remove()).status).toBe(200);
    expect(queued).toEqual([{ event: 'ITEM/ERROR' }]);
  });

  it('changes nothing of an item that is disconnected concurrently', async () => {
    const user = await LinkedUser.of(steward);
    const codes = ['ERROR', 'PENDING_DISCONNECT', 'NEW_ACCOUNTS_AVAILABLE', 'USER_PERMISSION_REVOKED', 'SYNC_UPDATES_AVAILABLE'];
    const responses = await Promise.all([user.remove(), ...codes.map((code) => user.hears(code))]);
    expect(responses.map(({ status }) => status).every((status) => status === 200 || status === 404)).toBe(true);
    await allHandled(steward);
    expect(await user.entries()).toEqual([]);
    const told = await user.told();
    expect(told.filter(([event]) => event === 'account.disconnected')).toHaveLength(1);
    expect(told.at(-1)?.[0]).toBe('account.disconnected');
  });

  it('finds the account deleted after its item was read', async () => {
    const user = await LinkedUser.of(steward);
    await steward.control('bank/reset-login', { item_id: user.itemId });
    const read = async () => (await steward.control('bank/state')).calls['/item/get'] ?? 0;
    const handled = () => steward.logs.filter((line) => line.includes('bank webhook handled')).length;
    const [before, others] = [await read(), handled()];
    await steward.control('faults', { part: 'bank', path: '/item/get', kind: 'delay', ms: DELAY_MS, times: 1 });
    expect((await user.hears('ERROR', {}, 50)).status).toBe(200);
    await eventually(async () => (await read()) > before);
    expect((await user.remove()).status).toBe(200);
    await steward.clock.advance(DELAY_MS);
    await eventually(() => handled() > others);
    expect(await user.told()).toEqual([['account.disconnected', {}]]);
  });
});

describe('two concurrent readings of an item', () => {
  let aggregator: BankEmulator;
  let steward: TestSteward;

  beforeAll(async () => {
    aggregator = await new BankEmulator().start();
    steward = await startSteward(aggregator.env);
  });

  afterAll(async () => {
    await steward.stop();
    await aggregator.stop();
  });

  it('keep the result of the later one, although it was stored first', async () => {
    const signer = new WebhookSigner('key');
    const token = await steward.signIn();
    await linkEmulated(steward, token);
    const [grant] = await steward.sql<{ subject: string }>('select subject from grants');
    const [entry] = (await steward.call('/auth/bank/accounts', { token })).body.accounts;
    aggregator.on('/webhook_verification_key/get', (response) => sendJson(response, 200, { ...signer.answer(), request_id: 'r' }));
    const item = (error: object | null) => ({
      item: { institution_id: 'ins_1', institution_name: 'Emulated Bank', error },
      request_id: 'r',
    });
    // The first response, from before the repair, is delayed.
    const late = Promise.withResolvers<void>();
    let readings = 0;
    aggregator.on('/item/get', async (response) => {
      readings += 1;
      if (readings > 1) return sendJson(response, 200, item(null));
      await late.promise;
      sendJson(response, 200, item({ error_code: 'ITEM_LOGIN_REQUIRED', error_type: 'ITEM_ERROR' }));
    });
    const body = eventBody('ERROR', grant?.subject ?? '');
    expect((await deliver(steward, body, await signer.sign(body))).status).toBe(200);
    await eventually(() => readings === 1);
    expect((await steward.call(`/auth/bank/accounts/${entry.id}/refresh`, { method: 'POST', token })).status).toBe(200);
    late.resolve();
    await allHandled(steward);
    expect((await steward.call('/auth/bank/accounts', { token })).body.accounts).toMatchObject([{ status: 'active' }]);
    expect(await steward.sql(`select event from events where event = 'account.status'`)).toEqual([]);
    expect(readings).toBe(3);
  });
});
