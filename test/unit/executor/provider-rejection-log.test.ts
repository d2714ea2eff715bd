import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { ProviderRejectionLog } from '../../../src/executor/audit/provider-rejection-log.ts';
import { createLogger, describeError } from '../../../src/observability/logger.ts';
import { toBankError } from '../../../src/providers/bank/bank-errors.ts';
import { toWorkspaceApiError } from '../../../src/providers/workspace/workspace-api-errors.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const CLOCK = new TestClock({ standsAt: '2026-05-04T10:00:00Z' });
const MAIL = 'Dear Ana, the merger closes on Friday';

const REFUSED = { details: { provider: { reason: 'quotaExceeded', message: MAIL } } };

/** What is logged of an error whose cause, so many levels below, is another. */
function logged(levels: number, cause = new AppError('forbidden', 'refused', REFUSED)): Record<string, unknown>[] {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line: string) => void lines.push(line) });
  let error = cause;
  for (let level = 0; level < levels; level++) error = new AppError('provider_error', 'failed', { cause: error });
  new ProviderRejectionLog(CLOCK, logger).record(error, 'mail.send');
  return lines.map((line) => JSON.parse(line));
}

function workspaceError(status: number, reason: string): AppError {
  const error = { code: status, message: `Invalid value: ${MAIL}`, errors: [{ reason }], status: 'PERMISSION_DENIED' };
  return toWorkspaceApiError('gmail.users.messages.send', { status, body: { error }, retryAfter: undefined, sent: [] });
}

function bankError(code: string): AppError {
  const data = Buffer.from(
    JSON.stringify({ error_code: code, error_message: `bad name: ${MAIL}`, request_id: 'r1', display_message: MAIL }),
  );
  return toBankError({ response: { status: 400, data, headers: {} } }, CLOCK);
}

describe('the log of providers’ rejections', () => {
  it('has the provider’s code, with that which the caller got', () => {
    expect(logged(0)).toMatchObject([{ action: 'mail.send', code: 'forbidden', reason: 'quotaExceeded' }]);
    expect(logged(1)).toMatchObject([{ action: 'mail.send', code: 'provider_error', reason: 'quotaExceeded' }]);
  });

  it('looks for it in an error and three causes, and says nothing of an error without it', () => {
    expect(logged(3)).toHaveLength(1);
    expect(logged(4)).toEqual([]);
  });

  it.each([
    ['a refused input', workspaceError(400, 'invalidArgument')],
    ['a forbidden call', workspaceError(403, 'forbidden')],
    ['an API that is not enabled', workspaceError(403, 'accessNotConfigured')],
    ['a fault', workspaceError(500, 'backendError')],
    ['a bank’s rejection', bankError('INVALID_FIELD')],
    ['a bank’s rejection that only the operator can correct', bankError('INVALID_API_KEYS')],
  ])('repeats nothing of the message, which may be the user’s own text: %s', (_what, error) => {
    expect(JSON.stringify(logged(0, error))).not.toContain('merger');
    // As any other line has it.
    expect(JSON.stringify(describeError(error))).not.toContain('merger');
  });
});
