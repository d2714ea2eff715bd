import type { Clock } from '../../clock/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { AppError, asAppError } from '../../errors.ts';
import { withContext } from '../../observability/log-context.ts';
import { describeError, type LoggedError, type Logger } from '../../observability/logger.ts';
import type { Telemetry } from '../../observability/telemetry.ts';
import type { CallResult } from '../call/call.ts';
import { type AuditEntryBuilder, AuditLog } from './audit-log.ts';
import type { AuditRow } from './audit-repository.ts';
import { ProviderRejectionLog } from './provider-rejection-log.ts';
import { RejectionCounter } from './rejection-counter.ts';
import type { Storing } from './storing.ts';

const NOT_WRITTEN = 'an audit row could not be written';

export interface CallAuditorDeps {
  db: Queryable;
  clock: Clock;
  logger: Logger;
  telemetry: Telemetry;
}

/** Runs calls and writes each to the audit log before its result is returned. */
export class CallAuditor {
  readonly #deps: CallAuditorDeps;
  readonly #audit: AuditLog;
  readonly #rejections: RejectionCounter;
  readonly #providerRejections: ProviderRejectionLog;
  #running = 0;
  /** Resolved when the next call ends. */
  #waiting: (() => void)[] = [];

  constructor(deps: CallAuditorDeps) {
    this.#deps = deps;
    this.#audit = new AuditLog(deps.db);
    this.#rejections = new RejectionCounter((row) => this.#audit.write(row), deps.logger, deps.clock);
    this.#providerRejections = new ProviderRejectionLog(deps.clock, deps.logger);
  }

  /**
   * Runs `work` and writes its audit row.
   *
   * @param name of the action, for telemetry
   * @throws AppError what `work` throws, or `internal` for any other error; `unavailable` when the row of a call that
   * changed nothing can't be written
   */
  run(entry: AuditEntryBuilder, name: string, work: () => Promise<CallResult>): Promise<CallResult> {
    this.#running += 1;
    return withContext({ call: entry.callId }, () =>
      this.#deps.telemetry.step({ kind: 'call', name }, () => this.#runAudited(entry, work)),
    );
  }

  /** Resolves once no call is running and every audit row is written. Call it at shutdown, after the last call was accepted. */
  async settle(): Promise<void> {
    while (this.#running > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await this.#rejections.flush();
  }

  async #runAudited(entry: AuditEntryBuilder, work: () => Promise<CallResult>): Promise<CallResult> {
    try {
      const result = await work().catch(async (thrown: unknown) => {
        throw await this.#failed(thrown, entry);
      });
      // What was started is on record already: failing here would hide its result and invite a second attempt.
      await (entry.storing === undefined ? this.#audit.write(entry.row('ok')) : this.#store(entry.row('ok'), entry.storing));
      return result;
    } finally {
      this.#running -= 1;
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  async #failed(thrown: unknown, entry: AuditEntryBuilder): Promise<AppError> {
    const error = this.#toAppError(thrown, entry);
    const row = entry.row(error.code, error.code === 'approval_required' ? 'approval_required' : entry.decision);
    this.#providerRejections.record(error, row.action);
    await (entry.storing === undefined ? this.#writeBestEffort(row) : this.#store(row, entry.storing));
    return error;
  }

  async #store(row: AuditRow, storing: Storing): Promise<void> {
    await storing.store(NOT_WRITTEN, (isRepeat) => (isRepeat ? this.#audit.writeAgain(row) : this.#audit.write(row)));
  }

  /** Writes a row whose loss must not change the response. */
  async #writeBestEffort(row: AuditRow): Promise<void> {
    const written = row.decision === 'refused' ? this.#rejections.record(row) : this.#audit.write(row);
    await written.catch((error: unknown) => {
      this.#deps.logger.warn({ err: describeError(error), call: row.callId }, NOT_WRITTEN);
    });
  }

  #toAppError(thrown: unknown, entry: AuditEntryBuilder): AppError {
    const known = asAppError(thrown);
    if (known.code === 'internal') this.#deps.logger.error({ err: redactError(thrown), call: entry.callId }, 'a call failed');
    return known;
  }
}

/** The message of a foreign error may quote account data (a parser's does), so only its name and stack frames are logged. */
export function redactError(thrown: unknown): LoggedError {
  if (thrown instanceof AppError) return describeError(thrown);
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: '' };
  const frames = thrown.stack?.split('\n').filter((line) => /^ {4}at /.test(line)) ?? [];
  return { type: thrown.name, message: '', stack: frames.join('\n') };
}
