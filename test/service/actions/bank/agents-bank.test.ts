import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { linkBank } from '../../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { dayOf, middayClock } from '../../../support/time/midday-clock.ts';
import { callAction } from '../../../support/users/agents.ts';

const PLATYPUS = 'First Platypus Bank';
const GINGHAM = 'ins_109509';
const TARTAN = 'ins_109511';
const ROUTING = '011401533';

const clock = middayClock();
let steward: TestSteward;
let token: string;
let itemId: string;
let users = 0;

beforeAll(async () => {
  steward = await startSteward({}, { clock });
});

afterAll(() => steward.stop());

/** Every test has a new user with one bank. */
beforeEach(async () => {
  await steward.control('faults/clear', {});
  users += 1;
  token = await steward.signIn(`bank-agent-${users}`);
  itemId = await link();
});

/** Links a bank and returns the id that the item has at the aggregator. */
async function link(institution?: string): Promise<string> {
  expect((await linkBank(steward, token, institution)).status).toBe(200);
  return (await steward.control('bank/state')).items.at(-1).item_id;
}

async function run(action: string, input: unknown = {}, account?: string): Promise<any> {
  return (await callAction(steward, action, input, { token, ...(account !== undefined && { account }) })).data;
}

/** The error of an action that must fail. */
async function refusal(action: string, input: unknown = {}, account?: string): Promise<any> {
  const outcome = await run(action, input, account).then(
    () => new Error('the action succeeded'),
    (error: unknown) => error,
  );
  return outcome;
}

async function entries(): Promise<any[]> {
  return (await steward.call('/auth/bank/accounts', { token })).body.accounts;
}

/** The first call for transactions starts the aggregator's first fetch. */
async function pulled(): Promise<void> {
  expect(await run('bank.changes', { cursor: '' })).toMatchObject({ ready: false });
}

function happen(kind: 'purchase' | 'posting' | 'correction', times = 1): Promise<unknown> {
  return steward.control('bank/transactions', { item_id: itemId, kind, times });
}

/**
 * Calls to the aggregator by `work`. Two may come at any time: the bank's events cause reads of items (/item/get), and
 * the tokens of items that were linked again are revoked (/item/remove).
 */
async function calls(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const { calls: before } = await steward.control('bank/state');
  await work();
  const { calls: after } = await steward.control('bank/state');
  return Object.fromEntries(
    Object.entries<number>(after)
      .map(([path, count]) => [path, count - (before[path] ?? 0)] as const)
      .filter(([path, count]) => count > 0 && !['/item/get', '/item/remove'].includes(path)),
  );
}

const day = (offset: number) => dayOf(clock, offset);
const range = { from: day(-200), to: day(1) };
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe('bank.balances', () => {
  it('returns accounts with cached balances, with nulls and currencies unchanged', async () => {
    let data: any;
    expect(Object.keys(await calls(async () => (data = await run('bank.balances'))))).toEqual(['/accounts/get']);
    expect(data).toEqual({
      live: false,
      accounts: [
        {
          id: expect.any(String),
          name: 'Checking',
          official_name: 'Everyday Interest Checking',
          type: 'depository',
          subtype: 'checking',
          mask: '0000',
          balances: { available: 2215.35, current: 2340.55, limit: null, currency: 'USD', updated: null },
        },
        expect.objectContaining({ name: 'Saving', mask: '1111' }),
        {
          id: expect.any(String),
          name: 'Holiday Envelope',
          official_name: null,
          type: 'depository',
          subtype: null,
          mask: null,
          balances: { available: null, current: 320, limit: null, currency: 'USD', updated: null },
        },
      ],
    });
  });

  it('requests balances from the bank with live', async () => {
    let data: any;
    expect(Object.keys(await calls(async () => (data = await run('bank.balances', { live: true }))))).toEqual(['/accounts/balance/get']);
    expect(data.live).toBe(true);
    expect(data.accounts).toHaveLength(3);
    expect(Date.parse(data.accounts[0].balances.updated)).not.toBeNaN();
  });

  it('returns only the requested accounts, also in other currencies than the dollar', async () => {
    await link(GINGHAM);
    const all = await run('bank.balances', {}, 'First Gingham Credit Union');
    const euro = all.accounts.find(({ mask }: any) => mask === '2222');
    expect(euro).toMatchObject({ name: 'Reisekonto (Euro)', balances: { currency: 'EUR', available: null, limit: null } });
    for (const live of [false, true]) {
      const some = await run('bank.balances', { account_ids: [euro.id], live }, 'First Gingham Credit Union');
      expect(ids(some.accounts)).toEqual([euro.id]);
    }
  });

  it('returns limits of cards', async () => {
    await link(TARTAN);
    const { accounts } = await run('bank.balances', {}, 'tartan bank');
    expect(accounts[2]).toMatchObject({ type: 'credit', subtype: 'credit card', balances: { limit: 5000, available: 4589.82 } });
  });

  it('does not find an account of another item', async () => {
    await link(GINGHAM);
    const { accounts } = await run('bank.balances', {}, PLATYPUS);
    const error = await refusal('bank.balances', { account_ids: [accounts[0].id] }, 'First Gingham Credit Union');
    expect(error).toMatchObject({ code: 'not_found' });
  });

  it.each([
    [{ live: 'yes' }, /^live: /],
    [{ account_ids: [] }, /^account_ids: /],
    [{ account_ids: 'a' }, /^account_ids: /],
    [{ access_token: 'x' }, /access_token/],
  ])('rejects %j', async (input, message) => {
    expect(await refusal('bank.balances', input)).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
  });
});

describe('the account of a bank action', () => {
  it('must be given if there are several: the error lists them', async () => {
    await link(GINGHAM);
    const list = await entries();
    const choices = list.map(({ id, bank_name }) => ({ id, label: bank_name }));
    for (const account of [undefined, 'Some Bank']) {
      const error = await refusal('bank.balances', {}, account);
      expect(error).toMatchObject({ code: 'invalid_request', details: { choices } });
      for (const { label } of choices) expect(error.message).toContain(label);
    }
  });

  it('is distinguished from another of the same bank by the last digits of its numbers', async () => {
    await link(GINGHAM);
    const [one, other] = await entries();
    const accounts = JSON.stringify([{ name: 'Checking', mask: '4711' }, { name: 'Savings', mask: null }, { name: 'Card' }]);
    await steward.sql('update bank_items set bank_name = $1, accounts = $2::jsonb where id = $3', [PLATYPUS, accounts, other.id]);
    // One of its accounts has none.
    const masks = one.mask.map(({ mask }: { mask: string }) => mask).filter((mask: string) => mask !== '');
    for (const account of [undefined, PLATYPUS, 'Some Bank']) {
      const error = await refusal('bank.balances', {}, account);
      expect(error).toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/Choices: First Platypus Bank \(…0000, .*\), First Platypus Bank \(…4711\)\.$/),
      });
      expect(error.details).toEqual({
        choices: [
          { id: one.id, label: PLATYPUS, masks },
          { id: other.id, label: PLATYPUS, masks: ['4711'] },
        ],
      });
    }
  });

  it('is found by its id and by the name of its bank', async () => {
    await link(GINGHAM);
    const [one, other] = await entries();
    for (const [account, accounts] of [
      [one.id, 3],
      [PLATYPUS, 3],
      [other.id, 3],
      ['first gingham credit union', 3],
    ] as const) {
      const outcome = await callAction(steward, 'bank.balances', {}, { token, account });
      expect((outcome.data as any).accounts).toHaveLength(accounts);
      expect([one.bank_name, other.bank_name]).toContain(outcome.meta.account);
    }
    expect((await callAction(steward, 'bank.balances', {}, { token, account: other.id })).meta.accountId).toBe(other.id);
  });

  it('is never another user’s', async () => {
    const [entry] = await entries();
    token = await steward.signIn('bank-agent-stranger');
    expect(await refusal('bank.balances', {}, entry.id)).toMatchObject({ code: 'not_found' });
  });
});

describe('bank.transactions', () => {
  it('is not ready at first, and says when to retry', async () => {
    expect(await refusal('bank.transactions', range)).toMatchObject({ code: 'unavailable', retryAfter: 60 });
    expect((await run('bank.transactions', range)).total).toBeGreaterThan(100);
  });

  it('reads the last 30 days if none are given', async () => {
    await pulled();
    const usual = await run('bank.transactions', { max: 500 });
    const given = await run('bank.transactions', { from: day(-30), to: day(0), max: 500 });
    expect(usual).toEqual(given);
    expect(usual.total).toBeGreaterThan(0);
    expect(usual.total).toBeLessThan((await run('bank.transactions', { ...range, max: 500 })).total);
  });

  it('returns complete rows, newest first, including pending ones', async () => {
    await pulled();
    await happen('purchase');
    const { items, total, accounts } = await run('bank.transactions', { ...range, max: 500 });
    expect(items).toHaveLength(total);
    expect(items.map(({ date }: any) => date)).toEqual(
      items
        .map(({ date }: any) => date)
        .toSorted()
        .toReversed(),
    );
    expect(accounts).toContainEqual({ id: expect.any(String), name: 'Holiday Envelope', mask: null });
    const checking = accounts.find(({ name }: any) => name === 'Checking').id;
    expect(items.find(({ pending }: any) => pending)).toEqual({
      id: expect.any(String),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      authorized: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      name: expect.any(String),
      merchant: expect.any(String),
      amount: expect.any(Number),
      currency: 'USD',
      account: checking,
      category: expect.stringMatching(/^[A-Z_]+$/),
      subcategory: expect.stringMatching(/^[A-Z_]+$/),
      pending: true,
      pending_id: null,
    });
    // Money in is negative.
    expect(items.find(({ name }: any) => name.includes('Payroll')).amount).toBeLessThan(0);
    expect(items.find(({ name }: any) => name.includes('Rent'))).toMatchObject({ amount: 1450, merchant: null });
  });

  it('pages without gaps or repetitions', async () => {
    await pulled();
    const whole = await run('bank.transactions', { ...range, max: 500 });
    expect(whole).not.toHaveProperty('next');
    const seen: string[] = [];
    for (let page: string | undefined; ; ) {
      const response: any = await run('bank.transactions', { ...range, max: 60, ...(page !== undefined && { page }) });
      seen.push(...ids(response.items));
      expect(response.total).toBe(whole.total);
      page = response.next;
      if (page === undefined) break;
      expect(response.items).toHaveLength(60);
    }
    expect(seen).toEqual(ids(whole.items));
  });

  it('returns only the requested days and accounts', async () => {
    await pulled();
    const days = { from: day(-40), to: day(-10) };
    const { items, accounts } = await run('bank.transactions', { ...days, max: 500 });
    expect(items.length).toBeGreaterThan(5);
    expect(items.every(({ date }: any) => date >= days.from && date <= days.to)).toBe(true);
    const saving = accounts.find(({ name }: any) => name === 'Saving').id;
    const some = await run('bank.transactions', { ...range, account_ids: [saving], max: 500 });
    expect(new Set(some.items.map(({ account }: any) => account))).toEqual(new Set([saving]));
    expect(some.items.length).toBe(some.total);
  });

  it('is empty past the end', async () => {
    await pulled();
    const response = await run('bank.transactions', { ...range, page: '100000' });
    expect(response.items).toEqual([]);
    expect(response).not.toHaveProperty('next');
  });

  it.each([
    [{ from: '2026-02-30', to: '2026-03-01' }, /^from: /],
    [{ from: '2999-01-01' }, /^to: must not be before from/],
    [{ from: '2026-03-01', to: '2026-02-01' }, /^to: must not be before from/],
    [{ ...range, max: 501 }, /^max: /],
    [{ ...range, max: 0 }, /^max: /],
    [{ ...range, page: '-1' }, /^page: /],
    [{ ...range, count: 5 }, /count/],
  ])('rejects %j without a request to the bank', async (input, message) => {
    const made = await calls(async () => {
      expect(await refusal('bank.transactions', input)).toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(message),
      });
    });
    expect(made).toEqual({});
  });
});

/** Reads the entry's changes to the end, and applies them. */
class Follower {
  readonly rows = new Map<string, any>();
  readonly results: any[] = [];
  #cursor: string | undefined;
  #settled = new Map<string, any>();

  async follow(max = 1000): Promise<any[]> {
    const responses: any[] = [];
    do responses.push(await this.step(max));
    while (responses.at(-1).more);
    return responses;
  }

  async step(max: number): Promise<any> {
    const response = await run('bank.changes', { max, ...(this.#cursor !== undefined && { cursor: this.#cursor }) });
    this.#cursor = response.cursor;
    if (response.reset) this.#take(new Map());
    if (response.restarted) this.#take(this.#settled);
    for (const row of response.added) {
      expect(this.rows.has(row.id), 'a row came twice').toBe(false);
      this.rows.set(row.id, row);
    }
    for (const row of response.modified) {
      expect(this.rows.has(row.id), 'a row was lost').toBe(true);
      this.rows.set(row.id, row);
    }
    for (const { id } of response.removed) expect(this.rows.delete(id), 'a row was lost').toBe(true);
    if (!response.more) this.#settled = new Map(this.rows);
    this.results.push(response);
    return response;
  }

  /** The bank's transactions, by the other method. */
  async expectWhole(): Promise<void> {
    const { items } = await run('bank.transactions', { ...range, max: 500 });
    const byId = (rows: any[]) => rows.toSorted((one, other) => one.id.localeCompare(other.id));
    expect(byId([...this.rows.values()])).toEqual(byId(items));
  }

  #take(rows: Map<string, any>): void {
    this.rows.clear();
    for (const [id, row] of rows) this.rows.set(id, row);
  }
}

describe('bank.changes', () => {
  it('reports that transactions are not available yet, and returns them later', async () => {
    expect(await run('bank.changes')).toEqual({
      added: [],
      modified: [],
      removed: [],
      cursor: '!',
      more: false,
      ready: false,
      reset: true,
    });
    const follower = new Follower();
    await follower.follow();
    expect(follower.results[0]).toMatchObject({ ready: true, reset: true });
    expect(follower.rows.size).toBeGreaterThan(100);
    await follower.expectWhole();
  });

  it('continues after the last result that was received', async () => {
    await pulled();
    const follower = new Follower();
    await follower.follow(50);
    expect(follower.results.length).toBeGreaterThan(2);
    for (const { added } of follower.results.slice(0, -1)) expect(added).toHaveLength(50);
    const unconfirmed = await run('bank.changes', { max: 50 });
    expect(unconfirmed).toMatchObject({ added: follower.results.at(-1).added, repeated: true });
    await happen('purchase', 2);
    const next = await follower.step(100);
    expect(next.added.map(({ pending }: any) => pending)).toEqual([true, true]);
    expect(next).not.toHaveProperty('reset');
    await follower.expectWhole();
    await follower.follow(100);
    expect(await run('bank.changes')).toMatchObject({ added: [], modified: [], removed: [], more: false, ready: true });
  });

  it('shows a posted transaction as removed and added, with the id it had', async () => {
    await pulled();
    await happen('purchase');
    const follower = new Follower();
    await follower.follow();
    const pending = [...follower.rows.values()].filter((row) => row.pending);
    await happen('posting');
    const { added, removed } = await follower.step(100);
    expect(ids(removed).toSorted()).toEqual(ids(pending).toSorted());
    expect(added.map(({ pending_id }: any) => pending_id).toSorted()).toEqual(ids(pending).toSorted());
    expect(added.every((row: any) => !row.pending)).toBe(true);
    await follower.expectWhole();
  });

  it('returns modified transactions', async () => {
    await pulled();
    const follower = new Follower();
    await follower.follow();
    await happen('correction');
    expect((await follower.step(100)).modified).toMatchObject([{ name: expect.stringContaining('correction') }]);
    await follower.expectWhole();
  });

  it('reads from a cursor any number of times, without changing the item’s own cursor', async () => {
    await pulled();
    const first = await run('bank.changes', { max: 1000 });
    await happen('purchase', 3);
    const one = await run('bank.changes', { cursor: first.cursor });
    expect(one.added).toHaveLength(3);
    expect(await run('bank.changes', { cursor: first.cursor })).toEqual(one);
    const own = await run('bank.changes');
    expect(own.added).toEqual(one.added);
    expect(own.cursor).toBe(one.cursor);
    const all = await run('bank.changes', { cursor: '', max: 1000 });
    expect(all.reset).toBe(true);
    expect(all.added).toHaveLength(first.added.length + 3);
  });

  it('continues from a cursor in the middle of a series', async () => {
    await pulled();
    const whole = await run('bank.changes', { cursor: '', max: 1000 });
    const part = await run('bank.changes', { cursor: '', max: 30 });
    const rest = await run('bank.changes', { cursor: part.cursor, max: 1000 });
    expect(ids([...part.added, ...rest.added])).toEqual(ids(whole.added));
    expect(rest.cursor).toBe(whole.cursor);
  });

  it('restarts a series if data changes meanwhile, without loss or repetition', async () => {
    await pulled();
    const follower = new Follower();
    await follower.follow();
    await happen('purchase', 10);
    expect((await follower.step(4)).more).toBe(true);
    await steward.control('bank/mutate', { item_id: itemId });
    const after = await follower.step(4);
    expect(after).toMatchObject({ restarted: true, more: true });
    expect(after.added).toEqual(follower.results.at(-2).added);
    await follower.follow(4);
    await follower.expectWhole();
    expect([...follower.rows.values()].filter(({ name }) => name.includes('correction'))).toHaveLength(1);
  });

  it('restarts a series from a cursor too, and from the beginning with reset', async () => {
    await pulled();
    const part = await run('bank.changes', { cursor: '', max: 30 });
    await steward.control('bank/mutate', { item_id: itemId });
    const again = await run('bank.changes', { cursor: part.cursor, max: 1000 });
    expect(again.reset).toBe(true);
    expect(again).not.toHaveProperty('restarted');
    expect(ids(again.added.slice(0, 30))).toEqual(ids(part.added));
    expect(again.modified).toHaveLength(1);
  });

  it('starts from the beginning, and says so, if the item is stuck', async () => {
    await pulled();
    const follower = new Follower();
    await follower.follow();
    await follower.follow();
    await happen('purchase', 2);
    await steward.control('bank/mutate', { item_id: itemId, always: true });
    const made = await calls(async () => expect(await follower.step(1000)).toMatchObject({ reset: true, more: false }));
    expect(made['/transactions/sync']).toBeLessThanOrEqual(10);
    await follower.expectWhole();
    expect(await follower.step(100)).not.toHaveProperty('reset');
  });

  it('returns rows whose members the bank leaves out', async () => {
    await pulled();
    await steward.control('bank/rows', { item_id: itemId, omit: 'pending,date', nulls: 'amount,name' });
    const [odd, ...others] = (await run('bank.changes')).added;
    expect(odd).toMatchObject({ pending: false, date: null, amount: null, name: null });
    expect(others[0]).toMatchObject({ date: expect.any(String), amount: expect.any(Number) });
    expect((await run('bank.transactions', range)).items[0]).toMatchObject({ date: null, amount: null });
    expect((await run('bank.balances')).accounts).toHaveLength(3);
  });

  it('gives up if the transactions keep changing, and keeps the item’s cursor', async () => {
    await pulled();
    const error = { code: 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION', error_type: 'TRANSACTIONS_ERROR', path: '/transactions/sync' };
    await steward.control('bank/error', { ...error, item_id: itemId, times: 1000 });
    const made = await calls(async () => expect(await refusal('bank.changes')).toMatchObject({ code: 'unavailable', retryAfter: 1 }));
    expect(made['/transactions/sync']).toBeLessThanOrEqual(10);
  });

  it('starts again after the bank was linked again', async () => {
    await pulled();
    const before = await run('bank.changes', { max: 1000 });
    const [entry] = await entries();
    itemId = await link();
    expect(await entries()).toEqual([entry]);
    expect(await run('bank.changes')).toMatchObject({ ready: false, reset: true, cursor: '!' });
    const after = await run('bank.changes', { max: 1000 });
    expect(after).toMatchObject({ ready: true, reset: true });
    expect(after.added.map(({ name, amount, date }: any) => [name, amount, date])).toEqual(
      before.added.map(({ name, amount, date }: any) => [name, amount, date]),
    );
    expect(ids(after.added)).not.toContain(before.added[0].id);
    // A cursor of the previous item also restarts from the beginning.
    expect(await run('bank.changes', { cursor: before.cursor, max: 1000 })).toMatchObject({ reset: true, added: after.added });
  });

  it('keeps a cursor per item', async () => {
    await pulled();
    await link(GINGHAM);
    const gingham = 'First Gingham Credit Union';
    const { cursor } = await run('bank.changes', { max: 1000 }, PLATYPUS);
    await run('bank.changes', { cursor }, PLATYPUS);
    expect(await run('bank.changes', {}, gingham)).toMatchObject({ ready: false });
    const { added } = await run('bank.changes', { max: 1000 }, gingham);
    expect(new Set(added.map(({ currency }: any) => currency))).toEqual(new Set(['USD', 'EUR']));
    expect(await run('bank.changes', {}, PLATYPUS)).toMatchObject({ added: [] });
  });

  it('stores cursors only, no data of the bank', async () => {
    await pulled();
    const { added } = await run('bank.changes', { max: 1000 });
    const rows = await steward.sql<any>('select sync_state, accounts from bank_items');
    const kept = JSON.stringify(rows.map(({ sync_state }) => sync_state));
    for (const { id, name } of added.slice(0, 50)) {
      expect(kept).not.toContain(id);
      expect(kept).not.toContain(name);
    }
  });

  it.each([
    ['a cursor that is not text', { cursor: 7 }, /^cursor: /],
    ['an invalid cursor of a series', { cursor: '~nonsense' }, /^cursor: /],
    ['a cursor of a series without its places', { cursor: '~W10' }, /^cursor: /],
    ['an invalid cursor of the stored position', { cursor: '!~nonsense' }, /^cursor: /],
    ['a cursor without end', { cursor: 'x'.repeat(5000) }, /^cursor: /],
    ['too many at once', { max: 1001 }, /^max: /],
  ])('rejects %s', async (_name, input, message) => {
    expect(await refusal('bank.changes', input)).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
  });

  it('treats an invalid cursor as a lost one', async () => {
    await pulled();
    expect(await run('bank.changes', { cursor: 'nonsense', max: 1000 })).toMatchObject({ reset: true, ready: true });
  });
});

describe('bank.numbers', () => {
  /** As the aggregator returns them. */
  async function wholeNumbers(): Promise<string[]> {
    const [grant] = await steward.sql<{ id: string; user_id: string }>('select id, user_id from grants where subject = $1', [itemId]);
    const accessToken = await steward.context.tokens.current(grant?.user_id ?? '', grant?.id ?? '');
    const response = await steward.call('/sandbox/bank/auth/get', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: 'sandbox', secret: 'sandbox', access_token: accessToken }),
    });
    return response.body.numbers.ach.map(({ account }: any) => account);
  }

  it('hides all but the last four digits', async () => {
    const data = await run('bank.numbers');
    expect(data).toEqual({
      masked: true,
      accounts: [
        {
          id: expect.any(String),
          name: 'Checking',
          type: 'depository',
          subtype: 'checking',
          numbers: [{ kind: 'ach', account: '••••0000', routing: '••••1533', wire_routing: '••••1533', tokenized: false }],
        },
        expect.objectContaining({
          numbers: [{ kind: 'ach', account: '••••1111', routing: '••••1533', wire_routing: null, tokenized: false }],
        }),
      ],
    });
    const numbers = await wholeNumbers();
    expect(numbers).toEqual([expect.stringMatching(/^\d{6}0000$/), expect.stringMatching(/^\d{6}1111$/)]);
    for (const number of [...numbers, ROUTING]) expect(JSON.stringify(data)).not.toContain(number);
    expect(steward.logs.join('')).not.toContain(numbers[0]);
  });

  it('hides an IBAN as well', async () => {
    await link(GINGHAM);
    const { accounts } = await run('bank.numbers', {}, 'First Gingham Credit Union');
    expect(accounts.at(-1)).toMatchObject({ numbers: [{ kind: 'international', iban: '••••2222', bic: '••••FXXX' }] });
  });

  it('returns only the requested accounts', async () => {
    const { accounts } = await run('bank.numbers');
    const some = await run('bank.numbers', { account_ids: [accounts[1].id] });
    expect(ids(some.accounts)).toEqual([accounts[1].id]);
  });

  it('reports an account without numbers', async () => {
    const { accounts } = await run('bank.balances');
    const envelope = accounts.find(({ subtype }: any) => subtype === null).id;
    expect(await refusal('bank.numbers', { account_ids: [envelope] })).toMatchObject({ code: 'unsupported_account' });
  });
});

describe('an item whose bank requires a new login', () => {
  it.each(['bank.balances', 'bank.changes', 'bank.numbers'])(
    '%s reports it, as do the lists, without another request to the bank',
    async (action) => {
      await steward.control('bank/reset-login', { item_id: itemId });
      const [entry] = await entries();
      expect(await refusal(action)).toMatchObject({ code: 'relink_required' });
      expect(await entries()).toEqual([{ ...entry, status: 'relink_required' }]);
      expect((await steward.call('/integrations', { token })).body.bank).toEqual({ connected: true, needs_attention: 1 });
      expect(await calls(async () => expect(await refusal(action)).toMatchObject({ code: 'relink_required' }))).toEqual({});
    },
  );

  it('is item_gone if the item no longer exists', async () => {
    await steward.control('bank/remove-item', { item_id: itemId });
    expect(await refusal('bank.balances')).toMatchObject({ code: 'item_gone' });
    expect(await entries()).toMatchObject([{ status: 'item_gone' }]);
    expect((await steward.call('/integrations', { token })).body.bank).toEqual({ connected: true, needs_attention: 1 });
  });

  it('works again once the bank is linked again', async () => {
    await steward.control('bank/reset-login', { item_id: itemId });
    await refusal('bank.balances');
    itemId = await link();
    expect(await entries()).toMatchObject([{ status: 'active' }]);
    expect((await run('bank.balances')).accounts).toHaveLength(3);
  });
});

describe('a failing bank', () => {
  it.each([
    ['RATE_LIMIT_EXCEEDED', 'unavailable', 60],
    ['BALANCE_LIMIT', 'unavailable', 60],
    ['PRODUCT_NOT_READY', 'unavailable', 60],
    ['INSTITUTION_DOWN', 'unavailable', 60],
    ['INTERNAL_SERVER_ERROR', 'provider_error', 60],
  ])('%s becomes %s', async (bankCode, code, retryAfter) => {
    await steward.control('bank/error', { code: bankCode, path: '/accounts/get', item_id: itemId });
    const error = await refusal('bank.balances');
    expect([error.code, error.retryAfter]).toEqual([code, retryAfter]);
    expect(await entries()).toMatchObject([{ status: 'active' }]);
    expect((await run('bank.balances')).accounts).toHaveLength(3);
  });

  it.each(['html', 'malformed'] as const)('%s with status 200 becomes provider_error', async (kind) => {
    const paths = {
      'bank.balances': '/accounts/get',
      'bank.changes': '/transactions/sync',
      'bank.numbers': '/auth/get',
      'bank.transactions': '/transactions/get',
    };
    for (const [action, path] of Object.entries(paths)) {
      // By its path, so that a revocation in the background does not meet the fault instead.
      await steward.control('faults', { part: 'bank', kind, path, times: 1 });
      expect(await refusal(action, action === 'bank.transactions' ? range : {})).toMatchObject({ code: 'provider_error' });
    }
  });
});

describe('access tokens and the client’s secret', () => {
  it('are in no log line and in no error', async () => {
    const errors: unknown[] = [];
    for (const kind of ['html', 'malformed', 'status'] as const) {
      await steward.control('faults', { part: 'bank', kind, times: 1 });
      errors.push(await refusal('bank.balances'));
    }
    await steward.control('bank/reset-login', { item_id: itemId });
    errors.push(await refusal('bank.balances'));
    for (const error of errors) {
      const { message, stack, cause } = error as Error;
      expect(JSON.stringify([message, stack, String(cause), error])).not.toMatch(/access-sandbox-|PLAID-SECRET/);
    }
    expect(steward.logs.join('')).not.toMatch(/(access|public|link)-sandbox-/);
  });
});
