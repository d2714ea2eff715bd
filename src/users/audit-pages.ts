import { z } from 'zod';
import { type AssociatedData, open, seal } from '../crypto/envelope.ts';
import type { Database } from '../database/database.ts';
import { userDeleted } from '../database/database-errors.ts';
import { AppError } from '../errors.ts';
import { ignoreDecryptionFailure } from '../vault/keys/ignore-decryption-failure.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import { type AuditRow, selectAuditEntries } from './audit-entries-repository.ts';

/** One row: an action, its account and its outcome. */
export const auditEntry = z
  .object({
    at: z.iso.datetime(),
    call_id: z.uuid().describe('The same for all rows of one call: requested, decided, started and ended.'),
    surface: z.string().describe('Where the call came from.'),
    decided_surface: z
      .string()
      .nullable()
      .describe('Where the user approved or denied the call; null if no decision was required or none was made yet.'),
    client_id: z
      .uuid()
      .nullable()
      .describe(
        'The personal access token that made the call, that was created or revoked, or for which the account was set to read-only; null: the user’s own front end.',
      ),
    action: z.string().describe('Of tool_allowed and tool_blocked: the source, `/`, and the tool’s name there.'),
    account_id: z.uuid().nullable(),
    decision: z
      .string()
      .describe(
        'started (a change, before it is sent), allowed, refused, approval_required, edited (the user changed the arguments), approved, denied, allowance_created (with an approval), allowance_used (instead of allowed), allowance_revoked, read_only_set, read_only_lifted, token_created, token_revoked, client_connected or client_revoked (an OAuth client), tool_allowed or tool_blocked (a tool of a source)',
      ),
    outcome: z.string().describe('ok, or the code of the error'),
    milliseconds: z.number().int(),
    count: z.number().int().describe('Number of calls in this row: more than 1 if too many were rejected within a minute to record each.'),
    definition_hash: z
      .string()
      .nullable()
      .describe('Of tool_allowed and tool_blocked: of the tool’s definition that the user decided on; null: of other rows.'),
  })
  .meta({ id: 'AuditEntry' });

export const auditPage = z
  .object({
    entries: z.array(auditEntry),
    next_cursor: z.string().nullable().describe('Where the next page begins; null on the last page.'),
  })
  .meta({ id: 'AuditPage' });

export type AuditPage = z.input<typeof auditPage>;

type AuditDeps = { db: Database; userKeys: UserKeys };

/**
 * A page of a user's audit log, newest first.
 *
 * @param limit maximum number of rows
 * @param cursor `next_cursor` of the previous page; undefined: the newest rows
 * @throws AppError `invalid_request` for an invalid cursor, `invalid_token` when the user was deleted
 */
export async function readAuditPage(deps: AuditDeps, userId: string, limit: number, cursor: string | undefined): Promise<AuditPage> {
  const before = cursor === undefined ? null : await openCursor(deps, userId, cursor);
  const rows = await selectAuditEntries(deps.db, userId, limit + 1, before);
  // A verified token may be cached from before the deletion.
  if (rows === undefined) throw userDeleted();
  return toAuditPage(deps, userId, rows, limit);
}

/** Makes a page of rows. @param rows one more than the limit if there are further pages */
export async function toAuditPage(deps: AuditDeps, userId: string, rows: readonly AuditRow[], limit: number): Promise<AuditPage> {
  const last = rows[limit - 1];
  const more = rows.length > limit && last !== undefined;
  return {
    entries: rows.slice(0, limit).map(({ id, at, ...row }) => ({ ...row, at: at.toISOString() })),
    next_cursor: more ? await sealCursor(deps, userId, last.id) : null,
  };
}

/** Encrypted with the user's key: it is valid for this user only, and doesn't disclose how many rows other users have. */
async function sealCursor({ db, userKeys }: AuditDeps, userId: string, id: string): Promise<string> {
  return seal(await userKeys.forUser(db, userId), associatedData(userId), id).toString('base64url');
}

async function openCursor({ db, userKeys }: AuditDeps, userId: string, cursor: string): Promise<string> {
  const record = Buffer.from(cursor, 'base64url');
  const id = await ignoreDecryptionFailure(async () =>
    open(await userKeys.toOpen(db, userId, record), associatedData(userId), record).toString(),
  );
  if (id === undefined) throw new AppError('invalid_request', 'cursor: must be the `next_cursor` of a page.');
  return id;
}

function associatedData(userId: string): AssociatedData {
  return { table: 'audit_log', column: 'cursor', userId, rowId: '' };
}
