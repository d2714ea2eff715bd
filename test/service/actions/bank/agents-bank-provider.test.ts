import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeError } from '../../../../src/observability/logger.ts';
import { workBegun } from '../../../../src/off-thread/off-thread.ts';
import { BankProvider } from '../../../../src/providers/bank/bank-provider.ts';
import type { BankCall } from '../../../../src/providers/bank/bank-session.ts';
import { ACCESS_TOKEN, BANK_SECRET, BankEmulator } from '../../../support/emulators/bank-emulator.ts';
import { ownIntegrations } from '../../../support/inputs/own-integrations.ts';
import { type ScriptedCall, sendJson } from '../../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { eventually } from '../../../support/time/eventually.ts';
import { callAction } from '../../../support/users/agents.ts';

/** Responses that the sandbox never sends, by a scripted aggregator. */
let emulator: BankEmulator;
let steward: TestSteward;
let token: string;
let users = 0;
const errors: unknown[] = [];

const BALANCES = { available: 1, current: 2, limit: null, iso_currency_code: 'EUR', unofficial_currency_code: null };
const ACCOUNT = {
  account_id: 'a1',
  // It has no mask, so that only this identifies it after it is linked again.
  persistent_account_id: 'lasting-a1',
  name: 'Giro',
  official_name: null,
  type: 'depository',
  subtype: null,
  mask: null,
  balances: BALANCES,
};

/** The limit of a provider's response, unless it is asked for something slow. */
const TIMEOUT_MS = 10_000;

beforeAll(async () => {
  emulator = await new BankEmulator().start();
  const file = ownIntegrations(
    `version: 1
agents:
  bank: { provider: bank, description: Reading., products: [transactions, auth] }
  payments:
    provider: bank
    description: Whole numbers.
    products: [auth]
    actions:
      numbers: { use: bank.numbers, policy: { mask: false } }
`,
  );
  steward = await startSteward({ ...emulator.env, INTEGRATIONS_FILE: file });
});

afterAll(async () => {
  await steward.stop();
  await emulator.stop();
});

beforeEach(async () => {
  emulator.reset();
  users += 1;
  token = await steward.signIn(`emulated-${users}`);
  await link();
  emulator.reset();
});

async function link(): Promise<void> {
  emulator.on('/accounts/get', (response) => sendJson(response, 200, { accounts: [ACCOUNT] }));
  const linked = await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'public-canary' } });
  expect(linked.body).toEqual({ success: true });
}

async function run(action: string, input: unknown = {}): Promise<any> {
  return (await callAction(steward, action, input, { token })).data;
}

/** The error of an action that must fail; each is searched for secrets at the end. */
async function refusal(action: string, input: unknown = {}): Promise<any> {
  const error = await run(action, input).then(
    () => new Error('the action succeeded'),
    (thrown: unknown) => thrown,
  );
  errors.push(error);
  return error;
}

/** The error of an action whose response never comes, or never ends. */
async function late(action: string): Promise<any> {
  const before = emulator.calls.length;
  const refused = refusal(action);
  await eventually(() => emulator.calls.length > before);
  await steward.clock.advance(TIMEOUT_MS);
  return refused;
}

function row(id: string, more: object = {}) {
  return {
    transaction_id: id,
    account_id: 'a1',
    date: '2026-01-02',
    name: id,
    amount: 1,
    iso_currency_code: 'EUR',
    pending: false,
    ...more,
  };
}

/** The object with null in place of every other member. */
function nulls(given: object, kept: string): object {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, name === kept ? value : null]));
}

/** A transaction as the aggregator may send it → the part of its row that tells. */
const ODD_ROWS: [string, object, object][] = [
  ['without pending', without('pending'), { pending: false }],
  ['without a date', without('date'), { date: null, amount: 1 }],
  ['without an amount', without('amount'), { amount: null }],
  ['without an account', without('account_id'), { account: null }],
  ['without a name', without('name'), { name: null }],
  ['with null in every member', nulls(row('odd'), 'transaction_id'), { name: null, amount: null, pending: false }],
  ['with a category of null', row('odd', { personal_finance_category: { primary: null, detailed: null } }), { category: null }],
  ['with a category that is a text', row('odd', { personal_finance_category: 'FOOD' }), { category: null }],
  [
    'with a new category',
    row('odd', { personal_finance_category: { primary: 'SPACE_TRAVEL' } }),
    { category: 'SPACE_TRAVEL', subcategory: null },
  ],
  [
    'with a new channel and members',
    row('odd', { payment_channel: 'telepathy', running_balance: {}, counterparties: null }),
    { id: 'odd' },
  ],
  ['with an amount as a text', row('odd', { amount: '1.00' }), { amount: null }],
  ['with an amount beyond all money', row('odd', { amount: -1.7e308 }), { amount: null }],
  [
    'with a day and a time',
    row('odd', { date: '2026-01-02T23:30:00Z', authorized_date: '2 Jan' }),
    { date: '2026-01-02', authorized: null },
  ],
  [
    'with empty texts',
    row('odd', { name: '', merchant_name: ' ', iso_currency_code: '', unofficial_currency_code: 'USDT' }),
    { name: null, merchant: null, currency: 'USDT' },
  ],
  ['with a list for a name', row('odd', { name: ['a'], merchant_name: 5 }), { name: null, merchant: null }],
  ['with half an emoji', row('odd', { name: 'Shop \ud83d' }), { name: 'Shop \ufffd' }],
];

function without(name: string): object {
  const { [name]: _, ...rest } = row('odd') as Record<string, unknown>;
  return rest;
}

function page(ids: string[], next_cursor: string, has_more = false) {
  return { added: ids.map((id) => row(id)), modified: [], removed: [], next_cursor, has_more };
}

const MUTATION = 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION';

/** Responses of /transactions/sync in order: a page, or an error's code. Later ones are empty pages. */
function script(...responses: (object | string)[]): void {
  emulator.on('/transactions/sync', (response, call) => {
    const linked = responses.shift() ?? page([], call.body.cursor ?? 'end');
    if (typeof linked === 'string') sendJson(response, 400, { error_code: linked, error_message: BANK_SECRET });
    else sendJson(response, 200, linked);
  });
}

/** Collects the responses of a path until they are sent. */
function hold(path: string): { waiting: { response: ServerResponse; call: ScriptedCall }[] } {
  const held = { waiting: [] as { response: ServerResponse; call: ScriptedCall }[] };
  emulator.on(path, (response, call) => void held.waiting.push({ response, call }));
  return held;
}

/** The bodies sent to the aggregator, without the token. */
function sent(path: string): object[] {
  return emulator.calls
    .filter((call) => call.path === path)
    .map(({ body: { access_token: accessToken, ...body } }) => {
      expect(accessToken).toContain(ACCESS_TOKEN);
      return body;
    });
}

async function entries(): Promise<any[]> {
  return (await steward.call('/auth/bank/accounts', { token })).body.accounts;
}

async function kept(): Promise<any> {
  const [entry] = await entries();
  const [found] = await steward.sql<any>('select sync_state from bank_items where id = $1', [entry.id]);
  return found.sync_state;
}

describe('bank.balances at the aggregator', () => {
  it('sends only the requested fields, and returns nulls unchanged', async () => {
    const bare = { account_id: 'a2', name: 'Bare', type: 'other', balances: {} };
    emulator.on('/accounts/get', (response) => sendJson(response, 200, { accounts: [ACCOUNT, bare], item: { webhook: 'x' }, secret: 'x' }));
    const data = await run('bank.balances');
    expect(sent('/accounts/get')).toEqual([{}]);
    expect(data.accounts).toEqual([
      {
        id: 'a1',
        name: 'Giro',
        official_name: null,
        type: 'depository',
        subtype: null,
        mask: null,
        balances: { available: 1, current: 2, limit: null, currency: 'EUR', updated: null },
      },
      {
        id: 'a2',
        name: 'Bare',
        official_name: null,
        type: 'other',
        subtype: null,
        mask: null,
        balances: { available: null, current: null, limit: null, currency: null, updated: null },
      },
    ]);
    expect(Object.keys(data).sort()).toEqual(['accounts', 'live']);
    await run('bank.balances', { account_ids: ['a1'] });
    expect(sent('/accounts/get')[1]).toEqual({ options: { account_ids: ['a1'] } });
  });

  it('accepts currencies outside ISO 4217', async () => {
    const balances = { ...BALANCES, iso_currency_code: null, unofficial_currency_code: 'BTC' };
    emulator.on('/accounts/get', (response) => sendJson(response, 200, { accounts: [{ ...ACCOUNT, balances }] }));
    expect((await run('bank.balances')).accounts[0].balances.currency).toBe('BTC');
  });

  it('cleans the bank’s names, and keeps them whole', async () => {
    const name = `\u0000Giro\u001b[31m\n\ud800${'x'.repeat(5000)}`;
    emulator.on('/accounts/get', (response) => sendJson(response, 200, { accounts: [{ ...ACCOUNT, name }] }));
    const [account] = (await run('bank.balances')).accounts;
    expect(account.name).toBe(` Giro [31m \ufffd${'x'.repeat(5000)}`);
  });

  it('hides an account number within an account’s name', async () => {
    const named = { ...ACCOUNT, name: 'Giro 12345678', official_name: 'Card 4111-1111 1111.1234, 2nd', mask: '12345678' };
    emulator.on('/accounts/get', (response) => sendJson(response, 200, { accounts: [named] }));
    expect((await run('bank.balances')).accounts).toMatchObject([
      { name: 'Giro ••••5678', official_name: 'Card ••••1234, 2nd', mask: '5678' },
    ]);
  });

  it.each([
    ['Konto 1234\u00a05678\u00a09012', 'Konto ••••9012'],
    ['1234–5678–9012 / 12345678', '••••5678'],
    ['Card 4111_1111_1111_1111', 'Card ••••1111'],
    ['1234  5678  9012', '••••9012'],
    ['Konto ١٢٣٤٥٦٧٨', 'Konto ••••٥٦٧٨'],
    ['Plan 401k, since 2024', 'Plan 401k, since 2024'],
  ])('hides it however it is written: %j', async (name, shown) => {
    emulator.on('/accounts/get', (response) => sendJson(response, 200, { accounts: [{ ...ACCOUNT, name }] }));
    expect((await run('bank.balances')).accounts).toMatchObject([{ name: shown }]);
  });

  it('returns an account once, if the bank repeats it', async () => {
    emulator.on('/accounts/get', (response) => sendJson(response, 200, { accounts: [ACCOUNT, ACCOUNT] }));
    expect((await run('bank.balances')).accounts).toMatchObject([{ id: 'a1' }]);
  });

  it.each<[string, unknown, object]>([
    ['with an empty name', { ...ACCOUNT, account_id: 'a2', name: ' ', official_name: 'Giro Plus' }, { name: 'Giro Plus' }],
    ['without balances', { account_id: 'a2', name: 'Bare', type: 'other' }, { id: 'a2', balances: { current: null, currency: null } }],
    ['with null in every member', nulls({ ...ACCOUNT, account_id: 'a2' }, 'account_id'), { id: 'a2', name: 'Account', type: 'other' }],
    ['with members of other types', { ...ACCOUNT, account_id: 'a2', mask: 4242, balances: [] }, { id: 'a2', mask: null }],
    ['with an amount that is no number', { ...ACCOUNT, account_id: 'a2', balances: { current: '12', available: 1 } }, { id: 'a2' }],
    ['with a new type', { ...ACCOUNT, account_id: 'a2', type: 'wallet', subtype: 'cash isa 2' }, { type: 'wallet', subtype: 'cash isa 2' }],
  ])('returns an account %s beside the others', async (_what, given, shown) => {
    emulator.on('/accounts/get', (response) => sendJson(response, 200, { accounts: [ACCOUNT, given] }));
    const { accounts, unreadable } = await run('bank.balances');
    expect(accounts).toMatchObject([{ id: 'a1' }, shown]);
    expect(unreadable).toBeUndefined();
  });

  it('leaves out what has no id, and says so', async () => {
    const body = `{"accounts":[${JSON.stringify(ACCOUNT)},null,{"name":"x"},{"account_id":7},"x",{"balances":{"current":1e999}}]}`;
    emulator.on('/accounts/get', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    expect(await run('bank.balances')).toMatchObject({ accounts: [{ id: 'a1' }], unreadable: 5 });
  });

  it('waits longer for live balances', async () => {
    const live = hold('/accounts/balance/get');
    const kept = hold('/accounts/get');
    const balances = run('bank.balances', { live: true });
    await eventually(() => live.waiting.length === 1);
    const shorter = refusal('bank.balances');
    await eventually(() => kept.waiting.length === 1);
    await steward.clock.advance(TIMEOUT_MS);
    expect(await shorter).toMatchObject({ code: 'provider_timeout' });
    sendJson(live.waiting[0]?.response as ServerResponse, 200, { accounts: [ACCOUNT] });
    expect((await balances).accounts).toHaveLength(1);
    expect(sent('/accounts/balance/get')).toEqual([{}]);
  });

  it('sends the maximum age of a balance to the one bank that requires it', async () => {
    const institution = (id: string) => ({ item: { item_id: 'item', institution_id: id, institution_name: 'Bank', error: null } });
    token = await steward.signIn('emulated-oldest');
    emulator.on('/item/get', (response) => sendJson(response, 200, institution('ins_128026')));
    await link();
    emulator.on('/accounts/balance/get', (response) => sendJson(response, 200, { accounts: [ACCOUNT] }));
    await run('bank.balances', { live: true });
    const [{ options }] = sent('/accounts/balance/get') as [any];
    expect(options).toEqual({ min_last_updated_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) });
    expect(Date.parse(options.min_last_updated_datetime)).toBeLessThan(steward.clock.now());
  });
});

describe('bank.changes at the aggregator', () => {
  /** Changes that were read and received, so that the position is after them. */
  async function received(...pages: (object | string)[]): Promise<any> {
    script(...pages);
    const { cursor } = await run('bank.changes');
    const data = await run('bank.changes', { cursor });
    emulator.calls.length = 0;
    return data;
  }

  it('reads all pages, and stores the cursor at the end when the result was received', async () => {
    script(page(['t1', 't2'], 'c1', true), page(['t3'], 'c2', true), page(['t4'], 'c3'));
    const data = await run('bank.changes', { max: 10 });
    expect(data.added.map(({ id }: any) => id)).toEqual(['t1', 't2', 't3', 't4']);
    expect(data).toMatchObject({ more: false, reset: true });
    expect(sent('/transactions/sync')).toEqual([{ count: 10 }, { cursor: 'c1', count: 8 }, { cursor: 'c2', count: 7 }]);
    expect(await kept()).toMatchObject({ start: '', cursor: '' });
    expect(await run('bank.changes', { cursor: data.cursor })).toMatchObject({ added: [], cursor: data.cursor });
    expect(sent('/transactions/sync')[3]).toEqual({ cursor: 'c3', count: 100 });
    expect(await kept()).toEqual({ item: expect.stringMatching(/^item-/), start: 'c3', cursor: 'c3' });
  });

  it('repeats what was not received, and says so', async () => {
    await received(page(['t0'], 'c0'));
    script(page(['t1'], 'c1'), page(['t1', 't2'], 'c2'), page([], 'c2'));
    const lost = await run('bank.changes');
    expect(lost.added).toMatchObject([{ id: 't1' }]);
    expect(lost).not.toHaveProperty('repeated');
    const again = await run('bank.changes');
    expect(again).toMatchObject({ added: [{ id: 't1' }, { id: 't2' }], repeated: true });
    expect(await run('bank.changes', { cursor: again.cursor })).not.toHaveProperty('repeated');
    expect(sent('/transactions/sync').map(({ cursor }: any) => cursor)).toEqual(['c0', 'c0', 'c2']);
    expect(await kept()).toMatchObject({ cursor: 'c2' });
  });

  it('gives the same again for a cursor whose response was lost', async () => {
    await received(page(['t0'], 'c0'));
    script(page(['t1'], 'c1'), page(['t2'], 'c2'), page(['t2'], 'c2'));
    const first = await run('bank.changes');
    const lost = await run('bank.changes', { cursor: first.cursor });
    expect(await run('bank.changes', { cursor: first.cursor })).toEqual(lost);
    expect(lost.added).toMatchObject([{ id: 't2' }]);
    expect(await kept()).toMatchObject({ cursor: 'c1' });
  });

  it('moves over what nobody has to receive', async () => {
    await received(page(['t0'], 'c0'));
    script(page([], 'c1'));
    expect(await run('bank.changes')).toMatchObject({ added: [], more: false });
    expect(await kept()).toMatchObject({ cursor: 'c1' });
  });

  it('reads on from a cursor of an earlier version, without moving the position', async () => {
    await received(page(['t0'], 'c0'));
    script(page(['t1'], 'c1'));
    expect(await run('bank.changes', { cursor: 'c0' })).toMatchObject({ added: [{ id: 't1' }], cursor: 'c1' });
    expect(await kept()).toEqual({ item: expect.any(String), start: 'c0', cursor: 'c0' });
  });

  it('does not go back when an older result is confirmed late', async () => {
    await received(page(['t0'], 'c0'));
    script(page(['t1'], 'c1'), page(['t2'], 'c2'), page(['t3'], 'c3'), page(['t2', 't3'], 'c3'));
    const first = await run('bank.changes');
    const second = await run('bank.changes', { cursor: first.cursor });
    await run('bank.changes', { cursor: second.cursor });
    expect((await run('bank.changes', { cursor: first.cursor })).added).toMatchObject([{ id: 't2' }, { id: 't3' }]);
    expect(await kept()).toMatchObject({ cursor: 'c2' });
  });

  it('drops all pages if data changes meanwhile, and starts again from the first cursor', async () => {
    await received(page(['t0'], 'c0'));
    script(page(['t1', 'gone'], 'c1', true), MUTATION, page(['t1'], 'c1b', true), MUTATION, page(['t1', 't2'], 'c2'));
    const data = await run('bank.changes');
    expect(data.added.map(({ id }: any) => id)).toEqual(['t1', 't2']);
    expect(data).not.toHaveProperty('restarted');
    expect(sent('/transactions/sync').map(({ cursor }: any) => cursor)).toEqual(['c0', 'c1', 'c0', 'c1b', 'c0']);
    expect(await kept()).toMatchObject({ start: 'c0', cursor: 'c0', offered: { start: 'c2', cursor: 'c2' } });
  });

  it('keeps the first cursor across calls', async () => {
    await received(page(['t0'], 'c0'));
    script(page(['t1', 't2'], 'c1', true), MUTATION, page(['t1'], 'c1b', true), page(['t2', 't3'], 'c2'));
    const part = await run('bank.changes', { max: 2 });
    expect(part).toMatchObject({ more: true });
    emulator.calls.length = 0;
    const data = await run('bank.changes', { cursor: part.cursor, max: 3 });
    expect(await kept()).toMatchObject({ start: 'c0', cursor: 'c1' });
    expect(data).toMatchObject({ more: false, restarted: true });
    expect(data.added.map(({ id }: any) => id)).toEqual(['t1', 't2', 't3']);
    expect(sent('/transactions/sync').map(({ cursor }: any) => cursor)).toEqual(['c1', 'c0', 'c1b']);
  });

  it('gives up if data changes every time, and keeps its cursor', async () => {
    await received(page(['t0'], 'c0'));
    const before = await kept();
    emulator.fail(MUTATION, '/transactions/sync');
    expect(await refusal('bank.changes')).toMatchObject({ code: 'unavailable', retryAfter: 1 });
    expect(emulator.calls.length).toBeLessThanOrEqual(10);
    expect(await kept()).toEqual(before);
  });

  /** Every request from one of these cursors is refused with the code. */
  function refuses(code: string, cursors: (string | undefined)[], otherwise: (cursor: string | undefined) => object): void {
    emulator.on('/transactions/sync', (response, call) => {
      if (cursors.includes(call.body.cursor)) sendJson(response, 400, { error_code: code, error_message: BANK_SECRET });
      else sendJson(response, 200, otherwise(call.body.cursor));
    });
  }

  it.each([
    ['at its cursor', ['c0'], []],
    ['within the pages after it', ['c1'], ['c0']],
  ])('starts from the beginning if the aggregator reports a change every time %s', async (_where, refused, read) => {
    await received(page(['t0'], 'c0'));
    refuses(MUTATION, refused, (cursor) => (cursor === 'c0' ? page(['t1'], 'c1', true) : page(['n0'], 'n1')));
    const data = await run('bank.changes');
    expect(data).toMatchObject({ reset: true, added: [{ id: 'n0' }], more: false });
    expect(data).not.toHaveProperty('restarted');
    const cursors = sent('/transactions/sync').map(({ cursor }: any) => cursor);
    expect(new Set(cursors)).toEqual(new Set([...refused, ...read, undefined]));
    expect(cursors.length).toBeLessThanOrEqual(10);
    await run('bank.changes', { cursor: data.cursor });
    expect(await kept()).toMatchObject({ start: 'n1', cursor: 'n1' });
  });

  it('starts from the beginning for a caller’s own cursor, too', async () => {
    refuses(MUTATION, ['mine'], () => page(['n0'], 'n1'));
    expect(await run('bank.changes', { cursor: 'mine' })).toMatchObject({ reset: true, added: [{ id: 'n0' }], cursor: 'n1' });
  });

  it('starts from the beginning if the cursor does not advance', async () => {
    await received(page(['t0'], 'c0'));
    refuses('unused', [], (cursor) => (cursor === 'c0' ? page(['t1'], 'c0', true) : page(['n0'], 'n1')));
    const data = await run('bank.changes');
    expect(data).toMatchObject({ reset: true, added: [{ id: 'n0' }] });
  });

  it('starts from the beginning if the cursors go in a circle', async () => {
    await received(page(['t0'], 'c0'));
    refuses('unused', [], (cursor) => (cursor === undefined ? page(['n0'], 'n1') : page(['t1'], cursor === 'c1' ? 'c0' : 'c1', true)));
    const data = await run('bank.changes');
    expect(data).toMatchObject({ reset: true, added: [{ id: 'n0' }], more: false });
    expect(emulator.calls.length).toBeLessThanOrEqual(10);
  });

  it.each<[string, object[], object]>([
    [
      'once, if the bank repeats it',
      [{ added: [row('x'), row('x')], modified: [row('y'), row('y', { amount: 2 })] }],
      { added: ['x 1'], modified: ['y 2'] },
    ],
    [
      'as added and as modified, if it was both',
      [{ added: [row('x')] }, { modified: [row('x', { amount: 2 })] }],
      { added: ['x 1'], modified: ['x 2'] },
    ],
    [
      'as removed only, if it was added or modified before',
      [{ added: [row('x')], modified: [row('y')] }, { removed: [{ transaction_id: 'x' }, { transaction_id: 'y' }] }],
      { added: [], modified: [], removed: ['x', 'y'] },
    ],
    [
      'as added only, if it was removed before',
      [{ removed: [{ transaction_id: 'x' }] }, { added: [row('x')] }],
      { added: ['x 1'], removed: [] },
    ],
    [
      'as removed, if a page has it as added, too',
      [{ added: [row('x')], removed: [{ transaction_id: 'x' }] }],
      { added: [], removed: ['x'] },
    ],
  ])('returns a transaction %s', async (_what, pages, expected) => {
    script(...pages.map((changed, index) => ({ ...page([], `c${index}`, index < pages.length - 1), ...changed })));
    const { added, modified, removed } = await run('bank.changes');
    const shown = (rows: any[]) => rows.map(({ id, amount }) => `${id} ${amount}`);
    expect({ added: shown(added), modified: shown(modified), removed: removed.map(({ id }: any) => id) }).toMatchObject(expected);
  });

  it.each(['INVALID_FIELD', 'INVALID_CURSOR', 'TRANSACTIONS_CURSOR_EXPIRED'])(
    'starts from the beginning if the aggregator rejects the cursor with %s',
    async (code) => {
      await received(page(['t0'], 'c0'));
      script(code, page(['n0'], 'n1'));
      const data = await run('bank.changes');
      expect(data).toMatchObject({ reset: true, added: [{ id: 'n0' }] });
      expect(sent('/transactions/sync')).toEqual([{ cursor: 'c0', count: 100 }, { count: 100 }]);
      await run('bank.changes', { cursor: data.cursor });
      expect(await kept()).toMatchObject({ start: 'n1', cursor: 'n1' });
    },
  );

  it('treats an empty cursor as "not ready", whatever the other fields, and keeps its cursor', async () => {
    await received(page(['t0'], 'c0'));
    const before = await kept();
    script(page(['t1'], '', true), page(['t1'], 'c1', true), page([], '', false), { ...page([], ''), next_cursor: null });
    for (const _ of [1, 2, 3]) expect(await run('bank.changes')).toMatchObject({ added: [], ready: false, more: false, cursor: '!c0' });
    expect(await kept()).toEqual(before);
  });

  it('stops if the aggregator always has more', async () => {
    emulator.on('/transactions/sync', (response, call) => sendJson(response, 200, page([], `${call.body.cursor ?? ''}x`, true)));
    expect(await run('bank.changes')).toMatchObject({ more: true, added: [] });
    expect(emulator.calls.length).toBeLessThanOrEqual(50);
  });

  it('of two concurrent calls returns each change to one of them, and to the other when it retries', async () => {
    const held = hold('/transactions/sync');
    const both = [run('bank.changes'), run('bank.changes')];
    await eventually(() => held.waiting.length === 2);
    for (const { response } of held.waiting) sendJson(response, 200, page(['t1'], 'c1'));
    const outcomes = await Promise.allSettled(both);
    const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.added] : []));
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(won).toMatchObject([[{ id: 't1' }]]);
    expect(lost).toMatchObject([{ code: 'conflict', retryAfter: 1 }]);
    script(page(['t1'], 'c1'));
    expect(await run('bank.changes')).toMatchObject({ added: [{ id: 't1' }], repeated: true });
  });

  it.each([
    ['before its first reading', []],
    ['after another', [page(['t0'], 'c0')]],
  ])('is discarded if the bank is linked again while it reads, %s', async (_name, before) => {
    if (before.length > 0) await received(...before);
    const held = hold('/transactions/sync');
    const reading = refusal('bank.changes');
    await eventually(() => held.waiting.length === 1);
    const [entry] = await entries();
    await link();
    expect(await entries()).toEqual([entry]);
    sendJson(held.waiting[0]?.response as ServerResponse, 200, page(['old'], 'old'));
    expect(await reading).toMatchObject({ code: 'conflict' });
    expect(await kept()).toEqual({ item: expect.stringMatching(/^item-\d+$/), start: '', cursor: '' });
    script(page(['new'], 'c1'));
    expect(await run('bank.changes')).toMatchObject({ reset: true, added: [{ id: 'new' }] });
    expect(sent('/transactions/sync').at(-1)).toEqual({ count: 100 });
  });

  it('starts from the beginning with a cursor from before the bank was linked again', async () => {
    const { cursor } = await received(page(['t0'], 'c0'));
    await link();
    script('INVALID_FIELD', page(['new'], 'n1'), page(['new'], 'n1'));
    expect(await run('bank.changes', { cursor })).toMatchObject({ reset: true, added: [{ id: 'new' }] });
    expect(await kept()).toMatchObject({ cursor: '' });
    expect(await run('bank.changes')).toMatchObject({ reset: true, added: [{ id: 'new' }] });
  });

  it('keeps its cursor if there is no response, or an invalid one', async () => {
    await received(page(['t0'], 'c0'));
    const before = await kept();
    emulator.on('/transactions/sync', () => {});
    expect(await late('bank.changes')).toMatchObject({ code: 'provider_timeout' });
    script({ ...page(['t1'], 'c1'), added: { t1: row('t1') } });
    expect(await refusal('bank.changes')).toMatchObject({ code: 'provider_error' });
    script(page(['t1'], 'c1', true), { next_cursor: 'c2' });
    expect(await refusal('bank.changes')).toMatchObject({ code: 'provider_error' });
    script(page(['t1'], 'c1\u0000'));
    expect(await refusal('bank.changes')).toMatchObject({ code: 'provider_error' });
    expect(await kept()).toEqual(before);
    script(page(['t1'], 'c1'));
    expect(await run('bank.changes')).toMatchObject({ added: [{ id: 't1' }] });
  });

  it('keeps its cursor if the caller leaves before the response', async () => {
    const held = hold('/transactions/sync');
    const user = await steward.context.sessions.authenticate(token);
    const abort = new AbortController();
    const calling = steward.context.executor
      .invoke({ user, surface: 'socket', action: 'bank.changes', input: {}, signal: abort.signal })
      .catch((error: unknown) => error);
    await eventually(() => held.waiting.length === 1);
    abort.abort();
    expect(await calling).toMatchObject({ code: expect.stringMatching(/^(aborted|provider_timeout)$/) });
    expect(await kept()).toBeNull();
  });

  it.each(ODD_ROWS)('returns a page with a transaction %s', async (_what, odd, shown) => {
    script({ ...page(['t1'], 'c1'), added: [row('t1'), odd], modified: null });
    const data = await run('bank.changes');
    expect(data.added).toMatchObject([{ id: 't1' }, shown]);
    expect(data.modified).toEqual([]);
    expect(data).not.toHaveProperty('unreadable');
  });

  it('leaves out what has no id, and says so', async () => {
    const modified = [{ ...row('x'), transaction_id: 7 }, row('t3')];
    script({ added: [null, row('t1'), 'x', []], modified, removed: [{ account_id: 'a1' }], next_cursor: 'c1', has_more: false });
    expect(await run('bank.changes')).toMatchObject({ added: [{ id: 't1' }], modified: [{ id: 't3' }], removed: [], unreadable: 5 });
  });

  it('returns removed rows, also without an account', async () => {
    const removed = [{ transaction_id: 't1', account_id: 'a1' }, { transaction_id: 't2' }];
    script({ ...page([], 'c1'), removed });
    expect((await run('bank.changes')).removed).toEqual([
      { id: 't1', account: 'a1' },
      { id: 't2', account: null },
    ]);
  });
});

describe('bank.transactions at the aggregator', () => {
  it('sends days, count and offset, and returns nulls unchanged', async () => {
    const bare = { transaction_id: 't1', account_id: 'a1', date: '2026-01-02', amount: -0.1, pending: true };
    const crypto = row('t2', { iso_currency_code: null, unofficial_currency_code: 'BTC', merchant_name: 'Shop', access_token: 'x' });
    emulator.on('/transactions/get', (response) =>
      sendJson(response, 200, { accounts: [ACCOUNT], transactions: [bare, crypto], total_transactions: 9 }),
    );
    const data = await run('bank.transactions', { from: '2026-01-01', to: '2026-01-31', account_ids: ['a1'], max: 2, page: '4' });
    expect(sent('/transactions/get')).toEqual([
      { start_date: '2026-01-01', end_date: '2026-01-31', options: { account_ids: ['a1'], count: 2, offset: 4 } },
    ]);
    expect(data).toMatchObject({ total: 9, next: '6', accounts: [{ id: 'a1', name: 'Giro', mask: null }] });
    expect(data.items[0]).toEqual({
      id: 't1',
      date: '2026-01-02',
      authorized: null,
      name: null,
      merchant: null,
      amount: -0.1,
      currency: null,
      account: 'a1',
      category: null,
      subcategory: null,
      pending: true,
      pending_id: null,
    });
    expect(data.items[1]).toMatchObject({ currency: 'BTC', merchant: 'Shop' });
    expect(data.items[1]).not.toHaveProperty('access_token');
  });
});

describe('bank.transactions with rows that are not as documented', () => {
  it.each(ODD_ROWS)('returns one %s', async (_what, odd, shown) => {
    const body = { accounts: null, transactions: [row('t1'), odd], total_transactions: 2 };
    emulator.on('/transactions/get', (response) => sendJson(response, 200, body));
    const data = await run('bank.transactions');
    expect(data.items).toMatchObject([{ id: 't1' }, shown]);
    expect(data.accounts).toEqual([]);
  });

  it('leaves out what has no id, says so, and pages over it', async () => {
    const body = { accounts: [ACCOUNT, {}], transactions: [row('t1'), {}, null], total_transactions: 9 };
    emulator.on('/transactions/get', (response) => sendJson(response, 200, body));
    expect(await run('bank.transactions', { max: 3 })).toMatchObject({ items: [{ id: 't1' }], unreadable: 2, next: '3' });
  });

  it('are returned and added up once, if the bank repeats them', async () => {
    const transactions = [row('t1'), row('t1'), row('t2')];
    const accounts = [ACCOUNT, ACCOUNT];
    emulator.on('/transactions/get', (response) => sendJson(response, 200, { accounts, transactions, total_transactions: 5 }));
    const data = await run('bank.transactions', { max: 3 });
    expect(data).toMatchObject({ items: [{ id: 't1' }, { id: 't2' }], accounts: [{ id: 'a1' }], next: '3' });
    emulator.on('/transactions/get', (response) => sendJson(response, 200, { accounts, transactions, total_transactions: 3 }));
    expect((await run('bank.spending')).totals).toMatchObject([{ amount: 2, count: 2 }]);
  });

  it('are in no sum without an amount', async () => {
    const transactions = [row('t1'), without('amount'), {}];
    emulator.on('/transactions/get', (response) => sendJson(response, 200, { accounts: [], transactions, total_transactions: 3 }));
    const { totals, unreadable, truncated } = await run('bank.spending');
    expect(totals).toMatchObject([{ amount: 1, count: 1 }]);
    expect({ unreadable, truncated }).toEqual({ unreadable: 2, truncated: undefined });
  });
});

describe('bank.numbers at the aggregator', () => {
  const NUMBERS = {
    ach: [
      { account_id: 'a1', account: '1111222233330000', routing: '011401533', wire_routing: '021000021', is_tokenized_account_number: true },
      { account_id: 'other', account: '999999999', routing: '011401533', wire_routing: null },
    ],
    eft: [{ account_id: 'a1', account: '111122223', institution: '021', branch: '01140' }],
    international: [{ account_id: 'a1', iban: 'GB29NWBK60161331926819', bic: 'NWBKGB21' }],
    bacs: [{ account_id: 'a1', account: '31926819', sort_code: '601613' }],
  };
  const SECRET = ['1111222233330000', '011401533', '021000021', '111122223', '01140', 'GB29NWBK60161331926819', '31926819', '601613'];

  beforeEach(() => {
    emulator.on('/auth/get', (response) => sendJson(response, 200, { accounts: [ACCOUNT], numbers: NUMBERS }));
  });

  it('masks every kind, and shows at most half of a short one', async () => {
    const data = await run('bank.numbers');
    expect(data).toEqual({
      masked: true,
      accounts: [
        {
          id: 'a1',
          name: 'Giro',
          type: 'depository',
          subtype: null,
          numbers: [
            { kind: 'ach', account: '••••0000', routing: '••••1533', wire_routing: '••••0021', tokenized: true },
            { kind: 'eft', account: '••••2223', institution: '••••1', branch: '••••40' },
            { kind: 'international', iban: '••••6819', bic: '••••GB21' },
            { kind: 'bacs', account: '••••6819', sort_code: '••••613' },
          ],
        },
      ],
    });
    for (const number of SECRET) expect(JSON.stringify(data)).not.toContain(number);
  });

  it('leaves out accounts and numbers that can’t be read, and says so', async () => {
    const numbers = { ach: [{ account_id: 'a1', account: null }, ...NUMBERS.ach], eft: null, international: [{}] };
    const accounts = [nulls(ACCOUNT, 'account_id'), { name: 'No id' }];
    emulator.on('/auth/get', (response) => sendJson(response, 200, { accounts, numbers }));
    const data = await run('bank.numbers');
    expect(data.accounts).toMatchObject([{ id: 'a1', name: 'Account', type: 'other', numbers: [{ kind: 'ach' }] }]);
    expect(data.unreadable).toBe(3);
  });

  it('has none if the aggregator sends none', async () => {
    emulator.on('/auth/get', (response) => sendJson(response, 200, { accounts: [ACCOUNT], numbers: null }));
    expect((await run('bank.numbers')).accounts).toMatchObject([{ id: 'a1', numbers: [] }]);
  });

  it('shows full numbers only if the action’s policy allows it', async () => {
    const data = await run('payments.numbers');
    expect(data.masked).toBe(false);
    expect(data.accounts[0].numbers[0]).toMatchObject({ account: '1111222233330000', routing: '011401533', wire_routing: '021000021' });
    expect((await run('bank.numbers')).masked).toBe(true);
    // Short numbers occur in times and ids by chance.
    const said = steward.logs.join('').replaceAll(/"time":\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '');
    for (const number of SECRET) expect(said).not.toContain(number);
  });
});

describe('connecting a bank', () => {
  it('leaves out accounts without an id, and takes the others', async () => {
    token = await steward.signIn('emulated-odd-accounts');
    emulator.on('/accounts/get', (response) => sendJson(response, 200, { accounts: [null, { name: 'No id' }, ACCOUNT] }));
    const linked = await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'public-canary' } });
    expect(linked.body).toEqual({ success: true });
    expect(await entries()).toMatchObject([{ mask: [{ name: 'Giro', mask: '' }] }]);
  });

  it('takes an account once that the bank repeats, and the last digits of its number only', async () => {
    token = await steward.signIn('emulated-repeated-accounts');
    const accounts = [{ ...ACCOUNT, mask: '1234567890' }, ACCOUNT, { ...ACCOUNT, mask: '1234567890' }];
    emulator.on('/accounts/get', (response) => sendJson(response, 200, { accounts }));
    await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'public-canary' } });
    const [entry] = await entries();
    expect(entry.mask).toEqual([{ name: 'Giro', mask: '7890' }]);
  });
});

describe('the status of an item', () => {
  it.each([
    ['ITEM_LOGIN_REQUIRED', 'relink_required'],
    ['ITEM_LOCKED', 'relink_required'],
    ['ACCESS_NOT_GRANTED', 'relink_required'],
    ['ITEM_NOT_FOUND', 'item_gone'],
    ['USER_PERMISSION_REVOKED', 'item_gone'],
  ])('after %s is %s', async (bankCode, status) => {
    emulator.fail(bankCode, '/accounts/get');
    expect(await refusal('bank.balances')).toMatchObject({ code: status });
    expect(await entries()).toMatchObject([{ status }]);
  });

  it('changes once, with one event, however it is found', async () => {
    emulator.fail('ITEM_LOGIN_REQUIRED', '/accounts/get');
    const refused = await Promise.all(Array.from({ length: 8 }, () => refusal('bank.balances')));
    for (const error of refused) expect(error).toMatchObject({ code: 'relink_required' });
    const [entry] = await entries();
    const events = async () =>
      (await steward.sql<any>('select event, data from events order by id')).filter(
        ({ event, data }) => event === 'account.status' && JSON.stringify(data).includes(entry.id),
      );
    expect(await events()).toMatchObject([{ data: { status: 'relink_required' } }]);
    await steward.call(`/auth/bank/accounts/${entry.id}/refresh`, { method: 'POST', token });
    expect(await events()).toHaveLength(1);
    await link();
    expect((await events()).map(({ data }) => data.status)).toEqual(['relink_required', 'active']);
  });

  it('stays after a late rejection of a token that was replaced meanwhile', async () => {
    const held = hold('/accounts/balance/get');
    const late = refusal('bank.balances', { live: true });
    await eventually(() => held.waiting.length === 1);
    await link();
    sendJson(held.waiting[0]?.response as ServerResponse, 400, { error_code: 'ITEM_LOGIN_REQUIRED' });
    expect(await late).toMatchObject({ code: 'conflict', retryAfter: 1 });
    expect(await entries()).toMatchObject([{ status: 'active' }]);
  });
});

const FAULTS: [string, string, (response: ServerResponse) => void][] = [
  ['a web page', 'provider_error', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>')],
  ['broken JSON', 'provider_error', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"accounts":[')],
  ['a response of 6 MB', 'provider_error', (response) => sendJson(response, 200, { accounts: [], pad: 'x'.repeat(6_000_000) })],
  ['a cut connection', 'provider_error', (response) => response.socket?.destroy()],
  ['a redirect', 'provider_error', (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ['a response without its list', 'provider_error', (response) => sendJson(response, 200, { accounts: null, numbers: {} })],
  ['a response that never ends', 'provider_timeout', (response) => response.writeHead(200).write('{')],
];

describe('a failing aggregator', () => {
  it.each(FAULTS)('%s becomes %s, and the item is unchanged', async (_name, code, response) => {
    emulator.on('*', response);
    for (const action of ['bank.balances', 'bank.numbers']) {
      expect(await (code === 'provider_timeout' ? late(action) : refusal(action))).toMatchObject({ code });
    }
    expect(await entries()).toMatchObject([{ status: 'active' }]);
  });
});

describe('a large page of transactions', () => {
  it('that is too large says so, and what to do', async () => {
    script({ ...page([], 'c1'), added: [row('t1', { pad: 'x'.repeat(6_000_000) })] });
    expect(await refusal('bank.changes')).toMatchObject({
      code: 'provider_error',
      message: expect.stringMatching(/too large: ask for less/),
    });
  });

  it('is parsed off the main thread', async () => {
    const ids = Array.from({ length: 400 }, (_, index) => `t${index}`);
    const added = ids.map((id) => row(id, { name: 'Shop', payment_meta: Object.fromEntries(ids.slice(0, 60).map((key) => [key, 'x'])) }));
    script({ ...page([], 'c1'), added });
    const begun = workBegun();
    const { added: shown } = await run('bank.changes', { max: 500 });
    expect(shown.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(workBegun() - begun).toBe(1);
  });

  it('is parsed only up to the first problem', async () => {
    script({ ...page([], 'c1'), added: Array(400_000).fill(0) });
    expect(await refusal('bank.changes')).toMatchObject({ code: 'provider_error' });
  });
});

describe('a session', () => {
  function session() {
    const settings = {
      clientId: 'canary-client',
      secret: BANK_SECRET,
      countryCodes: ['US'],
      redirectUri: undefined,
      webhookUrl: undefined,
      linkPageUrl: undefined,
    };
    const baseUrl = (emulator.env.PLAID_BASE_URL as string).replace(/\/$/, '');
    const item = { userId: 'u1', current: async () => ACCESS_TOKEN, version: () => 1, rejected: async () => true };
    return new BankProvider({ ...settings, baseUrl }, 1_000, steward.clock).session(item, new AbortController().signal);
  }

  it.each(['item/remove', 'item/access_token/invalidate', 'transfer/create', 'processor/token/create', 'constructor', '__proto__', ''])(
    'never makes the call %s',
    async (call) => {
      await expect(session().call(call as BankCall, {}, z.unknown())).rejects.toMatchObject({ code: 'forbidden' });
      expect(emulator.calls).toEqual([]);
    },
  );

  it.each(['access_token', 'client_id', 'secret'])('accepts no %s from an action', async (field) => {
    await expect(session().call('accounts/get', { [field]: 'x' }, z.unknown())).rejects.toMatchObject({ code: 'invalid_request' });
    expect(emulator.calls).toEqual([]);
  });

  it('requests a bank’s details without the item’s token', async () => {
    await session().call('institutions/get_by_id', { institution_id: 'ins_1' }, z.unknown());
    expect(emulator.calls.map(({ path, body }) => [path, body])).toEqual([
      ['/institutions/get_by_id', { institution_id: 'ins_1', country_codes: ['US'] }],
    ]);
  });

  it.each(['INVALID_FIELD', 'MISSING_FIELDS', 'UNKNOWN_FIELDS', 'INVALID_BODY'])(
    '%s is reported to the caller, without an alarm',
    async (code) => {
      emulator.fail(code);
      await expect(session().call('transactions/get', {}, z.unknown())).rejects.toMatchObject({ code: 'invalid_request', bankCode: code });
    },
  );
});

describe('the client secret and access tokens', () => {
  it('are in no error and no log line of these tests', () => {
    expect(errors.length).toBeGreaterThan(20);
    const shown = errors.flatMap((error) => [
      inspect(error, { depth: 20, showHidden: true }),
      JSON.stringify(error),
      JSON.stringify(describeError(error)),
      String((error as Error).stack),
    ]);
    const said = [...shown, ...steward.logs].join('\n');
    for (const secret of [BANK_SECRET, ACCESS_TOKEN, 'public-canary', 'canary-client']) expect(said).not.toContain(secret);
  });
});
