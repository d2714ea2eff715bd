import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../clock/clock.ts';
import { detached } from '../../observability/log-context.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import { FixedWindowLimiter } from '../../rate-limit/fixed-window.ts';
import type { AuditRow } from './audit-repository.ts';

/** Rejections of one user that are written within a minute, in this process; further ones are only counted. */
export const REJECTIONS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Action of a row that counts rejections. */
const ANY_ACTION = '*';

interface Counted {
  userId: string;
  surface: string;
  outcome: string;
  count: number;
}

/**
 * Writes the audit rows of rejected calls. Rejections cost the caller nothing and rows are kept for over a year, so
 * beyond a limit per minute, those of one user with the same outcome become one row with their count.
 */
export class RejectionCounter {
  readonly #write: (row: AuditRow) => Promise<void>;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #written: FixedWindowLimiter;
  #counted = new Map<string, Counted>();
  /** Runs for a minute from its first rejection. */
  #minute: Timer | undefined;

  constructor(write: (row: AuditRow) => Promise<void>, logger: Logger, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
    this.#logger = logger;
    this.#written = new FixedWindowLimiter(clock);
  }

  /** Writes the row, or counts it. @throws AppError as writing does */
  async record(row: AuditRow): Promise<void> {
    // Detached, because it isn't part of the call that starts it.
    this.#minute ??= detached(() => this.#clock.after(MINUTE_MS, () => void this.flush()).unref());
    if (this.#written.allows(row.userId, REJECTIONS_PER_MINUTE)) {
      await this.#write(row);
      return;
    }
    const { userId, surface, outcome } = row;
    const key = `${userId} ${surface} ${outcome}`;
    const counted = this.#counted.get(key);
    if (counted === undefined) this.#counted.set(key, { userId, surface, outcome, count: 1 });
    else counted.count += 1;
  }

  /** Ends the minute and writes the counts; failures are logged. */
  async flush(): Promise<void> {
    this.#minute?.cancel();
    this.#minute = undefined;
    this.#written = new FixedWindowLimiter(this.#clock);
    const counted = [...this.#counted.values()];
    this.#counted = new Map();
    await Promise.all(counted.map((one) => this.#writeCounted(one)));
  }

  async #writeCounted(counted: Counted): Promise<void> {
    const row: AuditRow = {
      ...counted,
      callId: randomUUID(),
      action: ANY_ACTION,
      clientId: null,
      decidedSurface: null,
      accountId: null,
      argumentsHash: null,
      decision: 'refused',
      milliseconds: 0,
    };
    await this.#write(row).catch((error: unknown) => {
      this.#logger.warn(
        { err: describeError(error), rejections: counted.count },
        'counted rejections could not be written to the audit log',
      );
    });
  }
}
