import type { Action } from '../action.ts';

/** What agents can do with spreadsheets. */
export const spreadsheetsActions: readonly Action[] = [];
