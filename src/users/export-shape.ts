import { z } from 'zod';
import { type ExportedTable, type ExportedType, TABLES } from '../database/tables.ts';
import { auditPage } from './audit-pages.ts';
import { EXPORTED } from './export-repository.ts';

const time = z.iso.datetime({ offset: true });
const TYPES: Record<string, z.ZodType> = {
  uuid: z.uuid(),
  text: z.string(),
  time,
  /** The database's word for without end. */
  end: time.or(z.literal('infinity')),
  count: z.number().int(),
  number: z.number(),
  boolean: z.boolean(),
  json: z.unknown(),
  texts: z.array(z.string()),
  uuids: z.array(z.uuid()),
};

/** What is stored of the user and left out, and why. */
export const WITHHELD = [
  'Tokens of your accounts, and your key, which encrypts them: anyone with this file could use your accounts.',
  'Hashes of secrets (cookies, states, tickets, personal access tokens), of arguments and of ids of what your assistants wrote: they are only compared.',
  'Senders and titles of what your assistants read within the last hour, and in your conversations: they are shown when you are asked for approval.',
  'Pieces in which answers of your assistant were sent, for ten minutes: the answers are in `messages`.',
  'Tokens that are being revoked after a disconnection: kept for 7 days at most, under the provider’s id of the account, without a user.',
] as const;

/** Body of GET /user/export: one field for each table, with the columns by their names. */
export const userExport = z
  .object({
    format: z.literal('steward.user-export'),
    version: z.literal(1),
    exported_at: time,
    truncated: z.array(z.string()).describe('Tables of which only the newest rows or contents are included.'),
    withheld: z.array(z.string()).describe('What is stored but left out, and why.'),
    user: rowOf(TABLES.users.exported),
    waitlist: described(rowOf(TABLES.waitlist.exported).nullable(), TABLES.waitlist.exported),
    deleted_before: described(rowOf(TABLES.deleted_users.exported).nullable(), TABLES.deleted_users.exported),
    ...Object.fromEntries(EXPORTED.map(({ table, exported }) => [table, described(z.array(rowOf(exported)), exported)])),
    audit_log: auditPage.describe('The newest rows; `next_cursor` continues at GET /user/audit.'),
  })
  .meta({ id: 'UserExport' });

function rowOf({ columns }: ExportedTable) {
  return z.object(Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, typeOf(column)])));
}

function typeOf(column: ExportedType | readonly [ExportedType, string]): z.ZodType {
  const [type, description] = typeof column === 'string' ? [column] : column;
  const known = TYPES[type.replace('?', '')] as z.ZodType;
  const shape = type.endsWith('?') ? known.nullable() : known;
  return description === undefined ? shape : shape.describe(description);
}

function described(shape: z.ZodType, { describe }: ExportedTable): z.ZodType {
  return describe === undefined ? shape : shape.describe(describe);
}

export type UserExport = z.input<typeof userExport>;
