import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { ProviderRejectionLog } from '../../../src/executor/provider-rejection-log.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { TestClock } from '../../support/test-clock.ts';

/** What is logged of an error whose cause, so many levels below, is a provider's. */
function logged(levels: number): Record<string, unknown>[] {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line: string) => void lines.push(line) });
  let error = new AppError('forbidden', 'refused', { details: { provider: 'quota exceeded' } });
  for (let level = 0; level < levels; level++) error = new AppError('provider_error', 'failed', { cause: error });
  new ProviderRejectionLog(new TestClock({ standsAt: '2026-05-04T10:00:00Z' }), logger).record(error, 'mail.send');
  return lines.map((line) => JSON.parse(line));
}

describe('the log of providers’ rejections', () => {
  it('has the provider’s words, with the code that the caller got', () => {
    expect(logged(0)).toMatchObject([{ action: 'mail.send', code: 'forbidden', provider: 'quota exceeded' }]);
    expect(logged(1)).toMatchObject([{ action: 'mail.send', code: 'provider_error', provider: 'quota exceeded' }]);
  });

  it('looks for them in an error and three causes, and says nothing of an error without them', () => {
    expect(logged(3)).toHaveLength(1);
    expect(logged(4)).toEqual([]);
  });
});
