// @ts-check
import { Formatter } from './formatter.js';

/** For what is written without knowing who reads it: summaries of calls, messages of errors. Times are in UTC unless a zone is given. */
export const english = new Formatter({ language: 'en', timeZone: 'UTC' });

/**
 * @param {number} count
 * @param {string} one the words for one
 * @param {(count: string) => string} many those for more, or for none
 */
export const counted = (count, one, many) => (count === 1 ? one : many(english.number(count)));
