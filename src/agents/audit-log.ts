import type { Queryable } from '../database/database.ts';
import { BUSY, Grouped } from '../database/grouped.ts';
import { type AuditRow, insertAuditRows } from './audit-repository.ts';

const SHOWN_NAME_CHARACTERS = 100;

/** What the audit will say of one call; filled in as it becomes known. */
export class Trail {
  readonly #startedAt = performance.now();
  readonly #userId: string;
  readonly #surface: string;
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
  readonly #rows: Grouped<AuditRow, undefined>;

  constructor(db: Queryable) {
    this.#rows = new Grouped(async (rows) => {
      await insertAuditRows(db, rows);
      return rows.map(() => undefined);
    }, BUSY);
  }

  /**
   * Resolves once the row is committed.
   *
   * @throws AppError `unavailable`; `invalid_token` when the user is gone
   */
  write(row: AuditRow): Promise<void> {
    return this.#rows.add(row);
  }
}
