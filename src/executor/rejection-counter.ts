import { randomUUID } from 'node:crypto';
import { detached } from '../observability/log-context.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { FixedWindowLimiter } from '../rate-limit/fixed-window.ts';
import type { AuditRow } from './audit-repository.ts';

/** Of one user within a minute, in this process; more are counted. */
export const REJECTIONS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Of refusals that are counted: of whichever actions. */
const ANY_ACTION = '*';

interface Counted {
  userId: string;
  surface: string;
  outcome: string;
  count: number;
}

/**
 * Refusals cost a caller nothing, and each would be a row that is kept for over a year. Beyond a number of them a
 * minute, those of a user that ended alike become one row with their count.
 */
export class RejectionCounter {
  readonly #write: (row: AuditRow) => Promise<void>;
  readonly #logger: Logger;
  #written = new FixedWindowLimiter();
  #counted = new Map<string, Counted>();
  /** Runs from the first refusal of a minute to its end. */
  #minute: NodeJS.Timeout | undefined;

  constructor(write: (row: AuditRow) => Promise<void>, logger: Logger) {
    this.#write = write;
    this.#logger = logger;
  }

  /** Writes the row, or counts it. @throws as writing does */
  async note(row: AuditRow): Promise<void> {
    // Of one who began it; it is everybody's.
    this.#minute ??= detached(() => setTimeout(() => void this.flush(), MINUTE_MS).unref());
    if (this.#written.allows(row.userId, REJECTIONS_PER_MINUTE, performance.now())) {
      await this.#write(row);
      return;
    }
    const { userId, surface, outcome } = row;
    const key = `${userId} ${surface} ${outcome}`;
    const counted = this.#counted.get(key);
    if (counted === undefined) this.#counted.set(key, { userId, surface, outcome, count: 1 });
    else counted.count += 1;
  }

  /** Ends the minute: what was counted is written down. What can't be is in the log. */
  async flush(): Promise<void> {
    clearTimeout(this.#minute);
    this.#minute = undefined;
    this.#written = new FixedWindowLimiter();
    const counted = [...this.#counted.values()];
    this.#counted = new Map();
    await Promise.all(counted.map((one) => this.#writeCounted(one)));
  }

  async #writeCounted(counted: Counted): Promise<void> {
    const row: AuditRow = {
      ...counted,
      callId: randomUUID(),
      action: ANY_ACTION,
      decidedSurface: null,
      accountId: null,
      argumentsHash: null,
      decision: 'refused',
      milliseconds: 0,
    };
    await this.#write(row).catch((error: unknown) => {
      this.#logger.warn({ err: describeError(error), refusals: counted.count }, 'counted refusals could not be written to the audit');
    });
  }
}
