import pLimit from 'p-limit';
import type { Clock } from '../clock/clock.ts';
import { WorkTurns } from '../concurrency/work-turns.ts';
import { open } from '../crypto/envelope.ts';
import type { Database } from '../database/database.ts';
import { userDeleted } from '../database/database-errors.ts';
import type { Caller } from '../principal.ts';
import { FixedWindowLimiter } from '../rate-limit/fixed-window.ts';
import { ignoreDecryptionFailure } from '../vault/keys/ignore-decryption-failure.ts';
import type { SubjectHasher } from '../vault/keys/subject-hasher.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import { selectAuditEntries } from './audit-entries-repository.ts';
import { toAuditPage } from './audit-pages.ts';
import { type SealedField, type Section, selectHeld } from './export-repository.ts';
import { type UserExport, WITHHELD } from './export-shape.ts';

export interface ExportDeps {
  db: Database;
  clock: Clock;
  userKeys: UserKeys;
  names: SubjectHasher;
  /** Exports per minute of one user. */
  perMinute: number;
}

/** Concurrent exports: each takes some megabytes of memory until it is sent. */
const AT_ONCE = 2;
/** Rows of the audit log; older ones are on its pages. */
const AUDIT_ROWS = 5_000;

/** All stored data of a user except secrets, at one point in time. */
export class UserExports {
  readonly #deps: ExportDeps;
  readonly #rates: FixedWindowLimiter;
  readonly #inTurn = pLimit(AT_ONCE);

  constructor(deps: ExportDeps) {
    this.#deps = deps;
    this.#rates = new FixedWindowLimiter(deps.clock, 'Too many exports. Wait a minute.');
  }

  /** @throws AppError `rate_limited`, `invalid_token` when the user was deleted */
  async of(caller: Caller): Promise<UserExport> {
    this.#rates.take(caller.userId, this.#deps.perMinute);
    return this.#inTurn(() => this.#read(caller));
  }

  async #read({ userId, issuer, subject }: Caller) {
    const { db, names } = this.#deps;
    const identityHash = await names.identity(issuer, subject);
    const { held, entries } = await db.snapshot(async (tx) => {
      const read = await selectHeld(tx, userId, identityHash);
      return { held: read, entries: await selectAuditEntries(tx, userId, AUDIT_ROWS + 1, null) };
    });
    // A verified token may be cached from before the deletion.
    if (held === undefined || entries === undefined) throw userDeleted();
    const { exported_at, waitlist, deleted_before, ...user } = held.user;
    return {
      format: 'steward.user-export',
      version: 1,
      exported_at,
      truncated: [...held.tables].filter(([, { truncated }]) => truncated).map(([table]) => table),
      withheld: [...WITHHELD],
      user,
      waitlist,
      deleted_before,
      ...(await this.#opened(userId, held.tables)),
      audit_log: await toAuditPage(this.#deps, userId, entries, AUDIT_ROWS),
    } as UserExport;
  }

  /** The rows of each table with decrypted contents, one after the other: together they would take one turn of the event loop. */
  async #opened(userId: string, tables: Map<string, Section>): Promise<Record<string, unknown[]>> {
    const keyFor = this.#deps.userKeys.forRecords(this.#deps.db, userId);
    const turns = new WorkTurns();
    const opened: Record<string, unknown[]> = {};
    for (const [table, { rows, sealed }] of tables) {
      for (const row of rows) {
        for (const { column, isText } of sealed) {
          const field = row[column] as SealedField | null;
          if (field === null) continue;
          const record = Buffer.from(field.record?.slice(2) ?? '', 'hex');
          const place = { table, column: field.column, userId, rowId: field.rowId };
          const text = await ignoreDecryptionFailure(async () => open(await keyFor(record), place, record).toString('utf8'));
          row[column] = text === undefined ? null : isText ? text : JSON.parse(text);
          await turns.done(record.length);
        }
      }
      opened[table] = rows;
    }
    return opened;
  }
}
