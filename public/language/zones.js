// @ts-check
import { PLACES, wordsOfOffset, wordsOfRepeated, wordsOfZone } from './en/times.js';

const IANA = /^[A-Za-z][\w+/-]*$/;
const OFFSET = /^[+-]\d{2}:?\d{2}$/;
/** Clocks are set back by less. */
const HALF_A_DAY_MS = 43_200_000;
const MINUTE_MS = 60_000;
const UTC = /^(?:(?:Etc\/)?(?:UTC|UCT|Universal|Zulu|GMT)|[+-]00:?00|Z)$/i;

/**
 * A zone behind a clock: “Berlin time” of Europe/Berlin, “UTC+02:00” of an offset; “Berlin time (UTC+02:00)” of a time that
 * clocks there show twice, as they are set back.
 *
 * @param {string} zone an IANA name, or an offset
 * @param {unknown} moment when
 */
export function zoneWords(zone, moment) {
  if (UTC.test(zone)) return wordsOfOffset('');
  if (OFFSET.test(zone)) return wordsOfOffset(zone);
  const [area, ...places] = zoneName(zone).split('/');
  const place = places.at(-1);
  if (place === undefined || area === 'Etc') return wordsOfOffset(offsetAt(zone, moment));
  return isRepeated(zone, moment) ? wordsOfRepeated(place, offsetAt(zone, moment)) : wordsOfZone(place);
}

/** A zone to choose: “Asia/Kolkata”, also of Asia/Calcutta. @param {string} zone an IANA name */
export function zoneName(zone) {
  const names = zone.split('/').map((part) => part.replaceAll('_', ' '));
  return names.map((name) => PLACES[name] ?? name).join('/');
}

/** Whether this machine knows a zone: an IANA name or an offset. @param {string} zone */
export function isKnownZone(zone) {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * An IANA zone, spelt as the machine spells it. It may know a zone by a newer or an older name: then the name stays as given.
 *
 * @param {string} zone in any spelling
 * @returns undefined where there is none; offsets are none
 */
export function properZone(zone) {
  if (!IANA.test(zone) || !isKnownZone(zone)) return undefined;
  const known = new Intl.DateTimeFormat('en-GB', { timeZone: zone }).resolvedOptions().timeZone;
  return known.toLowerCase() === zone.toLowerCase() ? known : zone;
}

/** The names of all zones that this machine knows. */
export function zoneNames() {
  return [...Intl.supportedValuesOf('timeZone'), 'UTC'];
}

/** The zone of this machine: of a browser, its user's. */
export function machineZone() {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Whether clocks in a zone show a moment's time twice. @param {string} zone @param {unknown} moment */
function isRepeated(zone, moment) {
  if (!isMoment(moment) || !isKnownZone(zone)) return false;
  const format = offsetFormat(zone);
  const at = new Date(moment).getTime();
  /** @param {number} ms later */
  const offset = (ms) => minutesOf(offsetOf(format, new Date(at + ms)));
  const back = offset(-HALF_A_DAY_MS) - offset(HALF_A_DAY_MS);
  if (back <= 0) return false;
  return offset(0) - offset(back * MINUTE_MS) === back || offset(-back * MINUTE_MS) - offset(0) === back;
}

/** “+02:00”. @param {string} zone @param {unknown} moment */
function offsetAt(zone, moment) {
  return offsetOf(offsetFormat(zone), isMoment(moment) ? new Date(moment) : new Date(0));
}

/** @param {string} zone */
function offsetFormat(zone) {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' });
}

/** @param {Intl.DateTimeFormat} format @param {Date} date */
function offsetOf(format, date) {
  return (format.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '').replace('GMT', '');
}

/** “+02:00” → 120. @param {string} offset */
function minutesOf(offset) {
  const [hours = '0', minutes = '0'] = offset.slice(1).split(':');
  return (offset.startsWith('-') ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** @param {unknown} moment @returns {moment is string | number} */
function isMoment(moment) {
  return (typeof moment === 'string' || typeof moment === 'number') && !Number.isNaN(new Date(moment).getTime());
}
