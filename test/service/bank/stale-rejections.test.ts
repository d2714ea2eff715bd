import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BankEmulator, EMULATED_ACCOUNTS } from '../../support/emulators/bank-emulator.ts';
import { linkEmulated } from '../../support/emulators/bank-webhooks.ts';
import { newName } from '../../support/scenes/flows.ts';
import { sendJson } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';

const LOGIN_REQUIRED = { error_type: 'ITEM_ERROR', error_code: 'ITEM_LOGIN_REQUIRED', error_message: 'x', request_id: 'r' };
const ITEM = { item_id: 'item', institution_id: 'ins_1', institution_name: 'Emulated Bank', error: null };

let aggregator: BankEmulator;
let steward: TestSteward;
let token: string;
let entryId: string;

beforeAll(async () => {
  aggregator = await new BankEmulator().start();
  steward = await startSteward(aggregator.env);
});
afterAll(async () => {
  await steward.stop();
  await aggregator.stop();
});
beforeEach(async () => {
  aggregator.reset();
  token = await steward.signIn(newName());
  await linkEmulated(steward, token);
  entryId = (await entry()).id;
});

const entry = async () => (await steward.call('/auth/bank/accounts', { token })).body.accounts[0];
const refresh = () => steward.call(`/auth/bank/accounts/${entryId}/refresh`, { method: 'POST', token });
const balances = () => callAction(steward, 'bank.balances', {}, { token }).catch(({ code }: { code: string }) => code);
const linkToken = () => steward.call('/auth/bank/create_link_token', { method: 'POST', token, form: { account_id: entryId } });

/** The next request for this path waits, and further ones are answered as usual. @returns when it has come, what answers it */
function holdNext(path: string): Promise<(status: number, body: object) => void> {
  const { promise, resolve } = Promise.withResolvers<(status: number, body: object) => void>();
  aggregator.on(path, (response) => {
    aggregator.off(path);
    resolve((status, body) => sendJson(response, status, body));
  });
  return promise;
}

describe('a rejection that arrives after the bank was checked', () => {
  it('of a call changes no status', async () => {
    const held = holdNext('/accounts/get');
    const call = balances();
    const answer = await held;
    expect((await refresh()).body).toEqual({ success: true });
    answer(400, LOGIN_REQUIRED);
    expect(await call).toBe('conflict');
    expect((await entry()).status).toBe('active');
  });

  it('of update mode changes no status', async () => {
    const held = holdNext('/link/token/create');
    const opening = linkToken();
    const answer = await held;
    expect((await refresh()).body).toEqual({ success: true });
    answer(400, LOGIN_REQUIRED);
    expect((await opening).body.code).toBe('relink_required');
    expect((await entry()).status).toBe('active');
  });

  it('after which the bank was linked again and again changes no status', async () => {
    const held = holdNext('/accounts/get');
    const call = balances();
    const answer = await held;
    aggregator.on('/accounts/get', { status: 400, body: LOGIN_REQUIRED });
    expect(await balances()).toBe('relink_required');
    expect((await entry()).status).toBe('relink_required');
    aggregator.off('/accounts/get');
    expect((await refresh()).body).toEqual({ success: true });
    answer(400, LOGIN_REQUIRED);
    expect(await call).toBe('conflict');
    expect((await entry()).status).toBe('active');
  });
});

describe('a rejection that several calls receive', () => {
  it('is the status for each of them', async () => {
    const first = holdNext('/accounts/get');
    const one = balances();
    const answerOne = await first;
    const second = holdNext('/accounts/get');
    const other = balances();
    const answerOther = await second;
    answerOne(400, LOGIN_REQUIRED);
    expect(await one).toBe('relink_required');
    answerOther(400, LOGIN_REQUIRED);
    expect(await other).toBe('relink_required');
    expect((await entry()).status).toBe('relink_required');
  });
});

describe('a check that was read before a call was rejected', () => {
  it('is read again, and does not make the bank active', async () => {
    const held = [holdNext('/item/get'), holdNext('/accounts/get')];
    const checking = refresh();
    const [answerItem, answerAccounts] = await Promise.all(held);
    aggregator.on('/accounts/get', { status: 400, body: LOGIN_REQUIRED });
    expect(await balances()).toBe('relink_required');
    aggregator.on('/item/get', { status: 200, body: { item: { ...ITEM, error: LOGIN_REQUIRED }, request_id: 'r' } });
    aggregator.off('/accounts/get');
    answerItem?.(200, { item: ITEM, request_id: 'r' });
    answerAccounts?.(200, { accounts: EMULATED_ACCOUNTS, item: {}, request_id: 'r' });
    await checking;
    expect((await entry()).status).toBe('relink_required');
  });
});
