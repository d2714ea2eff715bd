import { Formatter } from '../../language/formatter.js';
import { machineZone } from '../../language/zones.js';

/** Writes dates, amounts and lists for the user. Not to be kept: it is another one when they change their preferences. */
export let formatter = new Formatter({ timeZone: machineZone() });

/** @param preferences of the user; without a time zone, the browser's is used */
export function usePreferences({ language, time_zone: timeZone }) {
  formatter = new Formatter({ language, timeZone: timeZone ?? machineZone() });
}
