import type { Action } from '../action.ts';

/** What agents can do with presentations. */
export const presentationsActions: readonly Action[] = [];
