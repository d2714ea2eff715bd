import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BankEmulator } from '../../../support/emulators/bank-emulator.ts';
import { linkBank } from '../../../support/scenes/flows.ts';
import { sendJson } from '../../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { dayOf, middayClock } from '../../../support/time/midday-clock.ts';
import { callAction } from '../../../support/users/agents.ts';

const DAYS = { from: '2026-01-01', to: '2026-01-31' };

const cents = (amount: number) => Math.round(amount * 100);

describe('bank.spending in the sandbox', () => {
  let steward: TestSteward;
  let token: string;
  let itemId: string;
  let users = 0;
  const clock = middayClock();
  const day = (offset: number) => dayOf(clock, offset);

  beforeAll(async () => {
    steward = await startSteward({}, { clock });
  });
  afterAll(() => steward.stop());
  beforeEach(async () => {
    users += 1;
    token = await steward.signIn(`spending-${users}`);
    expect((await linkBank(steward, token)).status).toBe(200);
    itemId = (await steward.control('bank/state')).items.at(-1).item_id;
    await run('bank.changes', { cursor: '' });
  });

  const call = (action: string, input: object = {}) => callAction(steward, action, input, { token });
  const run = async (action: string, input: object = {}) => (await call(action, input)).data as any;
  const happen = (kind: string, times = 1) => steward.control('bank/transactions', { item_id: itemId, kind, times });

  /** Sums of cents of the transactions that are spending, by a key of theirs. */
  async function expected(input: object, key: (row: any) => string): Promise<Record<string, number>> {
    const { items } = await run('bank.transactions', { ...input, max: 500 });
    const sums: Record<string, number> = {};
    for (const row of items) {
      if (row.category === 'INCOME' || row.category.startsWith('TRANSFER_')) continue;
      sums[key(row)] = (sums[key(row)] ?? 0) + cents(row.amount);
    }
    return sums;
  }

  const shown = (sums: any[]) => Object.fromEntries(sums.map(({ name, amount }) => [name, cents(amount)]));

  it('ends today as the user’s days go, in every zone', async () => {
    const zoned = async (zone: string | null) => {
      const [headers, body] = [{ 'content-type': 'application/json' }, JSON.stringify({ time_zone: zone })];
      expect((await steward.call('/user/preferences', { method: 'PATCH', token, headers, body })).status).toBe(200);
      return run('bank.spending');
    };
    expect(await zoned('Europe/Berlin')).toMatchObject({ from: day(-30), to: day(0) });
    // Noon in UTC is after midnight there.
    expect(await zoned('Pacific/Kiritimati')).toMatchObject({ from: day(-29), to: day(1) });
    clock.setBy(-2 * 3_600_000);
    expect(await zoned('Pacific/Pago_Pago')).toMatchObject({ from: day(-31), to: day(-1) });
    expect(await zoned(null)).toMatchObject({ from: day(-30), to: day(0) });
    clock.setBy(2 * 3_600_000);
    expect(await run('bank.spending', { from: day(-3), to: day(-2) })).toMatchObject({ from: day(-3), to: day(-2) });
  });

  it('adds up the last 30 days by category, largest first, with a bank’s labels', async () => {
    const { data, meta } = await call('bank.spending');
    const { sums, totals, ...rest } = data as any;
    expect(sums.length).toBeGreaterThan(3);
    expect(shown(sums)).toEqual(await expected({}, ({ category }) => category));
    expect(sums.map(({ amount }: any) => amount)).toEqual(sums.map(({ amount }: any) => amount).toSorted((a: number, b: number) => b - a));
    expect(totals).toHaveLength(1);
    expect(totals[0]).toMatchObject({ currency: 'USD', count: sums.reduce((count: number, sum: any) => count + sum.count, 0) });
    expect(cents(totals[0].amount)).toBe(sums.reduce((total: number, { amount }: any) => total + cents(amount), 0));
    expect(rest).toMatchObject({ from: day(-30), to: day(0), more: 0, left_out: [{ kind: 'income', currency: 'USD', out: 0 }] });
    expect(rest).not.toHaveProperty('truncated');
    expect(meta.labels).toMatchObject({ integrity: 'others', confidentiality: 'financial' });
  });

  it('adds up any days and accounts by merchant, or by the name if there is none', async () => {
    const input = { from: day(-180), to: day(-60) };
    const { sums } = await run('bank.spending', { ...input, by: 'merchant' });
    expect(shown(sums)).toEqual(await expected(input, ({ merchant, name }) => merchant ?? name));
    expect(Object.keys(shown(sums))).toContain('Maple Court Rent');
    const { accounts } = await run('bank.transactions');
    const saving = accounts.find(({ name }: any) => name === 'Saving').id;
    expect(await run('bank.spending', { ...input, account_ids: [saving] })).toMatchObject({
      sums: [],
      totals: [],
      left_out: [{ kind: 'income' }],
    });
  });

  it('subtracts refunds, leaves out transfers between own accounts, and marks what is pending', async () => {
    const before = (await run('bank.spending')).totals[0];
    await happen('refund', 2);
    const refunded = (await run('bank.spending')).totals[0];
    expect(refunded.refunds).toBeGreaterThan(0);
    expect(cents(refunded.amount)).toBe(cents(before.amount) - cents(refunded.refunds));
    await happen('transfer', 3);
    const transferred = await run('bank.spending');
    expect(transferred.totals[0]).toEqual(refunded);
    expect(transferred.left_out).toContainEqual({ kind: 'transfer', currency: 'USD', in: 750, out: 750, count: 6 });
    await happen('posting');
    const posted = (await run('bank.spending')).totals[0];
    expect(posted.pending).toBe(0);
    await happen('purchase', 2);
    const bought = (await run('bank.spending')).totals[0];
    expect(bought.pending).toBeGreaterThan(0);
    expect(cents(bought.amount)).toBe(cents(posted.amount) + cents(bought.pending));
  });

  it.each([
    [{ by: 'month' }, /^by: /],
    [{ from: '2026-03-01', to: '2026-02-01' }, /^to: must not be before from/],
    [{ from: 'yesterday' }, /^from: /],
    [{ account_ids: [] }, /^account_ids: /],
    [{ max: 201 }, /^max: /],
    [{ currency: 'USD' }, /currency/],
  ])('rejects %j', async (input, message) => {
    const error = await call('bank.spending', input).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
  });
});

describe('bank.spending at the aggregator', () => {
  let emulator: BankEmulator;
  let steward: TestSteward;
  let token: string;

  beforeAll(async () => {
    emulator = await new BankEmulator().start();
    steward = await startSteward(emulator.env);
    token = await steward.signIn('spending');
    const linked = await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'public' } });
    expect(linked.body).toEqual({ success: true });
  });
  afterAll(async () => {
    await steward.stop();
    await emulator.stop();
  });
  beforeEach(() => emulator.reset());

  let rows = 0;
  const row = (amount: number, primary: string | null = 'TRAVEL', more: object = {}) => ({
    transaction_id: `t${rows++}`,
    account_id: 'a1',
    date: '2026-01-02',
    name: 'Name',
    amount,
    iso_currency_code: 'EUR',
    pending: false,
    personal_finance_category: primary === null ? null : { primary, detailed: `${primary}_OTHER` },
    ...more,
  });
  const detailed = (amount: number, primary: string, detail: string) =>
    row(amount, primary, { personal_finance_category: { primary, detailed: `${primary}_${detail}` } });
  const returns = (transactions: object[], total = () => transactions.length) =>
    emulator.on('/transactions/get', (response, { body }) => {
      const { count, offset } = (body as any).options;
      const page = transactions.slice(offset, offset + count);
      sendJson(response, 200, { accounts: [], transactions: page, total_transactions: total() });
    });
  const spending = async (input: object = {}) => (await callAction(steward, 'bank.spending', { ...DAYS, ...input }, { token })).data as any;

  it('adds exactly, in any currency, without mixing them', async () => {
    const code = (of: string | null, unofficial: string | null = null) => ({ iso_currency_code: of, unofficial_currency_code: unofficial });
    returns([
      ...Array.from({ length: 300 }, () => row(0.1)),
      ...Array.from({ length: 3 }, () => row(0.00000001, 'TRAVEL', code(null, 'BTC'))),
      row(9007199254740.99, 'TRAVEL', code('JPY')),
      row(0.02, 'TRAVEL', code('JPY')),
      row(1e21, 'TRAVEL', code('IDR')),
      row(5, 'TRAVEL', code(null)),
    ]);
    const { totals, sums } = await spending();
    expect(Object.fromEntries(totals.map(({ currency, amount }: any) => [currency, amount]))).toEqual({
      IDR: 1e21,
      JPY: 9007199254741.01,
      EUR: 30,
      null: 5,
      BTC: 0.00000003,
    });
    expect(sums).toHaveLength(5);
  });

  it('tells spending from transfers, card payments, loans and income', async () => {
    returns([
      row(100),
      row(-30),
      detailed(40, 'TRANSFER_OUT', 'WITHDRAWAL'),
      detailed(500, 'LOAN_PAYMENTS', 'MORTGAGE_PAYMENT'),
      detailed(200, 'LOAN_PAYMENTS', 'CREDIT_CARD_PAYMENT'),
      detailed(-200, 'LOAN_PAYMENTS', 'CREDIT_CARD_PAYMENT'),
      detailed(70, 'TRANSFER_OUT', 'ACCOUNT_TRANSFER'),
      detailed(-70, 'TRANSFER_IN', 'ACCOUNT_TRANSFER'),
      detailed(-900, 'LOAN_DISBURSEMENTS', 'PERSONAL'),
      row(-2000, 'INCOME'),
      row(-5, null),
      row(6, null),
    ]);
    const { sums, totals, left_out } = await spending();
    expect(sums.map(({ name, amount, refunds, count }: any) => [name, amount, refunds, count])).toEqual([
      ['LOAN_PAYMENTS', 500, 0, 1],
      ['TRAVEL', 70, 30, 2],
      ['TRANSFER_OUT', 40, 0, 1],
      [null, 6, 0, 1],
    ]);
    expect(totals).toEqual([{ currency: 'EUR', amount: 616, refunds: 30, pending: 0, count: 5 }]);
    expect(left_out).toEqual([
      { kind: 'transfer', currency: 'EUR', in: 1170, out: 270, count: 5 },
      { kind: 'income', currency: 'EUR', in: 2005, out: 0, count: 2 },
    ]);
  });

  it('counts a pending transaction once when it is there as posted, too', async () => {
    returns([
      row(9, 'TRAVEL', { pending: true, transaction_id: 'p1' }),
      row(10, 'TRAVEL', { pending_transaction_id: 'p1' }),
      row(3, 'TRAVEL', { pending: true }),
    ]);
    expect((await spending()).totals).toEqual([{ currency: 'EUR', amount: 13, refunds: 0, pending: 3, count: 2 }]);
  });

  it('groups merchants whatever their case, keeps others’ text on one line, and counts the sums it leaves out', async () => {
    const names = ['Shop', 'SHOP', '__proto__', 'constructor', 'Evil\nshop\u202e', 'x'.repeat(5_000)];
    returns(names.map((merchant_name, index) => row(index === 0 ? 50 : 10 - index, 'TRAVEL', { merchant_name })));
    const all = await spending({ by: 'merchant' });
    expect(all.sums.map(({ name }: any) => name).slice(0, 4)).toEqual([
      'Shop',
      '__proto__',
      'constructor',
      expect.stringMatching(/^Evil shop/),
    ]);
    expect(all.sums[0]).toMatchObject({ amount: 59, count: 2 });
    expect(all.sums[4].name).toBe('x'.repeat(5_000));
    const few = await spending({ by: 'merchant', max: 2 });
    expect(few).toMatchObject({ more: 3, totals: all.totals });
    expect(few.sums).toEqual(all.sums.slice(0, 2));
  });

  it('groups merchants whatever the form of their accents, and those without a name by that of the transaction', async () => {
    returns(['Caf\u00e9', 'CAFE\u0301', '', ' '].map((merchant_name) => row(1, 'TRAVEL', { merchant_name })));
    const { sums } = await spending({ by: 'merchant' });
    expect(sums).toMatchObject([
      { name: 'Caf\u00e9', count: 2 },
      { name: 'Name', count: 2 },
    ]);
  });

  it('reads up to 5,000 transactions in pages, and says that there are more', async () => {
    const many = Array.from({ length: 5_600 }, (_, index) => row(1, 'TRAVEL', { date: index < 5_000 ? '2026-01-20' : '2026-01-03' }));
    returns(many);
    const { totals, truncated } = await spending();
    expect(totals).toMatchObject([{ amount: 5_000, count: 5_000 }]);
    expect(truncated).toEqual({ read: 5_000, total: 5_600, oldest: '2026-01-20' });
    returns(many.slice(0, 1_200));
    const whole = await spending();
    expect(whole.totals).toMatchObject([{ amount: 1_200 }]);
    expect(whole).not.toHaveProperty('truncated');
  });

  it('starts again when the transactions change between pages, and gives up if they keep changing', async () => {
    const many = Array.from({ length: 800 }, () => row(1));
    let asked = 0;
    returns(many, () => (asked++ === 0 ? 799 : 800));
    expect((await spending()).totals).toMatchObject([{ amount: 800 }]);
    returns(many, () => 800 + asked++);
    await expect(spending()).rejects.toMatchObject({ code: 'conflict', retryAfter: 1 });
  });
});
