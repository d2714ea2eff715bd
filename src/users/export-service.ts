import pLimit from 'p-limit';
import type { Clock } from '../clock/clock.ts';
import { type DataKey, open } from '../crypto/envelope.ts';
import type { Database } from '../database/database.ts';
import { userDeleted } from '../database/database-errors.ts';
import { AppError } from '../errors.ts';
import { openCovered } from '../executor/allowances.ts';
import { openOutcome } from '../executor/approval-outcomes.ts';
import { unseal } from '../executor/approval-preview.ts';
import { openResult } from '../executor/idempotency.ts';
import type { Caller } from '../http/endpoint.ts';
import { FixedWindowLimiter } from '../rate-limit/fixed-window.ts';
import { WorkTurns } from '../threads/work-turns.ts';
import { ignoreDecryptionFailure } from '../vault/ignore-decryption-failure.ts';
import type { NameHashes } from '../vault/name-hashes.ts';
import type { UserKeys } from '../vault/user-keys.ts';
import { selectAuditEntries } from './audit-entries-repository.ts';
import { toAuditPage } from './audit-pages.ts';
import { type ExportedTable, type Section, selectHeld } from './export-repository.ts';
import { type UserExport, WITHHELD } from './export-shape.ts';

export interface ExportDeps {
  db: Database;
  clock: Clock;
  userKeys: UserKeys;
  names: NameHashes;
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
  readonly #rates = new FixedWindowLimiter();
  readonly #inTurn = pLimit(AT_ONCE);

  constructor(deps: ExportDeps) {
    this.#deps = deps;
  }

  /** @throws AppError `rate_limited`, `invalid_token` when the user was deleted */
  async of(caller: Caller): Promise<UserExport> {
    const now = this.#deps.clock.monotonic();
    if (!this.#rates.allows(caller.userId, this.#deps.perMinute, now)) {
      throw new AppError('rate_limited', 'Too many exports. Wait a minute.', { retryAfter: this.#rates.secondsLeft(now) });
    }
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
    const tables = Object.entries(held.tables) as [ExportedTable, Section][];
    return {
      format: 'steward.user-export',
      version: 1,
      exported_at,
      truncated: tables.filter(([, { truncated }]) => truncated).map(([table]) => table),
      withheld: [...WITHHELD],
      user,
      waitlist,
      deleted_before,
      ...Object.fromEntries(tables.map(([table, { rows }]) => [table, rows])),
      ...(await this.#opened(userId, held.tables)),
      audit_log: await toAuditPage(this.#deps, userId, entries, AUDIT_ROWS),
    } as UserExport;
  }

  /** Decrypts the contents of the rows. */
  async #opened(userId: string, tables: Record<ExportedTable, Section>) {
    const { approvals, idempotency_keys: keys, allowances, threads, messages } = tables;
    const keyFor = this.#deps.userKeys.forRecords(this.#deps.db, userId);
    const turns = new WorkTurns();
    // One after the other: together they would be decrypted in one turn of the event loop.
    const inOrder = pLimit(1);
    const opened = (contents: unknown, read: (key: DataKey, sealed: Buffer) => unknown) =>
      inOrder(async () => {
        if (typeof contents !== 'string') return null;
        const sealed = Buffer.from(contents.slice(2), 'hex');
        const found = await ignoreDecryptionFailure(async () => read(await keyFor(sealed), sealed));
        await turns.done(sealed.length);
        return found ?? null;
      });
    const answers = keys.rows.map(async ({ contents, ...row }) => {
      const name = { userId, asker: String(row.asker), action: String(row.action), key: String(row.key) };
      return { ...row, answer: await opened(contents, (key, sealed) => openResult(key, name, sealed)) };
    });
    const questions = approvals.rows.map(async ({ contents, ...row }) => {
      const about = { id: String(row.id), userId, revision: String(row.revision) };
      // Arguments are stored until the decision, the outcome after it.
      const asked = row.status === 'pending' ? contents : null;
      const ended = row.status === 'approved' ? contents : null;
      return {
        ...row,
        arguments: await opened(asked, (key, sealed) => unseal(key, { ...about, arguments: sealed })),
        outcome: await opened(ended, (key, sealed) => openOutcome(key, about, sealed)),
      };
    });
    const given = allowances.rows.map(async ({ contents, ...row }) => {
      const about = { id: String(row.id), userId };
      return { ...row, covered: await opened(contents, (key, sealed) => openCovered(key, { ...about, covered: sealed })) };
    });
    const textOf = (table: string, column: string, rowId: string) => (key: DataKey, sealed: Buffer) =>
      open(key, { table, column, userId, rowId }, sealed).toString('utf8');
    const begun = threads.rows.map(async ({ contents, title, ...row }) => {
      const id = String(row.id);
      const summary = await opened(contents, (...sealed) => JSON.parse(textOf('threads', 'summary', id)(...sealed)));
      return { ...row, title: await opened(title, textOf('threads', 'title', id)), summary };
    });
    const said = messages.rows.map(async ({ contents, ...row }) => {
      const place = textOf('messages', 'content', `${row.thread_id} ${row.id}`);
      return { ...row, content: await opened(contents, (...sealed) => JSON.parse(place(...sealed))) };
    });
    // Awaited together: a rejection without a handler would end the process.
    const all = [questions, answers, given, begun, said].map((rows: Promise<unknown>[]) => Promise.all(rows));
    const [asked, answered, allowed, conversations, contents] = await Promise.all(all);
    return { approvals: asked, idempotency_keys: answered, allowances: allowed, threads: conversations, messages: contents };
  }
}
