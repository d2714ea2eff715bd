const DAY_MS = 24 * 3_600_000;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const NUMBER = `(?:\\d{1,3}|${NUMBERS.join('|')})`;
const DAY = new RegExp(`\\b(?:(next) )?(${DAYS.join('|')})s?\\b`);
const DAY_OF_MONTH = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTHS.join('|')})(?: (\\d{4}))?\\b`);
const MONTH_DAY = new RegExp(`\\b(${MONTHS.join('|')}) (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?\\b`);
const IN_DAYS = new RegExp(`\\bin (${NUMBER}) (day|week)s?\\b`);
const LAST_DAYS = new RegExp(`\\b(?:last|past) (${NUMBER}) (day|week|month)s?\\b`);
const MONTH = new RegExp(`\\bin (${MONTHS.join('|')})(?: (\\d{4}))?\\b`);
const CLOCK = new RegExp(
  `\\b(?:at|from|to|until|till|-) ?(?:(\\d{1,2})(?::(\\d{2}))?|(${NUMBERS.slice(1).join('|')})) ?(am|pm|o.clock)?(?=$|[\\s,.?!-])`,
  'g',
);

/** Days as YYYY-MM-DD, the last one included. */
export interface DayRange {
  from: string;
  to: string;
}

/** A number in digits or words. */
export function numberIn(text: string): number | undefined {
  const found = new RegExp(`\\b${NUMBER}\\b`).exec(text.toLowerCase())?.[0];
  if (found === undefined) return undefined;
  return NUMBERS.includes(found) ? NUMBERS.indexOf(found) : Number(found);
}

/** @returns the days that a text names, relative to `now` in UTC; undefined if it names none */
export function daysIn(said: string, now: number): DayRange | undefined {
  const text = said.toLowerCase();
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return longRange(text, today) ?? oneDay(text, today);
}

/** @returns the day that a text names, as YYYY-MM-DD */
export function dayIn(said: string, now: number): string | undefined {
  return daysIn(said, now)?.from;
}

/** The times of day that a text names, as HH:MM, in its order. */
export function timesIn(said: string): string[] {
  const text = said
    .toLowerCase()
    .replace(/\bat noon\b/, 'at 12:00')
    .replace(/\bmidnight\b/, '00:00');
  return [...text.matchAll(CLOCK)].flatMap(([, digits, minutes = '00', word, half]) => {
    const hour = digits === undefined ? NUMBERS.indexOf(word ?? '') : Number(digits);
    const shifted = half === 'pm' && hour < 12 ? hour + 12 : half === 'am' && hour === 12 ? 0 : hour;
    return shifted > 23 ? [] : [`${String(shifted).padStart(2, '0')}:${minutes}`];
  });
}

/** One hour later, on the same day. */
export function hourAfter(time: string): string {
  return time >= '23:00' ? '23:59' : `${String(Number(time.slice(0, 2)) + 1).padStart(2, '0')}${time.slice(2)}`;
}

function longRange(text: string, today: number): DayRange | undefined {
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY_MS;
  if (/\bnext week\b/.test(text)) return span(monday + 7 * DAY_MS, 7);
  if (/\blast week\b/.test(text)) return span(monday - 7 * DAY_MS, 7);
  if (/\bthis week\b|\bthe week\b/.test(text)) return span(monday, 7);
  if (/\b(?:this|the) month\b/.test(text)) return monthOf(today, 0);
  if (/\bnext month\b/.test(text)) return monthOf(today, 1);
  if (/\blast month\b/.test(text)) return monthOf(today, -1);
  if (/\bthis year\b/.test(text)) return { from: `${new Date(today).getUTCFullYear()}-01-01`, to: iso(today) };
  const [, count, unit] = LAST_DAYS.exec(text) ?? [];
  if (count !== undefined) {
    const days = (numberIn(count) ?? 1) * (unit === 'day' ? 1 : unit === 'week' ? 7 : 30);
    return span(today - (days - 1) * DAY_MS, days);
  }
  const [, month, year] = MONTH.exec(text) ?? [];
  return month === undefined ? undefined : namedMonth(month, year, today);
}

function oneDay(text: string, today: number): DayRange | undefined {
  const exact = /\b\d{4}-\d{2}-\d{2}\b/.exec(text)?.[0];
  if (exact !== undefined) return { from: exact, to: exact };
  const [, day, month, year] = DAY_OF_MONTH.exec(text) ?? [];
  if (month !== undefined) return dateOf(Number(day), month, year, today);
  const [, first, number, of] = MONTH_DAY.exec(text) ?? [];
  if (first !== undefined) return dateOf(Number(number), first, of, today);
  if (/\bday after tomorrow\b/.test(text)) return span(today + 2 * DAY_MS, 1);
  if (/\btomorrow\b/.test(text)) return span(today + DAY_MS, 1);
  if (/\byesterday\b/.test(text)) return span(today - DAY_MS, 1);
  if (/\btoday\b|\btonight\b/.test(text)) return span(today, 1);
  const [, count, unit] = IN_DAYS.exec(text) ?? [];
  if (count !== undefined) return span(today + (numberIn(count) ?? 0) * (unit === 'week' ? 7 : 1) * DAY_MS, 1);
  const [, next, name] = DAY.exec(text) ?? [];
  if (name === undefined) return undefined;
  const ahead = (DAYS.indexOf(name) - new Date(today).getUTCDay() + 7) % 7;
  // "Next Monday", said on a Monday, is a week away.
  return span(today + (ahead === 0 && next !== undefined ? 7 : ahead) * DAY_MS, 1);
}

/** The next such day, unless the year is given. */
function dateOf(day: number, month: string, year: string | undefined, today: number): DayRange {
  const at = (one: number) => Date.UTC(one, MONTHS.indexOf(month), day);
  const current = new Date(today).getUTCFullYear();
  const chosen = year === undefined ? (at(current) < today ? current + 1 : current) : Number(year);
  return span(at(chosen), 1);
}

/** The last such month, unless the year is given: it is asked for what has been spent. */
function namedMonth(month: string, year: string | undefined, today: number): DayRange {
  const now = new Date(today);
  const index = MONTHS.indexOf(month);
  const chosen = year === undefined ? now.getUTCFullYear() - (index > now.getUTCMonth() ? 1 : 0) : Number(year);
  return { from: iso(Date.UTC(chosen, index, 1)), to: iso(Date.UTC(chosen, index + 1, 0)) };
}

function monthOf(today: number, offset: number): DayRange {
  const date = new Date(today);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + offset];
  return { from: iso(Date.UTC(year, month, 1)), to: iso(Date.UTC(year, month + 1, 0)) };
}

function span(start: number, days: number): DayRange {
  return { from: iso(start), to: iso(start + (days - 1) * DAY_MS) };
}

function iso(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
