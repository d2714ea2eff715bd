import { describe, expect, test } from 'vitest';
import { bankBooking, book } from '../../sandbox/happenings/bank-booking.ts';
import { call, control, DAY_MS, host, type Linked, link, refusal, sync, useBankSandbox } from '../support/emulators/bank-sandbox-host.ts';

useBankSandbox();

describe('POST /transactions/sync', () => {
  async function linkedAndReady(): Promise<Linked> {
    const linked = await link();
    await sync(linked.accessToken);
    return linked;
  }

  test('is empty right after linking, with an empty cursor', async () => {
    const { accessToken } = await link();
    expect(await sync(accessToken)).toMatchObject({
      transactions_update_status: 'NOT_READY',
      added: [],
      modified: [],
      removed: [],
      next_cursor: '',
      has_more: false,
    });
    expect((await sync(accessToken)).added.length).toBeGreaterThan(100);
  });

  test('returns one account’s transactions with `account_id`, and rejects an unknown one', async () => {
    const { accessToken } = await linkedAndReady();
    const whole = await sync(accessToken);
    const [first] = whole.added as unknown as { account_id: string }[];
    const options = { account_id: first?.account_id, days_requested: 90, personal_finance_category_version: 'v2' };
    const one = await call('transactionsSync', { access_token: accessToken, count: 500, options });
    const ofAccount = whole.added.filter((added) => (added as unknown as { account_id: string }).account_id === first?.account_id);
    expect(one.added).toEqual(ofAccount);
    expect(ofAccount.length).toBeLessThan(whole.added.length);
    expect(await refusal('transactionsSync', { access_token: accessToken, options: { account_id: 'unknown' } })).toMatchObject({
      status: 400,
      error_code: 'INVALID_ACCOUNT_ID',
    });
  });

  test('pages through six months without gap or repetition', async () => {
    const { accessToken } = await linkedAndReady();
    const whole = await sync(accessToken);
    expect(whole.has_more).toBe(false);
    const ids: string[] = [];
    let page = await sync(accessToken, '', 50);
    for (; page.has_more; page = await sync(accessToken, page.next_cursor, 50)) {
      expect(page.added).toHaveLength(50);
      ids.push(...page.added.map((added) => added.transaction_id));
    }
    ids.push(...page.added.map((added) => added.transaction_id));
    expect(ids).toEqual(whole.added.map((added) => added.transaction_id));
    expect(new Set(ids).size).toBe(ids.length);
    const days = whole.added.map(({ date }) => Date.parse(date)).sort((one, other) => one - other);
    expect(host.controls.now() - (days[0] ?? 0)).toBeGreaterThan(175 * DAY_MS);
    expect(Math.max(...days)).toBeLessThanOrEqual(host.controls.now());
    expect((await sync(accessToken, page.next_cursor)).added).toEqual([]);
  });

  test('posts a pending transaction by removing it and adding another', async () => {
    const { accessToken } = await linkedAndReady();
    await call('transactionsRefresh', { access_token: accessToken });
    const first = await sync(accessToken);
    const pending = first.added.filter((added) => added.pending).at(-1);
    expect(pending).toBeDefined();
    host.controls.advance(3 * DAY_MS);
    const later = await sync(accessToken, first.next_cursor);
    expect(later.removed.map((removed) => removed.transaction_id)).toContain(pending?.transaction_id);
    expect(later.added).toContainEqual(expect.objectContaining({ pending: false, pending_transaction_id: pending?.transaction_id }));
  });

  test('keeps the transactions it has returned when the clock is set back', async () => {
    const { accessToken } = await linkedAndReady();
    host.controls.advance(10 * DAY_MS);
    const ahead = await sync(accessToken);
    host.controls.advance(-10 * DAY_MS);
    expect((await sync(accessToken)).added).toEqual(ahead.added);
  });

  test('rejects the cursor of another item, and invalid ones', async () => {
    const [one, other] = [await linkedAndReady(), await linkedAndReady()];
    const { next_cursor: cursor } = await sync(one.accessToken);
    for (const wrong of [cursor, 'nonsense', 'bnVsbA==']) {
      const request = { access_token: other.accessToken, cursor: wrong };
      expect(await refusal('transactionsSync', request)).toMatchObject({
        error_code: 'INVALID_FIELD',
        error_message: 'cursor not associated with access_token',
      });
    }
    expect(await refusal('transactionsSync', { access_token: one.accessToken, count: 501 })).toMatchObject({ error_code: 'INVALID_FIELD' });
  });

  test('reports a mutation during pagination on demand, until the client restarts from the first cursor', async () => {
    const { accessToken, itemId } = await linkedAndReady();
    const first = await sync(accessToken, '', 100);
    await control('mutate', { item_id: itemId });
    const further = { access_token: accessToken, cursor: first.next_cursor };
    const mutation = { status: 400, error_type: 'TRANSACTIONS_ERROR', error_code: 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION' };
    expect(await refusal('transactionsSync', further)).toMatchObject(mutation);
    expect(await refusal('transactionsSync', further)).toMatchObject(mutation);
    let page = await sync(accessToken, '', 100);
    const modified = [...page.modified];
    while (page.has_more) {
      page = await sync(accessToken, page.next_cursor, 100);
      modified.push(...page.modified);
    }
    expect(modified).toMatchObject([{ transaction_id: first.added[0]?.transaction_id, name: expect.stringContaining('correction') }]);
  });

  test('of a stuck item rejects every cursor, until the client starts from the beginning', async () => {
    const { accessToken, itemId } = await linkedAndReady();
    const { next_cursor: cursor } = await sync(accessToken, '', 500);
    await control('mutate', { item_id: itemId, always: 'true' });
    for (const _ of [1, 2]) {
      expect(await refusal('transactionsSync', { access_token: accessToken, cursor })).toMatchObject({
        error_code: 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION',
      });
    }
    const again = await sync(accessToken, '', 500);
    expect(await sync(accessToken, again.next_cursor, 500)).toMatchObject({ added: [], has_more: false });
  });

  test('lacks members of the first row on demand', async () => {
    const { accessToken, itemId } = await linkedAndReady();
    await control('rows', { item_id: itemId, omit: 'pending', nulls: 'amount' });
    const [odd, usual] = (await sync(accessToken, '', 100)).added;
    expect([odd?.pending, odd?.amount]).toEqual([undefined, null]);
    expect([usual?.pending, usual?.amount]).toEqual([expect.any(Boolean), expect.any(Number)]);
  });

  test('POST /transactions/get is not ready at first, then returns a range of days', async () => {
    const { accessToken } = await link();
    const day = (at: number) => new Date(at).toISOString().slice(0, 10);
    const range = { start_date: day(host.controls.now() - 30 * DAY_MS), end_date: day(host.controls.now()) };
    const request = { access_token: accessToken, ...range, options: { count: 10, offset: 5 } };
    expect(await refusal('transactionsGet', request)).toMatchObject({ error_code: 'PRODUCT_NOT_READY' });
    const response = await call('transactionsGet', request);
    const shown = response.transactions as { date: string }[];
    expect(shown).toHaveLength(10);
    expect(response.total_transactions).toBeGreaterThan(15);
    expect(shown.every(({ date }) => date >= range.start_date && date <= range.end_date)).toBe(true);
  });

  test('POST /transactions/get rejects days that end before they begin', async () => {
    const { accessToken } = await linkedAndReady();
    const request = { access_token: accessToken, start_date: '2026-02-01', end_date: '2026-01-31' };
    expect(await refusal('transactionsGet', request)).toMatchObject({ error_code: 'INVALID_FIELD' });
  });

  test('returns transactions in their account’s currency, with both categories', async () => {
    const { accessToken } = await link('ins_109509');
    await sync(accessToken);
    const { added } = await sync(accessToken);
    const currencies = new Set(added.map((row) => (row as unknown as { iso_currency_code: string }).iso_currency_code));
    expect(currencies).toEqual(new Set(['USD', 'EUR']));
    for (const row of added as unknown as { personal_finance_category: { primary: string; detailed: string } }[]) {
      const { primary, detailed } = row.personal_finance_category;
      expect(detailed.startsWith(`${primary}_`)).toBe(true);
    }
  });

  test('returns the same data at every link of the same login', async () => {
    const [one, other] = [await linkedAndReady(), await linkedAndReady()];
    const told = async ({ accessToken }: Linked) => (await sync(accessToken)).added.map(({ date, amount }) => [date, amount]);
    expect(await told(one)).toEqual(await told(other));
  });
});

describe('POST /sandbox/control/bank/transactions', () => {
  const happen = (itemId: string, kind: string, times = 1) => control('transactions', { item_id: itemId, kind, times });

  test('adds pending purchases, and posts all pending ones', async () => {
    const { accessToken, itemId } = await link();
    await sync(accessToken);
    const start = await sync(accessToken);
    await happen(itemId, 'purchase', 3);
    const bought = await sync(accessToken, start.next_cursor);
    expect(bought.added.map(({ pending }) => pending)).toEqual([true, true, true]);
    await happen(itemId, 'posting');
    const posted = await sync(accessToken, bought.next_cursor);
    const pending = [...start.added, ...bought.added].filter((row) => row.pending).map(({ transaction_id: id }) => id);
    expect(posted.removed.map(({ transaction_id: id }) => id).sort()).toEqual(pending.sort());
    expect(posted.added.map(({ pending_transaction_id: id }) => id).sort()).toEqual(pending);
    expect(posted.added.every((row) => !row.pending)).toBe(true);
    await happen(itemId, 'posting');
    expect((await sync(accessToken, posted.next_cursor)).added).toEqual([]);
    host.controls.advance(30 * DAY_MS);
    const later = await sync(accessToken, posted.next_cursor);
    expect(later.removed.filter(({ transaction_id: id }) => pending.includes(id))).toEqual([]);
  });

  test('never changes transactions before a cursor', async () => {
    const { accessToken, itemId } = await link();
    await sync(accessToken);
    let { added: told, next_cursor: cursor } = await sync(accessToken);
    for (const kind of ['purchase', 'posting', 'purchase', 'purchase', 'correction', 'posting', 'purchase']) {
      await happen(itemId, kind);
      const page = await sync(accessToken, cursor);
      told = [...told, ...page.added];
      cursor = page.next_cursor;
      expect((await sync(accessToken)).added).toEqual(told);
    }
  });

  test('rejects an unknown item and an unknown kind', async () => {
    const { itemId } = await link();
    await expect(happen('other', 'purchase')).rejects.toThrow('404');
    await expect(happen(itemId, 'theft')).rejects.toThrow('400');
  });
});

describe('POST /sandbox/control/transaction', () => {
  const happens = (fields: object) => book(host.bank, bankBooking.parse(fields));

  test('books a payment of an amount, merchant and category, pending until it is posted', async () => {
    const { accessToken, itemId } = await link();
    await sync(accessToken);
    const start = await sync(accessToken);
    happens({ item_id: itemId, amount: 612.5, merchant: 'Piano House', category: 'ENTERTAINMENT' });
    const booked = await sync(accessToken, start.next_cursor);
    const [payment] = booked.added as any[];
    expect(payment).toMatchObject({ amount: 612.5, merchant_name: 'Piano House', pending: true });
    expect(payment.personal_finance_category.primary).toBe('ENTERTAINMENT');
    happens({ item_id: itemId, state: 'post' });
    const posted = (await sync(accessToken, booked.next_cursor)).added as any[];
    expect(posted.find((row) => row.pending_transaction_id === payment.transaction_id)).toMatchObject({ amount: 612.5, pending: false });
    happens({ state: 'posted' });
    expect(((await sync(accessToken)).added as any[]).filter(({ amount, pending }) => amount === 1_250 && !pending)).toHaveLength(1);
    expect(() => happens({ item_id: 'none' })).toThrow('bank');
    expect(bankBooking.safeParse({ amount: 'much' }).success).toBe(false);
  });
});
