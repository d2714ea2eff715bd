import type { Action } from '../action.ts';

/** What agents can do with calendar. */
export const calendarActions: readonly Action[] = [];
