import type { Queryable } from '../database/database.ts';
import { CONCURRENT_BATCHES, StatementBatcher } from '../database/statement-batcher.ts';
import { AppError } from '../errors.ts';
import { type AuditRow, insertAuditRows } from './audit-repository.ts';

const SHOWN_NAME_CHARACTERS = 100;

/** What the audit will say of one call; filled in as it becomes known. */
export class AuditEntryBuilder {
  readonly #startedAt = performance.now();
  readonly #userId: string;
  #surface: string;
  #decidedSurface: string | null = null;
  #callId: string;
  #action: string;
  #accountId: string | null = null;
  #argumentsHash: string | null = null;
  decision: AuditRow['decision'] = 'refused';
  /** A change is on record as started. */
  began = false;

  constructor(callId: string, userId: string, surface: string, action: string) {
    this.#callId = callId;
    this.#userId = userId;
    this.#surface = surface;
    this.#action = action;
  }

  get callId(): string {
    return this.#callId;
  }

  /** The call is that of a request for approval. */
  approves(callId: string, action?: string): void {
    this.#callId = callId;
    if (action !== undefined) this.#action = action;
  }

  /** The user decides here on a call that came from elsewhere. */
  decides(askedOn: string): void {
    this.#decidedSurface = this.#surface;
    this.#surface = askedOn;
  }

  /** What it is about, as soon as that is known. */
  about(accountId: string, argumentsHash: string): void {
    this.#accountId = accountId;
    this.#argumentsHash = argumentsHash;
  }

  /** @param outcome `ok`, or the code of the error */
  row(outcome: string, decision = this.decision): AuditRow {
    return {
      callId: this.#callId,
      userId: this.#userId,
      surface: this.#surface,
      decidedSurface: this.#decidedSurface,
      action: this.#action,
      accountId: this.#accountId,
      argumentsHash: this.#argumentsHash,
      decision,
      outcome,
      milliseconds: Math.round(performance.now() - this.#startedAt),
    };
  }
}

/** A name that is none, as the audit tells it: it may be long, or hold what the database doesn't take (NUL, half a character). */
export function auditedName(name: string): string {
  return name
    .slice(0, SHOWN_NAME_CHARACTERS)
    .replace(/\p{Cc}/gu, '?')
    .toWellFormed();
}

/** Writes audit rows; those of calls that end at about the same time share a statement. */
export class AuditLog {
  /** Whether the row was written: it isn't where its user is gone. */
  readonly #rows: StatementBatcher<AuditRow, boolean>;

  constructor(db: Queryable) {
    this.#rows = new StatementBatcher(async (rows) => {
      const gone = await insertAuditRows(db, rows);
      return rows.map(({ userId }) => !gone.has(userId));
    }, CONCURRENT_BATCHES);
  }

  /**
   * Resolves once the row is committed.
   *
   * @throws AppError `unavailable`; `invalid_token` when the user is gone
   */
  async write(row: AuditRow): Promise<void> {
    if (!(await this.#rows.add(row))) throw new AppError('invalid_token', 'This user no longer exists.');
  }
}
