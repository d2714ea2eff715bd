import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { linkEmulated } from '../../support/emulators/bank-webhooks.ts';
import { sendJson } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let aggregator: BankEmulator;
let steward: TestSteward;
let token: string;
let entryId: string;

beforeAll(async () => {
  aggregator = await new BankEmulator().start();
  steward = await startSteward(aggregator.env);
  token = await steward.signIn();
  await linkEmulated(steward, token);
  entryId = (await list()).id;
});

afterAll(async () => {
  await steward.stop();
  await aggregator.stop();
});

async function list(): Promise<any> {
  return (await steward.call('/auth/bank/accounts', { token })).body.accounts[0];
}

/** The entry's status after a read of the item in this state. */
async function statusWith(item: object): Promise<string> {
  aggregator.on('/item/get', (response) =>
    sendJson(response, 200, { item: { institution_id: 'ins_1', institution_name: 'Emulated Bank', ...item }, request_id: 'r' }),
  );
  expect((await steward.call(`/auth/bank/accounts/${entryId}/refresh`, { method: 'POST', token })).status).toBe(200);
  return (await list()).status;
}

describe('an error of the item', () => {
  it.each([
    ['ITEM_LOGIN_REQUIRED', 'ITEM_ERROR', 'relink_required'],
    ['ITEM_LOCKED', 'ITEM_ERROR', 'relink_required'],
    ['A_NEW_ONE_OF_THE_ITEM', 'ITEM_ERROR', 'relink_required'],
    ['USER_PERMISSION_REVOKED', 'ITEM_ERROR', 'item_gone'],
    ['INSTITUTION_DOWN', 'INSTITUTION_ERROR', 'active'],
    ['A_NEW_ONE_OF_THE_BANK', 'INSTITUTION_ERROR', 'active'],
    ['INTERNAL_SERVER_ERROR', 'API_ERROR', 'active'],
    ['PRODUCT_NOT_READY', 'ITEM_ERROR', 'active'],
    ['constructor', 'API_ERROR', 'active'],
  ])('%s of %s makes it %s', async (code, type, status) => {
    expect(await statusWith({ error: { error_code: code, error_type: type } })).toBe(status);
  });
});

describe('the end of a consent', () => {
  it.each([
    ['in five days is a warning', 5, 'pending_expiration'],
    ['in just under eight days is a warning', 7.9, 'pending_expiration'],
    ['in just over eight days is none yet', 8.1, undefined],
    ['in a month is none yet', 31, undefined],
  ])('%s', async (_what, days, warning) => {
    const time = new Date(steward.clock.now() + days * 86_400_000).toISOString();
    expect(await statusWith({ error: null, consent_expiration_time: time })).toBe('active');
    expect((await list()).warning).toBe(warning);
    expect((await list()).expires_at).toBe(warning === undefined ? undefined : time);
  });
});
