// @ts-check
import { Formatter } from './formatter.js';

/** For what is written without knowing who reads it: summaries of calls, messages of errors. Times are in UTC unless a zone is given. */
export const english = new Formatter({ language: 'en', timeZone: 'UTC' });
