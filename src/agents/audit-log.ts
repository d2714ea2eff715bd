import type { Queryable } from '../database/database.ts';
import { Grouped } from '../database/grouped.ts';
import { type AuditRow, insertAuditRows } from './audit-repository.ts';

const SHOWN_NAME_CHARACTERS = 100;

/** What the audit will say of one call; filled in as it becomes known. */
export class Trail {
  readonly #startedAt = performance.now();
  readonly #about: Omit<AuditRow, 'decision' | 'outcome' | 'milliseconds'>;
  decision: AuditRow['decision'] = 'refused';
  /** A change is on record as started. */
  began = false;

  /** @param action as the caller named it */
  constructor(callId: string, userId: string, surface: string, action: string) {
    this.#about = { callId, userId, surface, action: shownName(action), accountId: null, argumentsHash: null };
  }

  get callId(): string {
    return this.#about.callId;
  }

  /** The call, as soon as it is known. */
  about(known: Partial<Pick<AuditRow, 'callId' | 'action' | 'accountId' | 'argumentsHash'>>): void {
    Object.assign(this.#about, known);
  }

  /** @param outcome `ok`, or the code of the error */
  row(outcome: string, decision = this.decision): AuditRow {
    return { ...this.#about, decision, outcome, milliseconds: Math.round(performance.now() - this.#startedAt) };
  }
}

/** A name that is none may be long, or hold what the database doesn't take (NUL, half a character). */
function shownName(name: string): string {
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
    });
  }

  /**
   * Resolves once the row is committed.
   *
   * @throws AppError `unavailable`; `invalid_token` when the user is gone
   */
  async write(row: AuditRow): Promise<void> {
    await this.#rows.add(row);
  }
}
