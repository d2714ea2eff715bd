const WEEKDAY = /^([+-]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/;
const INTEGER = /^[+-]?\d{1,10}$/;

/** What each part of a rule may hold (RFC 5545 section 3.3.10). With more than one event a day, the work would be hard to limit. */
const PARTS = new Map<string, (value: string) => boolean>([
  ['FREQ', (value) => ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'].includes(value)],
  ['UNTIL', (value) => /^\d{8}(T\d{6}Z)?$/.test(value)],
  ['COUNT', (value) => isWithin(value, 1, Number.MAX_SAFE_INTEGER)],
  ['INTERVAL', (value) => isWithin(value, 1, 1_000)],
  ['BYMONTH', (value) => isList(value, (one) => isWithin(one, 1, 12))],
  ['BYMONTHDAY', (value) => isList(value, (one) => isFromEitherEnd(one, 31))],
  ['BYYEARDAY', (value) => isList(value, (one) => isFromEitherEnd(one, 366))],
  ['BYWEEKNO', (value) => isList(value, (one) => isFromEitherEnd(one, 53))],
  ['BYSETPOS', (value) => isList(value, (one) => isFromEitherEnd(one, 366))],
  ['BYDAY', (value) => isList(value, (one) => WEEKDAY.test(one))],
  ['WKST', (value) => /^(SU|MO|TU|WE|TH|FR|SA)$/.test(value)],
]);

/** Parts that make no sense with a frequency. */
const EXCLUDED: Record<string, readonly string[]> = {
  DAILY: ['BYWEEKNO', 'BYYEARDAY'],
  WEEKLY: ['BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY'],
  MONTHLY: ['BYWEEKNO', 'BYYEARDAY'],
};

/** Whether the provider accepts a rule: `FREQ=DAILY;COUNT=3`. @param isAllDay whether the series has whole days, as its UNTIL has then */
export function isRule(rule: string, isAllDay: boolean): boolean {
  const parts = rule.split(';').map((part) => part.split('='));
  const byName = new Map(parts.map(([name = '', value = '']) => [name, value]));
  const isKnown = parts.every(([name = '', value = '', ...more]) => more.length === 0 && PARTS.get(name)?.(value) === true);
  const [frequency, weekdays] = [byName.get('FREQ') ?? '', byName.get('BYDAY') ?? ''];
  const until = byName.get('UNTIL');
  const isCounted = byName.has('COUNT') && until !== undefined;
  const hasOthers = EXCLUDED[frequency]?.some((name) => byName.has(name)) === true;
  const isNth = /\d/.test(weekdays) && ['DAILY', 'WEEKLY'].includes(frequency);
  const isOfOtherType = until !== undefined && until.includes('T') === isAllDay;
  return isKnown && frequency !== '' && byName.size === parts.length && !isCounted && !hasOthers && !isNth && !isOfOtherType;
}

function isList(value: string, isItem: (one: string) => boolean): boolean {
  return value.split(',').every(isItem);
}

function isWithin(value: string, min: number, max: number): boolean {
  return INTEGER.test(value) && Number(value) >= min && Number(value) <= max;
}

function isFromEitherEnd(value: string, max: number): boolean {
  return isWithin(value.replace('-', ''), 1, max);
}
