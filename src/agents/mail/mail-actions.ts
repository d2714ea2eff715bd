import type { Action } from '../action.ts';

/** What agents can do with mail. */
export const mailActions: readonly Action[] = [];
