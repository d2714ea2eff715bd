import { Formatter } from '../../public/language/formatter.js';
import type { Queryable } from '../database/database.ts';
import { userDeleted } from '../database/database-errors.ts';

/** How a user reads and is called; null: not said. */
export interface Preferences {
  /** An IANA name. */
  timeZone: string | null;
  /** A BCP 47 tag. */
  language: string | null;
  name: string | null;
}

/** undefined: stays as it is. */
type Changed = { [Field in keyof Preferences]?: Preferences[Field] | undefined };

const COLUMNS = 'time_zone as "timeZone", language, name';
export const NO_PREFERENCES: Preferences = { timeZone: null, language: null, name: null };

/** Of a deleted user: none. */
export async function selectPreferences(db: Queryable, userId: string): Promise<Preferences> {
  const rows = await db.query<Preferences>({ name: 'preferences', text: `select ${COLUMNS} from users where id = $1::uuid` }, [userId]);
  return rows[0] ?? NO_PREFERENCES;
}

/**
 * Changes those that are given, in one statement: changes of different ones at the same time all hold.
 *
 * @returns all of them
 * @throws AppError `invalid_token` when the user was deleted
 */
export async function updatePreferences(db: Queryable, userId: string, changed: Changed): Promise<Preferences> {
  const rows = await db.query<Preferences>(
    `update users set
       time_zone = case when $2 then $3 else time_zone end,
       language = case when $4 then $5 else language end,
       name = case when $6 then $7 else name end
     where id = $1::uuid returning ${COLUMNS}`,
    [userId, ...[changed.timeZone, changed.language, changed.name].flatMap((value) => [value !== undefined, value ?? null])],
  );
  if (rows[0] === undefined) throw userDeleted();
  return rows[0];
}

/** Writes for a user; in UTC until their zone is known. */
export function formatterFor({ timeZone, language }: Preferences): Formatter {
  return new Formatter({ language, timeZone: timeZone ?? 'UTC' });
}
