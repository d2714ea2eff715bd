import { stringify } from 'csv-stringify/sync';
import type { Queryable } from '../database/database.ts';
import { selectEntries } from './waitlist-repository.ts';

const PAGE = 1_000;
const COLUMNS = ['email', 'created_at'];

/**
 * The waitlist as CSV (RFC 4180, UTF-8), sorted by address, one page at a time. A cell that a spreadsheet would read as
 * a formula gets an apostrophe in front.
 */
export async function* waitlistCsv(db: Queryable): AsyncGenerator<string> {
  yield lines([COLUMNS]);
  for (let after: string | undefined = ''; after !== undefined; ) {
    const entries = await selectEntries(db, after, PAGE);
    if (entries.length > 0) yield lines(entries.map(({ email, createdAt }) => [email, createdAt.toISOString()]));
    after = entries.length < PAGE ? undefined : entries.at(-1)?.email;
  }
}

function lines(rows: string[][]): string {
  return stringify(rows, { record_delimiter: '\r\n', escape_formulas: true });
}
