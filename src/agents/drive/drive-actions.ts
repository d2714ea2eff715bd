import type { Action } from '../action.ts';

/** What agents can do with drive. */
export const driveActions: readonly Action[] = [];
