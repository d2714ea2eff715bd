// @ts-check
import { ruleWords } from './en/recurrence.js';
import { isKnownZone, zoneWords } from './zones.js';

const ZONES = new Set(['zone', 'end_zone']);
const MAX_RULES = 20;
const MAX_CHARACTERS = 2_000;

/** Whether an argument is in a notation of machines. @param {string} name */
export const hasMeaning = (name) => name === 'recurrence' || ZONES.has(name);

/**
 * What is entered in a field in a notation of machines, in words: rules of a series, a time zone.
 *
 * @param {string} name of the argument
 * @param {string} text as it is entered, rules on a line each
 * @returns undefined: the argument is in words, or the text has none
 */
export function meaningOf(name, text) {
  const given = text.trim();
  if (given.length > MAX_CHARACTERS) return undefined;
  if (ZONES.has(name)) return given !== '' && isKnownZone(given) ? zoneWords(given, undefined) : undefined;
  return name === 'recurrence' ? rulesOf(given.split('\n', MAX_RULES + 1)) : undefined;
}

/** @param {string[]} lines */
function rulesOf(lines) {
  const rules = lines.map((line) => line.trim()).filter((line) => line !== '');
  const words = rules.map((line) => ruleWords(line));
  return rules.length === 0 || rules.length > MAX_RULES || words.some((one, index) => one === rules[index]) ? undefined : words.join('; ');
}
