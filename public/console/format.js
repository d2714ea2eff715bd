/** Formats of the page. A value that is of another type or no date is shown as it is. */

const DAY_ONLY = /^\d{4}-\d\d-\d\d$/;
const SECOND_MS = 1_000;
const MINUTES_PER_HOUR = 60;
const BYTES_PER_UNIT = 1_000;
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const longDay = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const shortDay = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });
const month = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' });

/** Whether it is a day without a time: it means the same day in every time zone. */
export function isDay(text) {
  return typeof text === 'string' && DAY_ONLY.test(text);
}

function dateOf(text) {
  // Without a time, the browser would read midnight UTC, which is the day before in some zones.
  const date = new Date(isDay(text) ? `${text}T00:00` : text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function formatted(text, format) {
  const date = dateOf(text);
  return date === undefined ? String(text ?? '') : format.format(date);
}

/** ISO 8601 → date and time in the browser's zone. */
export const formatDateTime = (text) => (isDay(text) ? formatDay(text) : formatted(text, dateTime));
/** ISO 8601 → time of day in the browser's zone. */
export const formatTime = (text) => formatted(text, time);
/** ISO 8601 → “Wednesday, 25 November 2026”. */
export const formatDay = (text) => formatted(text, longDay);
/** ISO 8601 → “Wed, 25 Nov”. */
export const formatShortDay = (text) => formatted(text, shortDay);
/** “2026-11” → “Nov 2026”. */
export const formatMonth = (text) => formatted(`${text}-01`, month);

/** The local day of a time, `YYYY-MM-DD`. */
export function localDay(text) {
  if (isDay(text)) return text;
  const date = dateOf(text);
  if (date === undefined) return '';
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/** 90 → “1 h 30 min”. */
export function formatMinutes(minutes) {
  const [hours, rest] = [Math.floor(minutes / MINUTES_PER_HOUR), minutes % MINUTES_PER_HOUR];
  return [hours > 0 ? `${hours} h` : '', rest > 0 || hours === 0 ? `${rest} min` : ''].filter(Boolean).join(' ');
}

/** Milliseconds → “4:05”. */
export function formatCountdown(ms) {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** 2340.55, “USD” → “$2,340.55”; an unknown currency is written behind the amount. */
export function formatMoney(amount, currency) {
  if (typeof amount !== 'number') return '–';
  if (typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)) {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }).format(amount);
  }
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return [new Intl.NumberFormat(undefined, digits).format(amount), currency].filter(Boolean).join(' ');
}

/** 160000 → “160 kB”. */
export function formatBytes(bytes) {
  let [size, unit] = [bytes, 0];
  while (size >= BYTES_PER_UNIT && unit < UNITS.length - 1) {
    size /= BYTES_PER_UNIT;
    unit += 1;
  }
  return `${Number(size.toPrecision(3))} ${UNITS[unit]}`;
}

/** “FOOD_AND_DRINK”, “missing_scopes” → “Food and drink”, “Missing scopes”. */
export function formatName(name) {
  const words = String(name).replaceAll('_', ' ').trim();
  const plain = words === words.toUpperCase() ? words.toLowerCase() : words;
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** “1 message”, “3 messages”. */
export function formatCount(count, singular, plural = `${singular}s`) {
  return `${count.toLocaleString()} ${count === 1 ? singular : plural}`;
}
