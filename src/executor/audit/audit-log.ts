import type { Clock } from '../../clock/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { userDeleted } from '../../database/database-errors.ts';
import { CONCURRENT_BATCHES, StatementBatcher } from '../../database/statement-batcher.ts';
import { cutText } from '../../validation/cut-text.ts';
import { isOwnAccount } from '../call/select-account.ts';
import { type AuditRow, insertAuditRows, isAuditRowWritten } from './audit-repository.ts';
import type { Storing } from './storing.ts';

const SHOWN_NAME_CHARACTERS = 100;

/** Collects the audit row of one call. */
export class AuditEntryBuilder {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #row: Omit<AuditRow, 'decision' | 'outcome' | 'milliseconds'>;
  decision: AuditRow['decision'] = 'refused';
  /** Set once the start of a change, a paid or an approved call is on record: stores what follows from it. */
  storing: Storing | undefined;

  /** @param clientId undefined: the user's own front end */
  constructor(clock: Clock, callId: string, userId: string, surface: string, action: string, clientId?: string) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
    this.#row = { callId, userId, surface, action, clientId: clientId ?? null, decidedSurface: null, accountId: null, argumentsHash: null };
  }

  get callId(): string {
    return this.#row.callId;
  }

  /** Files the call under its approval's id. */
  forApproval(callId: string, action = this.#row.action): void {
    Object.assign(this.#row, { callId, action });
  }

  /** @param surface where the call of this client came from; the user decides on the entry's own surface */
  askedOn(surface: string, clientId: string | null): void {
    Object.assign(this.#row, { surface, clientId, decidedSurface: this.#row.surface });
  }

  setSubject(accountId: string, argumentsHash: string): void {
    this.#row.accountId = isOwnAccount(this.#row.userId, accountId) ? null : accountId;
    this.#row.argumentsHash = argumentsHash;
  }

  /** @param outcome `ok`, or the code of the error */
  row(outcome: string, decision = this.decision): AuditRow {
    return { ...this.#row, decision, outcome, milliseconds: Math.round(this.#clock.monotonic() - this.#startedAt) };
  }
}

/** An unknown action's name made storable: truncated, without control characters (NUL) and lone surrogates. */
export function auditedName(name: string): string {
  return cutText(name, SHOWN_NAME_CHARACTERS)
    .replace(/\p{Cc}/gu, '?')
    .toWellFormed();
}

/** Writes audit rows; concurrent writes share a statement. */
export class AuditLog {
  readonly #db: Queryable;
  /** Resolves to false where the row's user is deleted. */
  readonly #rows: StatementBatcher<AuditRow, boolean>;

  constructor(db: Queryable) {
    this.#db = db;
    this.#rows = new StatementBatcher(async (rows) => {
      const gone = await insertAuditRows(db, rows);
      return rows.map(({ userId }) => !gone.has(userId));
    }, CONCURRENT_BATCHES);
  }

  /**
   * Resolves once the row is committed.
   *
   * @throws AppError `unavailable`; `invalid_token` when the user is deleted
   */
  write(row: AuditRow): Promise<void> {
    return this.#rows.add(row).then(assertWritten);
  }

  /** The same for a row that may have been committed by an attempt that failed. */
  async writeAgain(row: AuditRow): Promise<void> {
    if (!(await isAuditRowWritten(this.#db, row))) await this.write(row);
  }
}

function assertWritten(isWritten: boolean): void {
  if (!isWritten) throw userDeleted();
}
