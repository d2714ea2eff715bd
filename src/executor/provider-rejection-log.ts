import { AppError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { type ThrottledLog, throttledLog } from '../observability/throttled-log.ts';
import { WorkspaceApiError } from '../providers/workspace/workspace-api-errors.ts';

const CAUSE_DEPTH = 4;

/** Tells the operator why providers refuse calls: in the provider's words, and with an alarm where only the operator can help. */
export class ProviderRejectionLog {
  readonly #logger: Logger;
  /** One for each API, of which there are six. */
  readonly #alarms = new Map<string, ThrottledLog>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** @param action as the audit names it */
  note(error: AppError, action: string): void {
    for (const one of chain(error)) {
      if (one instanceof WorkspaceApiError && one.disabledApi !== undefined) {
        this.#alarm(one.disabledApi)(
          { err: one, api: one.disabledApi, action },
          'an API of the provider is not enabled in the client’s project',
        );
        return;
      }
      if (one.details?.provider !== undefined) {
        this.#logger.info({ action, code: error.code, provider: one.details.provider }, 'the provider refused a call');
        return;
      }
    }
  }

  #alarm(api: string): ThrottledLog {
    const alarm = this.#alarms.get(api) ?? throttledLog(this.#logger, 'error');
    this.#alarms.set(api, alarm);
    return alarm;
  }
}

/** An error of ours often explains one of the provider's. */
function chain(error: AppError): AppError[] {
  const found: AppError[] = [];
  let next: unknown = error;
  while (next instanceof AppError && found.length < CAUSE_DEPTH) {
    found.push(next);
    next = next.cause;
  }
  return found;
}
