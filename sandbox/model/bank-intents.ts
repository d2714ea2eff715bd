import { money, plainName, when } from './answers.ts';
import type { Intent } from './intent.ts';
import { type DayRange, daysIn, numberIn } from './said-dates.ts';
import { type Data, isData, listOf, str } from './tool-results.ts';

/** Words for what a bank's categories are called otherwise. */
const ALSO: Readonly<Record<string, string>> = {
  groceries: 'grocer',
  grocery: 'grocer',
  food: 'food',
  eating: 'food',
  restaurants: 'food',
  travel: 'transport',
};

/** Balances, transactions and spending. */
export const bankIntents: readonly Intent[] = [
  {
    example: 'What did I spend on groceries this month?',
    pattern:
      /^(?:what|how much)\b.*\b(?:spend|spent|spending|expenses)\b(?: (?:on|for) (?<what>(?!(?:this|last|the|in|by)\b)[\p{L} &-]+?))?(?<rest>(?: (?:this|last|the|in|by|at|from|since|between|per)\b.*)?)$/iu,
    *plan({ what, rest = '' }, world) {
      const input: Data = { ...pastDays(rest, world.now), ...(/\b(?:merchant|shop|store)s?\b/i.test(rest) && { by: 'merchant' }) };
      const result = yield* world.run('bank_spending', input);
      if (what === undefined) return spendingText(result);
      const stem = (ALSO[what.toLowerCase()] ?? what).toLowerCase();
      const named = (sums: unknown) => listOf(sums).filter(({ name }) => plainName(name).toLowerCase().includes(stem));
      const category = named(result.sums);
      // No category has the name; a merchant may.
      const sums = category.length > 0 ? category : named((yield* world.run('bank_spending', { ...input, by: 'merchant' })).sums);
      const span = `from ${when(result.from)} to ${when(result.to)}`;
      if (sums.length === 0) return `I found nothing that you spent on ${what} ${span}.`;
      return [`On ${what}, you spent ${span}:`, ...sums.map(sumLine)].join('\n');
    },
  },
  {
    example: 'What is my balance?',
    pattern: /^(?<verb>what|show|list|how much|check|tell)\b.*\b(?:balances?|money (?:do i have|is (?:in|on) my)|money have i)\b/i,
    *plan(_said, world) {
      const accounts = listOf((yield* world.run('bank_balances', {})).accounts);
      return ['Your balances:', ...accounts.map(balanceLine)].join('\n');
    },
  },
  {
    example: 'What are my account numbers?',
    pattern: /^(?<verb>what|show|list|give|tell)\b.*\b(?:account|routing) numbers?\b|^(?<iban>what|show)\b.*\biban\b/i,
    *plan(_said, world) {
      const { accounts, masked } = yield* world.run('bank_numbers', {});
      const lines = listOf(accounts).map(({ name, numbers }) => `- ${str(name)}: ${listOf(numbers).map(numberText).join('; ') || 'none'}`);
      return [`Your account numbers${masked === true ? ', masked by Steward' : ''}:`, ...lines].join('\n');
    },
  },
  {
    example: 'What is new at my bank?',
    pattern:
      /^(?<verb>what|anything|show|list|is there)\b.*\b(?:new (?:at|in|on) my bank|new transactions|changed at my bank|bank changes)\b/i,
    *plan(_said, world) {
      const { added, modified, removed, cursor } = yield* world.run('bank_changes', {});
      // They were received.
      yield* world.run('bank_changes', { cursor });
      const fresh = listOf(added);
      const counts = `${fresh.length} new, ${listOf(modified).length} changed and ${listOf(removed).length} removed transactions.`;
      return [counts, ...fresh.slice(0, 5).map(transactionLine)].join('\n');
    },
  },
  {
    example: 'Show my last five transactions.',
    pattern: /^(?<verb>show|list|what|find|read)\b.*\b(?:transactions|payments|bookings)\b(?<rest>.*)$/i,
    *plan(_said, world) {
      const days = pastDays(world.said, world.now);
      const count = days === undefined ? numberIn(world.said) : undefined;
      const { items, total } = yield* world.run('bank_transactions', { ...days, max: count ?? 10 });
      const found = listOf(items);
      if (found.length === 0) return 'There are no such transactions.';
      return [`${found.length} of ${str(total)} transactions, the newest first:`, ...found.map(transactionLine)].join('\n');
    },
  },
];

export function transactionLine({ date, merchant, name, amount, currency, pending }: Data): string {
  return `- ${when(date)}: ${str(merchant) || str(name)}, ${money(amount, currency)}${pending === true ? ' (pending)' : ''}`;
}

export function balanceLine({ name, mask, balances }: Data): string {
  const { available, current, currency } = isData(balances) ? balances : {};
  const left = typeof available === 'number' && available !== current ? `, of which ${money(available, currency)} is available` : '';
  return `- ${str(name)}${str(mask) === '' ? '' : ` …${str(mask)}`}: ${money(current, currency)}${left}`;
}

/** The days that a text names, without those to come. */
function pastDays(said: string, now: number): DayRange | undefined {
  const days = daysIn(said, now);
  const today = new Date(now).toISOString().slice(0, 10);
  return days === undefined || days.to <= today ? days : { from: days.from, to: today };
}

function spendingText({ from, to, sums, totals }: Data): string {
  const total = listOf(totals).map(({ amount, currency }) => money(amount, currency));
  return [`From ${when(from)} to ${when(to)}, you spent ${total.join(' and ') || 'nothing'}:`, ...listOf(sums).map(sumLine)].join('\n');
}

function sumLine({ name, amount, currency, count }: Data): string {
  return `- ${plainName(name)}: ${money(amount, currency)} (${str(count)} ${count === 1 ? 'transaction' : 'transactions'})`;
}

function numberText(number: Data): string {
  return Object.entries(number)
    .filter(([, value]) => str(value) !== '')
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${str(value)}`)
    .join(', ');
}
