import { counts } from '../../language/en/counts.js';
import { bank as texts } from '../../language/en/results.js';
import { plainWords } from '../../language/names.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { formatter } from '../page/page-format.js';
import { readableText } from '../page/page-text.js';
import { barChart } from './chart.js';
import { moreNote } from './result-badges.js';
import { dataTable } from './result-table.js';

const MOST_BARS = 8;
const OWED = new Set(['credit', 'loan']);
const NOT_SPENT = /^(TRANSFER|INCOME|LOAN_PAYMENTS)/;

export const isBalances = ({ accounts }) =>
  Array.isArray(accounts) && accounts.length > 0 && accounts.every((one) => typeof one?.balances === 'object' && one.balances !== null);

/** Accounts as cards, and as a chart where several share a currency. */
export function balanceCards({ accounts, live }) {
  const cards = accounts.map(({ name, official_name: official, type, subtype, mask, balances }) => {
    const { available, current, limit, currency, updated } = balances;
    const owed = OWED.has(type);
    const facts = [
      owed ? texts.owed : texts.balance,
      available === null || available === current ? '' : texts.available(formatter.money(available, currency)),
      limit === null ? '' : texts.limit(formatter.money(limit, currency)),
    ];
    return element(
      'li',
      { className: 'balance' },
      element(
        'p',
        { className: 'balance-name' },
        readableText(official || name),
        mask ? element('span', { className: 'muted' }, ` …${mask}`) : undefined,
      ),
      element('p', { className: 'balance-amount' }, formatter.money(current ?? available, currency)),
      element('p', { className: 'event-facts' }, facts.filter(Boolean).join(' · ')),
      element(
        'p',
        { className: 'event-facts' },
        [plainWords(subtype ?? type), updated ? formatter.dateTime(updated) : ''].filter(Boolean).join(' · '),
      ),
    );
  });
  const totals = [...Map.groupBy(accounts, ({ balances }) => balances.currency)].map(([currency, group]) => ({
    currency,
    group: group.filter(({ type, balances }) => !OWED.has(type) && balances.current !== null),
  }));
  const charts = totals
    .filter(({ group }) => group.length > 1)
    .map(({ currency, group }) =>
      barChart({
        title: texts.byAccount,
        unit: texts.account,
        bars: group.map(({ name, balances }) => ({ name: readableText(name), value: balances.current })),
        format: (value) => formatter.money(value, currency),
      }),
    );
  return {
    count: counts.accounts(accounts.length, formatter),
    nodes: [
      element('ul', { className: 'balances' }, ...cards),
      ...charts,
      live === false ? element('p', { className: 'muted result-more' }, texts.asFetched) : undefined,
    ],
  };
}

export const isNumbers = ({ accounts }) =>
  Array.isArray(accounts) && accounts.length > 0 && accounts.every((one) => Array.isArray(one?.numbers));

export function accountNumbers({ accounts, masked }) {
  const rows = accounts.flatMap(({ name, numbers }) =>
    numbers.map(({ kind, ...parts }) => [
      readableText(name),
      String(kind).toUpperCase(),
      Object.entries(parts)
        .filter(([, value]) => typeof value === 'string')
        .map(([part, value]) => `${plainWords(part)} ${readableText(value)}`)
        .join(', '),
    ]),
  );
  const note = masked ? [element('p', { className: 'muted result-more' }, texts.masked)] : [];
  return {
    nodes: [
      dataTable(
        texts.numbers.title,
        texts.numbers.columns.map((title) => ({ title })),
        rows,
      ),
      ...note,
    ],
  };
}

const isTransaction = (one) => typeof one?.amount === 'number' && typeof one.date === 'string' && 'currency' in one;

export const isTransactionList = ({ items }) => Array.isArray(items) && items.length > 0 && items.every(isTransaction);

/** Transactions with sums for each currency; money in is negative at the bank and shown as such, with a plus. */
export function transactionList({ items, accounts = [], total, next }) {
  const names = new Map(accounts.map(({ id, name, mask }) => [id, mask ? `${name} …${mask}` : name]));
  return {
    count:
      total === undefined || total === items.length
        ? counts.transactions(items.length, formatter)
        : texts.some(items.length, counts.transactions(total, formatter)),
    nodes: [...spendingCharts(items), transactionTable(texts.transactions, items, names), moreNote(next)],
  };
}

function transactionTable(caption, items, names = new Map()) {
  const withAccount = names.size > 1;
  const columns = [
    { title: texts.columns.date },
    { title: texts.columns.party },
    { title: texts.columns.category },
    ...(withAccount ? [{ title: texts.columns.account }] : []),
    { title: texts.columns.amount, amount: true },
  ];
  const rows = items.map((item) => {
    const { date, name, merchant, category, account, amount, currency, pending } = item;
    const who = element('span', {}, readableText(merchant ?? name ?? '–'), ' ', pending ? tag('attention', texts.pending) : undefined);
    const paid = element('span', { className: amount < 0 ? 'money-in' : '' }, signed(amount, currency));
    return [
      element('time', { dateTime: date }, formatter.shortDay(date)),
      who,
      category ? plainWords(category) : '–',
      ...(withAccount ? [readableText(names.get(account) ?? '–')] : []),
      paid,
    ];
  });
  const blank = Array.from({ length: columns.length - 2 }, () => '');
  const foot = [...Map.groupBy(items, ({ currency }) => currency)].flatMap(([currency, group]) => {
    const sum = (wanted) => group.filter(wanted).reduce((sum, { amount }) => sum + amount, 0);
    const [out, into] = [sum(({ amount }) => amount > 0), sum(({ amount }) => amount < 0)];
    return [
      ...(out === 0 ? [] : [[texts.out, ...blank, formatter.money(out, currency)]]),
      ...(into === 0 ? [] : [[texts.into, ...blank, signed(into, currency)]]),
    ];
  });
  return dataTable(caption, columns, rows, foot);
}

const signed = (amount, currency) => (amount < 0 ? `+${formatter.money(-amount, currency)}` : formatter.money(amount, currency));

/** By category, and by month where there are several. Transfers and income are no spending. */
function spendingCharts(items) {
  const spent = items.filter(({ category }) => !NOT_SPENT.test(category ?? ''));
  return [...Map.groupBy(spent, ({ currency }) => currency)].flatMap(([currency, group]) => {
    const format = (value) => formatter.money(value, currency);
    const months = sums(group, ({ date }) => date.slice(0, 7)).toSorted((one, other) => one.name.localeCompare(other.name));
    const byMonth = months.map(({ name, value }) => ({ name: formatter.month(name), value }));
    const categories = largest(sums(group, ({ category }) => (category ? plainWords(category) : texts.noCategory)));
    return [
      ...(categories.length > 1 ? [barChart({ title: texts.by(texts.category), unit: texts.category, bars: categories, format })] : []),
      ...(byMonth.length > 1 ? [barChart({ title: texts.byMonth, unit: texts.month, bars: byMonth, format })] : []),
    ];
  });
}

/** @returns the positive sums: refunds may exceed what was spent */
function sums(items, nameOf) {
  const grouped = [...Map.groupBy(items, nameOf)].map(([name, group]) => ({
    name,
    value: group.reduce((sum, { amount }) => sum + amount, 0),
  }));
  return grouped.filter(({ value }) => value > 0);
}

function largest(bars) {
  const sorted = bars.toSorted((one, other) => other.value - one.value);
  // One more would be no more than a bar itself.
  if (sorted.length <= MOST_BARS + 1) return sorted;
  const rest = sorted.slice(MOST_BARS);
  const others = { name: texts.others(rest.length), value: rest.reduce((sum, { value }) => sum + value, 0) };
  return [...sorted.slice(0, MOST_BARS), others];
}

export const isSpending = ({ sums: found, totals }) =>
  Array.isArray(found) && Array.isArray(totals) && found.every((one) => typeof one?.amount === 'number');

/** Sums by category or merchant: a chart and a table for each currency. */
export function spendingSums({ from, to, sums: found, totals, left_out: leftOut = [], more, truncated }) {
  const isCategory = found.every(({ name }) => name === null || name === name.toUpperCase());
  const shown = (name) => (name === null ? texts.noneNamed : isCategory ? plainWords(name) : readableText(name));
  const unit = isCategory ? texts.category : texts.merchant;
  const nodes = totals.flatMap((total) => {
    const { currency } = total;
    const format = (value) => formatter.money(value, currency);
    const own = found.filter((one) => one.currency === currency);
    const bars = largest(own.filter(({ amount }) => amount > 0).map(({ name, amount }) => ({ name: shown(name), value: amount })));
    const rows = own.map(({ name, amount, refunds, count }) => [
      shown(name),
      String(count),
      refunds ? format(refunds) : '–',
      format(amount),
    ]);
    const columns = [
      { title: unit },
      { title: texts.sums.number, amount: true },
      { title: texts.sums.refunds, amount: true },
      { title: texts.sums.spent, amount: true },
    ];
    const foot = [[texts.sums.total, String(total.count), total.refunds ? format(total.refunds) : '–', format(total.amount)]];
    return [
      ...(bars.length > 1 ? [barChart({ title: texts.by(unit), unit, bars, format })] : []),
      dataTable(texts.byIn(unit, currency), columns, rows, foot),
    ];
  });
  const left = leftOut.map(({ kind, currency, in: into, out }) =>
    texts.flow(plainWords(kind), formatter.money(into, currency), formatter.money(out, currency)),
  );
  return {
    count: `${formatter.shortDay(from)} – ${formatter.shortDay(to)}`,
    nodes: [
      ...nodes,
      found.length === 0 ? element('p', { className: 'muted' }, texts.nothingSpent) : undefined,
      left.length === 0 ? undefined : element('p', { className: 'muted result-more' }, texts.leftOut(left)),
      more > 0 ? element('p', { className: 'muted result-more' }, texts.smaller(more)) : undefined,
      truncated ? element('p', { className: 'warning' }, texts.incomplete(truncated)) : undefined,
    ],
  };
}

export const isChanges = ({ added, modified, removed }) =>
  [added, modified, removed].every(Array.isArray) && [...added, ...modified].every(isTransaction);

/** What is new since the last time. */
export function changeTables({ added, modified, removed, ready, more }) {
  const part = (title, items) =>
    items.length === 0
      ? []
      : [element('p', { className: 'result-title' }, texts.part(title, items.length)), transactionTable(title, items)];
  const isEmpty = added.length + modified.length + removed.length === 0;
  return {
    nodes: [
      ready === false ? element('p', { className: 'warning' }, texts.loading) : undefined,
      ...part(texts.added, added),
      ...part(texts.changed, modified),
      removed.length === 0 ? undefined : element('p', {}, texts.removed(counts.transactions(removed.length, formatter))),
      isEmpty && ready !== false ? element('p', { className: 'muted' }, texts.nothingNew) : undefined,
      moreNote(more),
    ],
  };
}
