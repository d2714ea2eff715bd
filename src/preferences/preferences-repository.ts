import { Formatter } from '../../public/language/formatter.js';
import type { Queryable } from '../database/database.ts';
import { userDeleted } from '../database/database-errors.ts';

/** Two times of a user's zone, as `22:00`: from the first to the next second one. */
export interface QuietHours {
  from: string;
  to: string;
}

/** How a user reads and is called, and when it is not told what can wait; null: not said. */
export interface Preferences {
  /** An IANA name. */
  timeZone: string | null;
  /** A BCP 47 tag. */
  language: string | null;
  name: string | null;
  quietHours: QuietHours | null;
}

/** undefined: stays as it is. */
type Changed = { [Field in keyof Preferences]?: Preferences[Field] | undefined };

type Row = Omit<Preferences, 'quietHours'> & { quietFrom: string | null; quietTo: string | null };

const COLUMNS = 'time_zone as "timeZone", language, name, quiet_from as "quietFrom", quiet_to as "quietTo"';
export const NO_PREFERENCES: Preferences = { timeZone: null, language: null, name: null, quietHours: null };

/** Of a deleted user: none. */
export async function selectPreferences(db: Queryable, userId: string): Promise<Preferences> {
  const rows = await db.query<Row>({ name: 'preferences', text: `select ${COLUMNS} from users where id = $1::uuid` }, [userId]);
  return rows[0] === undefined ? NO_PREFERENCES : preferencesOf(rows[0]);
}

function preferencesOf({ quietFrom: from, quietTo: to, ...said }: Row): Preferences {
  return { ...said, quietHours: from === null || to === null ? null : { from, to } };
}

/**
 * Changes those that are given, in one statement: changes of different ones at the same time all hold.
 *
 * @returns all of them
 * @throws AppError `invalid_token` when the user was deleted
 */
export async function updatePreferences(db: Queryable, userId: string, changed: Changed): Promise<Preferences> {
  const rows = await db.query<Row>(
    `update users set
       time_zone = case when $2 then $3 else time_zone end,
       language = case when $4 then $5 else language end,
       name = case when $6 then $7 else name end,
       quiet_from = case when $8 then $9 else quiet_from end,
       quiet_to = case when $8 then $10 else quiet_to end
     where id = $1::uuid returning ${COLUMNS}`,
    [
      userId,
      ...[changed.timeZone, changed.language, changed.name].flatMap((value) => [value !== undefined, value ?? null]),
      ...[changed.quietHours !== undefined, changed.quietHours?.from ?? null, changed.quietHours?.to ?? null],
    ],
  );
  if (rows[0] === undefined) throw userDeleted();
  return preferencesOf(rows[0]);
}

/** Writes for a user; in UTC until their zone is known. */
export function formatterFor({ timeZone, language }: Pick<Preferences, 'timeZone' | 'language'>): Formatter {
  return new Formatter({ language, timeZone: timeZone ?? 'UTC' });
}
