import type { Action } from './action.ts';
import { bankActions } from './bank/bank-actions.ts';
import { calendarActions } from './calendar/calendar-actions.ts';
import { documentsActions } from './documents/documents-actions.ts';
import { driveActions } from './drive/drive-actions.ts';
import { mailActions } from './mail/mail-actions.ts';
import { presentationsActions } from './presentations/presentations-actions.ts';
import { spreadsheetsActions } from './spreadsheets/spreadsheets-actions.ts';

/** Every built-in action by name. */
export const BUILT_INS: ReadonlyMap<string, Action> = new Map(
  [mailActions, calendarActions, documentsActions, driveActions, spreadsheetsActions, presentationsActions, bankActions]
    .flat()
    .map((action) => [action.name, action]),
);
