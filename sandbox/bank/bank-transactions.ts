import { draw, type SandboxAccount, stableId } from './bank-world.ts';

/** An item's access to one account. Times are milliseconds since 1970. */
export interface AccountAccess {
  key: string;
  from: number;
  /** When the user withdrew it in update mode. */
  until: number | null;
}

/** A change caused by a call or a test. */
export interface TransactionChange {
  at: number;
  /**
   * A new pending transaction; a refund, and a transfer between the first two accounts, which are posted at once; a change
   * of the oldest transaction; the posting of all pending ones.
   */
  kind: 'purchase' | 'refund' | 'transfer' | 'correction' | 'posting';
  /** Of a purchase: what is not left to chance. */
  given?: BookingDetails;
}

/** What a test says of a transaction. */
export interface BookingDetails {
  /** What is paid; negative: received. */
  amount?: number | undefined;
  merchant?: string | undefined;
  /** A primary category: `FOOD_AND_DRINK`. */
  category?: string | undefined;
  /** It is posted at once. */
  isPosted?: boolean | undefined;
}

/** The input from which all transactions of an item are computed. */
export interface TransactionSource {
  itemId: string;
  /** Institution and login: the same person has the same history at every link. */
  holder: string;
  access: readonly AccountAccess[];
  changes: readonly TransactionChange[];
}

export interface Transaction {
  transaction_id: string;
  account_id: string;
  amount: number;
  date: string;
  authorized_date: string;
  name: string;
  merchant_name: string | null;
  currency: SandboxAccount['currency'];
  category: string;
  subcategory: string;
  payment_channel: 'in store' | 'online' | 'other';
  pending: boolean;
  pending_transaction_id: string | null;
}

export interface TransactionEvent {
  at: number;
  kind: 'added' | 'modified' | 'removed';
  transaction: Transaction;
}

interface Booking {
  key: string;
  account: string;
  /** When it was authorized, and when it is posted. */
  at: number;
  postsAt: number;
  /** Positive: money out. */
  amount: number;
  merchant: Merchant;
}

interface Merchant {
  name: string;
  /** Plaid's personal finance categories: the primary one, and the suffix of the detailed one. */
  category: string;
  detail: string;
  channel: Transaction['payment_channel'];
  /** Largest amount, cents. */
  top: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** About six months of history before the link. */
const HISTORY_DAYS = 183;
const POSTING_MS = 2 * DAY_MS;
const PAYROLL_EVERY_DAYS = 14;

const SHOPS: readonly Merchant[] = [
  { name: 'Corner Grocery', category: 'FOOD_AND_DRINK', detail: 'GROCERIES', channel: 'in store', top: 9_500 },
  { name: 'Blue Door Coffee', category: 'FOOD_AND_DRINK', detail: 'COFFEE', channel: 'in store', top: 1_200 },
  { name: 'Noodle House', category: 'FOOD_AND_DRINK', detail: 'RESTAURANT', channel: 'in store', top: 4_200 },
  { name: 'City Transit', category: 'TRANSPORTATION', detail: 'PUBLIC_TRANSIT', channel: 'online', top: 600 },
  { name: 'Harbor Fuel', category: 'TRANSPORTATION', detail: 'GAS', channel: 'in store', top: 6_800 },
  { name: 'Parcel & Page Books', category: 'GENERAL_MERCHANDISE', detail: 'BOOKSTORES_AND_NEWSSTANDS', channel: 'online', top: 5_400 },
  { name: 'Green Cross Pharmacy', category: 'MEDICAL', detail: 'PHARMACIES_AND_SUPPLEMENTS', channel: 'in store', top: 3_900 },
  { name: 'Lantern Streaming', category: 'ENTERTAINMENT', detail: 'TV_AND_MOVIES', channel: 'online', top: 1_800 },
];
const RENT: Merchant = { name: 'Maple Court Rent', category: 'RENT_AND_UTILITIES', detail: 'RENT', channel: 'other', top: 0 };
const PAYROLL: Merchant = { name: 'Fernwood Studio Payroll', category: 'INCOME', detail: 'WAGES', channel: 'other', top: 0 };
const TRANSFER_OUT: Merchant = {
  name: 'Transfer to own account',
  category: 'TRANSFER_OUT',
  detail: 'ACCOUNT_TRANSFER',
  channel: 'other',
  top: 0,
};
const TRANSFER_IN: Merchant = {
  name: 'Transfer from own account',
  category: 'TRANSFER_IN',
  detail: 'ACCOUNT_TRANSFER',
  channel: 'other',
  top: 0,
};
const TRANSFERRED = 250;
const INTEREST: Merchant = { name: 'Interest Payment', category: 'INCOME', detail: 'INTEREST_EARNED', channel: 'other', top: 0 };

/**
 * All events of an item's transactions until `until`, oldest first. The log only grows, so that a position in it can serve
 * as a cursor.
 *
 * @param accounts the bank's accounts
 */
export function transactionEvents(source: TransactionSource, accounts: readonly SandboxAccount[], until: number): TransactionEvent[] {
  const events = source.access.flatMap((access) => {
    const account = accounts.find(({ key }) => key === access.key);
    return account === undefined ? [] : accountEvents(source, account, access, until);
  });
  events.push(...corrections(source, events, until));
  // Sorting is stable: events of the same time keep their order, the oldest booking first.
  return events.sort((one, other) => one.at - other.at);
}

/** The transactions that result from a log, newest first. */
export function currentTransactions(events: readonly TransactionEvent[]): Transaction[] {
  const standing = new Map<string, Transaction>();
  for (const { kind, transaction } of events) {
    if (kind === 'removed') standing.delete(transaction.transaction_id);
    else standing.set(transaction.transaction_id, transaction);
  }
  return [...standing.values()].sort((one, other) => other.date.localeCompare(one.date));
}

export function accountId(itemId: string, key: string): string {
  return stableId(`account/${itemId}/${key}`);
}

function accountEvents(source: TransactionSource, account: SandboxAccount, access: AccountAccess, until: number): TransactionEvent[] {
  const end = Math.min(until, access.until ?? until);
  const bookings = [...regularBookings(source.holder, account, access.from, end), ...changeBookings(source, access, end)];
  const postings = source.changes.filter(({ kind, at }) => kind === 'posting' && at <= end).map(({ at }) => at);
  const history = { itemId: source.itemId, currency: account.currency, from: access.from, end, postings };
  return bookings.sort((one, other) => one.at - other.at).flatMap((booking) => bookingEvents(history, booking));
}

interface AccountHistory {
  itemId: string;
  currency: SandboxAccount['currency'];
  /** Transactions posted before this time are history. */
  from: number;
  end: number;
  /** When all pending transactions were posted early. */
  postings: readonly number[];
}

/** A booking is added as pending, then removed and added as posted. One that was posted before the link is added as posted. */
function bookingEvents(history: AccountHistory, booking: Booking): TransactionEvent[] {
  const { from, end } = history;
  const posted = (pendingId: string | null, at: number): TransactionEvent => ({
    at,
    kind: 'added',
    transaction: transaction(history, { ...booking, postsAt: Math.min(at, booking.postsAt) }, 'posted', pendingId),
  });
  if (booking.postsAt <= from) return [posted(null, from)];
  if (booking.postsAt === booking.at) return [posted(null, booking.at)];
  const pending = transaction(history, booking, 'pending', null);
  const shownAt = Math.max(booking.at, from);
  const events: TransactionEvent[] = [{ at: shownAt, kind: 'added', transaction: pending }];
  const postsAt = Math.min(booking.postsAt, ...history.postings.filter((at) => at > shownAt));
  if (postsAt > end) return events;
  events.push({ at: postsAt, kind: 'removed', transaction: pending }, posted(pending.transaction_id, postsAt));
  return events;
}

function transaction(
  { itemId, currency }: AccountHistory,
  booking: Booking,
  state: 'pending' | 'posted',
  pendingId: string | null,
): Transaction {
  return {
    transaction_id: stableId(`transaction/${itemId}/${booking.key}/${state}`),
    account_id: accountId(itemId, booking.account),
    amount: booking.amount,
    date: day(state === 'posted' ? booking.postsAt : booking.at),
    authorized_date: day(booking.at),
    name: booking.merchant.name,
    merchant_name: booking.merchant.top === 0 ? null : booking.merchant.name,
    currency,
    category: booking.merchant.category,
    subcategory: `${booking.merchant.category}_${booking.merchant.detail}`,
    payment_channel: booking.merchant.channel,
    pending: state === 'pending',
    pending_transaction_id: pendingId,
  };
}

function regularBookings(holder: string, account: SandboxAccount, from: number, end: number): Booking[] {
  const first = Math.floor(from / DAY_MS) - HISTORY_DAYS;
  const bookings: Booking[] = [];
  for (let number = first; number * DAY_MS <= end; number += 1) bookings.push(...bookingsOfDay(holder, account, number));
  return bookings.filter((booking) => booking.at <= end);
}

function bookingsOfDay(holder: string, account: SandboxAccount, number: number): Booking[] {
  const luck = draw(`${holder}/${account.key}/${number}`);
  const start = number * DAY_MS;
  const booked = (merchant: Merchant, amount: number): Booking => {
    const at = start + 6 * HOUR_MS;
    return { key: `${account.key}/${number}/${merchant.name}`, account: account.key, at, postsAt: at, amount, merchant };
  };
  const firstOfMonth = new Date(start).getUTCDate() === 1;
  if (account.subtype === 'savings') return firstOfMonth ? [booked(INTEREST, -4.22)] : [];
  if (account.subtype === null) return [];
  const bookings = shopping(account, number, luck);
  if (account.subtype === 'checking' && firstOfMonth) bookings.push(booked(RENT, 1_450));
  if (account.subtype === 'checking' && number % PAYROLL_EVERY_DAYS === 0) bookings.push(booked(PAYROLL, -2_150));
  return bookings;
}

/** Up to two purchases a day, whose number, time, shop and amount derive from `luck`. */
function shopping(account: SandboxAccount, number: number, luck: Buffer): Booking[] {
  const count = luck.readUInt8(0) % 3;
  return Array.from({ length: count }, (_, index) => {
    const at = number * DAY_MS + (8 + (luck.readUInt8(1 + index) % 12)) * HOUR_MS;
    return purchase(account.key, `${account.key}/${number}/${index}`, at, luck.readUInt32BE(4 + 4 * index));
  });
}

function purchase(account: string, key: string, at: number, luck: number): Booking {
  const merchant = SHOPS[luck % SHOPS.length] as Merchant;
  const cents = Math.max(120, (luck >>> 8) % merchant.top);
  return { key, account, at, postsAt: at + POSTING_MS, amount: cents / 100, merchant };
}

/** Purchases found by a refresh, and refunds, on the item's first account; transfers from there to the second one. */
function changeBookings(source: TransactionSource, access: AccountAccess, end: number): Booking[] {
  const [first, second] = source.access;
  return source.changes.flatMap(({ kind, at, given = {} }, index) => {
    if (at > end) return [];
    const key = `refresh/${index}`;
    const transferred = (merchant: Merchant, amount: number) => [
      { key: `${key}/${access.key}`, account: access.key, at, postsAt: at, amount, merchant },
    ];
    if (kind === 'transfer' && second !== undefined && access === first) return transferred(TRANSFER_OUT, TRANSFERRED);
    if (kind === 'transfer' && access === second) return transferred(TRANSFER_IN, -TRANSFERRED);
    if (access !== first || (kind !== 'purchase' && kind !== 'refund')) return [];
    const bought = purchase(access.key, key, at, draw(`${source.itemId}/${index}`).readUInt32BE(0));
    return [kind === 'purchase' ? asGiven(bought, given) : { ...bought, amount: -bought.amount, postsAt: at }];
  });
}

function asGiven(booking: Booking, { amount = booking.amount, merchant, category, isPosted }: BookingDetails): Booking {
  const { name } = booking.merchant;
  const shop = { ...booking.merchant, name: merchant ?? name, ...(category !== undefined && { category, detail: 'OTHER' }) };
  return { ...booking, amount, merchant: shop, ...(isPosted && { postsAt: booking.at }) };
}

/** Corrections rename the oldest transaction. */
function corrections(source: TransactionSource, events: readonly TransactionEvent[], until: number): TransactionEvent[] {
  const oldest = events[0]?.transaction;
  if (oldest === undefined) return [];
  return source.changes.flatMap((change, index) => {
    if (change.kind !== 'correction' || change.at > until) return [];
    return [{ at: change.at, kind: 'modified' as const, transaction: { ...oldest, name: `${oldest.name} (correction ${index + 1})` } }];
  });
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
