import type { Clock } from '../../clock/clock.ts';
import { AppError, providerReason } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { type ThrottledLog, throttledLog } from '../../observability/throttled-log.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';

const CAUSE_DEPTH = 4;

/** Logs why providers reject calls, by their codes: messages may repeat the user's text. As an error where only the operator can fix it. */
export class ProviderRejectionLog {
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** By API, of which there are six. */
  readonly #alarms = new Map<string, ThrottledLog>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** @param action its name in the audit log */
  record(error: AppError, action: string): void {
    for (const one of causes(error)) {
      if (one instanceof WorkspaceApiError && one.disabledApi !== undefined) {
        this.#alarm(one.disabledApi)(
          { err: one, api: one.disabledApi, action },
          'an API of the provider is not enabled in the client’s project',
        );
        return;
      }
      if (one.details?.provider !== undefined) {
        this.#logger.info({ action, code: error.code, reason: providerReason(one) }, 'the provider refused a call');
        return;
      }
    }
  }

  #alarm(api: string): ThrottledLog {
    const alarm = this.#alarms.get(api) ?? throttledLog(this.#clock, this.#logger, 'error');
    this.#alarms.set(api, alarm);
    return alarm;
  }
}

/** The error and its causes: an AppError often wraps the provider's. */
function causes(error: AppError): AppError[] {
  const found: AppError[] = [];
  let next: unknown = error;
  while (next instanceof AppError && found.length < CAUSE_DEPTH) {
    found.push(next);
    next = next.cause;
  }
  return found;
}
