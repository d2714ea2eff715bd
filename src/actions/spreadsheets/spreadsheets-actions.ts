import type { Action } from '../shared/action.ts';
import { spreadsheetsInfo } from './spreadsheets-info.ts';
import { spreadsheetsRead } from './spreadsheets-read.ts';

/** Built-in actions of the spreadsheets agent: read-only, even if the granted scopes allow more. */
export const spreadsheetsActions: readonly Action[] = [spreadsheetsInfo, spreadsheetsRead];
