import type { Action } from '../action.ts';

/** What agents can do with documents. */
export const documentsActions: readonly Action[] = [];
