import type { Action } from '../action.ts';
import { spreadsheetsInfo } from './spreadsheets-info.ts';
import { spreadsheetsRead } from './spreadsheets-read.ts';

/** Built-in actions of the spreadsheets agent: reading only, whatever the consent would allow. */
export const spreadsheetsActions: readonly Action[] = [spreadsheetsInfo, spreadsheetsRead];
