import type { Action } from '../action.ts';

/** What agents can do with bank. */
export const bankActions: readonly Action[] = [];
