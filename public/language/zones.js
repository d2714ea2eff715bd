// @ts-check
import { wordsOfOffset, wordsOfZone } from './en/times.js';

const IANA = /^[A-Za-z][\w+/-]*$/;
const OFFSET = /^[+-]\d{2}:?\d{2}$/;
const UTC = /^(?:(?:Etc\/)?(?:UTC|UCT|Universal|Zulu|GMT)|[+-]00:?00|Z)$/i;

/**
 * A zone behind a clock: “Berlin time” of Europe/Berlin, “UTC+02:00” of an offset.
 *
 * @param {string} zone an IANA name, or an offset
 * @param {unknown} moment when, for zones that have no place in their name
 */
export function zoneWords(zone, moment) {
  if (UTC.test(zone)) return wordsOfOffset('');
  if (OFFSET.test(zone)) return wordsOfOffset(zone);
  const [area, ...places] = zone.split('/');
  const place = places.at(-1);
  if (place === undefined || area === 'Etc') return wordsOfOffset(offsetAt(zone, moment));
  return wordsOfZone(place.replaceAll('_', ' '));
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

/** “+02:00”. @param {string} zone @param {unknown} moment */
function offsetAt(zone, moment) {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' });
  const date = typeof moment === 'string' || typeof moment === 'number' ? new Date(moment) : new Date(0);
  return (format.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '').replace('GMT', '');
}
