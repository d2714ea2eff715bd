import { Temporal } from 'temporal-polyfill';

/** Parts of a rule by their names (RFC 5545 section 3.3.10), all in capitals. */
export type RuleParts = ReadonlyMap<string, string>;

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const WEEKDAY = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/;
const NUMBER = /^[+-]?\d{1,2}$/;
/** Of months, in any year. */
const SHORTEST = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** An nth weekday up to which every month, and every year, has one. */
const LAST_WEEK = { month: 4, year: 52 };
/** Four years in a row: in one of them, there is a 29 February. */
const YEARS = [2025, 2026, 2027, 2028];
/** Parts by which a day depends on other days, or on a count that differs from year to year. */
const FIXED = ['BYSETPOS', 'BYWEEKNO', 'BYYEARDAY', 'RSCALE'];
/** A day that every month has. */
const MAX_SHARED_DAY = 28;
/** The only parts of rules that move by whole months. */
const OF_MONTHS = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'BYMONTH', 'BYMONTHDAY', 'BYHOUR', 'BYMINUTE', 'BYSECOND'];

/**
 * The parts that differ in a rule whose events are all moved by the same number of days.
 *
 * @param first day of the series before
 * @param days not 0
 * @returns new values by name; undefined: no rule has exactly those days, as with the last of each month a day later
 */
export function movedDays(rule: RuleParts, first: Temporal.PlainDate, days: number): Map<string, string> | undefined {
  if (FIXED.some((name) => rule.has(name))) return undefined;
  const frequency = rule.get('FREQ');
  if (frequency === 'WEEKLY') return inWeeks(rule, first, days);
  if (frequency === 'DAILY' && !rule.has('BYMONTH') && !rule.has('BYMONTHDAY')) return onWeekdays(rule, days);
  const anniversary = frequency === 'YEARLY' ? ofAnniversary(rule, first, days) : undefined;
  if (anniversary !== undefined) return anniversary;
  // Which months or years an interval leaves out is counted from the first day.
  const next = first.add({ days });
  const keepsPeriod = next.year === first.year && (frequency === 'YEARLY' || next.month === first.month);
  if (frequency !== 'DAILY' && hasInterval(rule) && !keepsPeriod) return undefined;
  const namesWeekdaysOnly = rule.has('BYDAY') && !rule.has('BYMONTHDAY');
  return frequency !== 'DAILY' && namesWeekdaysOnly ? onNthWeekdays(rule, days) : inMonths(rule, first, days);
}

/**
 * Whether a rule can have an event on a day, by the months, days and weekdays that it names.
 *
 * @returns true also where other parts leave the day out
 */
export function mayFallOn(rule: RuleParts, day: Temporal.PlainDate): boolean {
  const isNamed = (name: string, values: readonly number[]) => numbersOf(rule, name)?.some((value) => values.includes(value)) ?? true;
  const weekdays = rule.get('BYDAY')?.split(',') ?? [];
  return (
    isNamed('BYMONTH', [day.month]) &&
    isNamed('BYMONTHDAY', [day.day, day.day - day.daysInMonth - 1]) &&
    (weekdays.length === 0 || weekdays.some((value) => isWeekday(rule, value, day)))
  );
}

/** Whether a day is the one that a value of BYDAY names. */
function isWeekday(rule: RuleParts, value: string, day: Temporal.PlainDate): boolean {
  const [, nth, weekday] = WEEKDAY.exec(value) ?? [];
  if (weekday !== WEEKDAYS[day.dayOfWeek - 1]) return false;
  if (nth === undefined) return true;
  const isOfMonth = rule.get('FREQ') === 'MONTHLY' || rule.has('BYMONTH');
  const [at, length] = isOfMonth ? [day.day, day.daysInMonth] : [day.dayOfYear, day.daysInYear];
  return [Math.ceil(at / 7), -Math.ceil((length - at + 1) / 7)].includes(Number(nth));
}

/**
 * The parts that differ in a rule whose events are all moved by whole months, on the same days of them.
 *
 * @param first day of the series before
 * @param months not 0
 * @returns new values by name; undefined: its events don't move by months
 */
export function movedMonths(rule: RuleParts, first: Temporal.PlainDate, months: number): Map<string, string> | undefined {
  const frequency = rule.get('FREQ');
  if ((frequency !== 'MONTHLY' && frequency !== 'YEARLY') || [...rule.keys()].some((name) => !OF_MONTHS.includes(name))) return undefined;
  const days = [first.day, ...(numbersOf(rule, 'BYMONTHDAY') ?? [])];
  if (!days.every((day) => day >= 1 && day <= MAX_SHARED_DAY)) return undefined;
  if (months % 12 === 0) return new Map();
  if (frequency === 'YEARLY' && hasInterval(rule) && !movesAsOne(rule, first.month, months)) return undefined;
  return movedList(rule, 'BYMONTH', (value) => movedMonth(Number(value), months));
}

/** Whether all months of a rule are as many years later: which years an interval leaves out is counted from the first month. */
function movesAsOne(rule: RuleParts, first: number, months: number): boolean {
  const yearsLater = (month: number) => Math.floor((month - 1 + months) / 12);
  const named = numbersOf(rule, 'BYMONTH') ?? (rule.has('BYMONTHDAY') ? [1, 12] : []);
  return named.every((month) => yearsLater(month) === yearsLater(first));
}

/** @returns undefined for no month */
function movedMonth(month: number, months: number): string | undefined {
  return SHORTEST[month - 1] === undefined ? undefined : String(((((month - 1 + months) % 12) + 12) % 12) + 1);
}

/** With an interval, the day on which weeks start decides which days are of the same week. */
function inWeeks(rule: RuleParts, first: Temporal.PlainDate, days: number): Map<string, string> | undefined {
  if (rule.has('BYMONTH') || rule.has('BYMONTHDAY')) return undefined;
  const changed = onWeekdays(rule, days);
  const isOneDay = (rule.get('BYDAY') ?? WEEKDAYS[first.dayOfWeek - 1]) === WEEKDAYS[first.dayOfWeek - 1];
  if (changed === undefined || isOneDay || !hasInterval(rule) || days % 7 === 0) return changed;
  const start = movedWeekday(rule.get('WKST') ?? 'MO', days, 0);
  return start === undefined ? undefined : changed.set('WKST', start);
}

function onWeekdays(rule: RuleParts, days: number, lastWeek = 0): Map<string, string> | undefined {
  return movedList(rule, 'BYDAY', (value) => movedWeekday(value, days, lastWeek));
}

/** The second Monday of each month, the 20th of each year, or all: all are on another weekday of the month or the next one. */
function onNthWeekdays(rule: RuleParts, days: number): Map<string, string> | undefined {
  const isOfMonth = rule.get('FREQ') === 'MONTHLY' || rule.has('BYMONTH');
  const weekdays = rule.get('BYDAY')?.split(',') ?? [];
  if (weekdays.every((value) => WEEKDAYS.includes(value))) {
    return hasInterval(rule) || rule.has('BYMONTH') ? undefined : onWeekdays(rule, days);
  }
  const areNth = !weekdays.some((value) => WEEKDAYS.includes(value));
  return areNth ? onWeekdays(rule, days, isOfMonth ? LAST_WEEK.month : LAST_WEEK.year) : undefined;
}

/** Days of months that are in the same month after the move, whichever month that is. */
function inMonths(rule: RuleParts, first: Temporal.PlainDate, days: number): Map<string, string> | undefined {
  const isOnDays = rule.has('BYMONTHDAY');
  if (rule.get('FREQ') === 'DAILY' && !isOnDays) return undefined;
  const months = numbersOf(rule, 'BYMONTH') ?? (rule.get('FREQ') === 'YEARLY' && !isOnDays ? [first.month] : []);
  const length = Math.min(...(months.length === 0 ? SHORTEST : months.map((month) => SHORTEST[month - 1] ?? 0)));
  const inside = (day: number) => Math.abs(day) >= 1 && Math.abs(day) <= length;
  const moved = (day: number) => (inside(day) && inside(day + days) && day > 0 === day + days > 0 ? day + days : undefined);
  if (!isOnDays) return moved(first.day) === undefined ? undefined : new Map();
  const changed = movedList(rule, 'BYMONTHDAY', (value) => (NUMBER.test(value) ? moved(Number(value))?.toString() : undefined));
  const weekdays = onWeekdays(rule, days);
  return changed === undefined || weekdays === undefined ? undefined : new Map([...changed, ...weekdays]);
}

/** One day of each year, which may be in another month after the move. */
function ofAnniversary(rule: RuleParts, { month, day }: Temporal.PlainDate, days: number): Map<string, string> | undefined {
  const isOther = (name: string, value: number) => rule.has(name) && Number(rule.get(name)) !== value;
  const isEachMonth = rule.has('BYMONTHDAY') && !rule.has('BYMONTH');
  const isLeapDay = month === 2 && day === 29;
  if (isLeapDay || rule.has('BYDAY') || isEachMonth || isOther('BYMONTH', month) || isOther('BYMONTHDAY', day)) return undefined;
  const moved = YEARS.map((year) => Temporal.PlainDate.from({ year, month, day }).add({ days }));
  const [next] = moved;
  const isSame = moved.every((one, index) => one.month === next?.month && one.day === next.day && one.year - next.year === index);
  if (next === undefined || !isSame) return undefined;
  const changed = [['BYMONTH', next.month] as const, ['BYMONTHDAY', next.day] as const].filter(([name]) => rule.has(name));
  return new Map(changed.map(([name, value]) => [name, String(value)]));
}

/** @param lastWeek of nth weekdays; 0: there may be none */
function movedWeekday(value: string, days: number, lastWeek: number): string | undefined {
  const [, nth, weekday = ''] = WEEKDAY.exec(value) ?? [];
  if (weekday === '') return undefined;
  const at = (((WEEKDAYS.indexOf(weekday) + days) % 7) + 7) % 7;
  if (nth === undefined) return WEEKDAYS[at];
  const [week, next] = [Number(nth), Number(nth) + days / 7];
  const fits = [week, next].every((one) => Number.isInteger(one) && Math.abs(one) >= 1 && Math.abs(one) <= lastWeek);
  return fits && week > 0 === next > 0 ? `${next}${weekday}` : undefined;
}

/** @returns no part where the rule has none; undefined if a value can't be moved */
function movedList(rule: RuleParts, name: string, move: (value: string) => string | undefined): Map<string, string> | undefined {
  const moved = rule.get(name)?.split(',').map(move);
  if (moved === undefined) return new Map();
  return moved.includes(undefined) ? undefined : new Map([[name, moved.join(',')]]);
}

function numbersOf(rule: RuleParts, name: string): number[] | undefined {
  return rule.get(name)?.split(',').map(Number);
}

function hasInterval(rule: RuleParts): boolean {
  return Number(rule.get('INTERVAL') ?? 1) !== 1;
}
