const NUMBERS = /^[+-]?\d{1,3}(?:,[+-]?\d{1,3})*$/;
/** What the parts of a rule may say. Others, of calendars with their own, are left to the provider. */
const VALUES: Readonly<Record<string, RegExp>> = {
  FREQ: /^(?:SECONDLY|MINUTELY|HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)$/i,
  UNTIL: /^\d{8}(?:T\d{6}Z?)?$/i,
  COUNT: /^\d+$/,
  INTERVAL: /^\d+$/,
  BYDAY: /^(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)(?:,(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU))*$/i,
  WKST: /^(?:MO|TU|WE|TH|FR|SA|SU)$/i,
  BYSECOND: NUMBERS,
  BYMINUTE: NUMBERS,
  BYHOUR: NUMBERS,
  BYMONTHDAY: NUMBERS,
  BYYEARDAY: NUMBERS,
  BYWEEKNO: NUMBERS,
  BYMONTH: NUMBERS,
  BYSETPOS: NUMBERS,
};

/** Whether each known part of a rule has a value of its kind (RFC 5545 section 3.3.10). @param rule `FREQ=WEEKLY;BYDAY=TU` */
export function isRecurrenceRule(rule: string): boolean {
  return rule.split(';').every((part) => {
    const [name = '', value, ...more] = part.split('=');
    return value !== undefined && more.length === 0 && (VALUES[name.toUpperCase()]?.test(value) ?? true);
  });
}
