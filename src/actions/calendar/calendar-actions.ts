import type { Action } from '../shared/action.ts';
import { calendarBusy } from './calendar-busy.ts';
import { calendarCreate } from './calendar-create.ts';
import { calendarDelete, calendarRestore } from './calendar-delete.ts';
import { calendarFree } from './calendar-free.ts';
import { calendarGet, calendarList } from './calendar-read.ts';
import { calendarRespond } from './calendar-respond.ts';
import { calendarUpdate } from './calendar-update.ts';

/** Built-in actions of the calendar agent. */
export const calendarActions: readonly Action[] = [
  calendarList,
  calendarGet,
  calendarFree,
  calendarBusy,
  calendarCreate,
  calendarUpdate,
  calendarDelete,
  calendarRestore,
  calendarRespond,
];
