import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { storeWithRetries } from '../../../src/executor/store-with-retries.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { advancing } from '../../support/advancing.ts';
import { TestClock } from '../../support/test-clock.ts';

/** @param failures what each attempt throws, in order; undefined: none @returns how often it was tried, and whether it was logged */
async function storing(...failures: (Error | undefined)[]): Promise<{ tries: number; logs: object[] }> {
  const clock = new TestClock({ standsAt: 0 });
  const logs: object[] = [];
  const logger = createLogger('warn', { write: (line: string) => void logs.push(JSON.parse(line)) });
  let tries = 0;
  const write = async () => {
    const failure = failures[tries];
    tries += 1;
    if (failure !== undefined) throw failure;
  };
  await advancing(clock, storeWithRetries(clock, logger, { action: 'mail.send', what: 'it was not stored' }, write));
  return { tries, logs };
}

const away = new AppError('unavailable', 'later');

describe('how a run ended', () => {
  it('is stored once', async () => {
    expect(await storing()).toMatchObject({ tries: 1, logs: [] });
  });

  it('is stored again while the database is away', async () => {
    expect(await storing(away, away)).toMatchObject({ tries: 3, logs: [] });
  });

  it('is logged after three attempts', async () => {
    const { tries, logs } = await storing(away, away, away);
    expect(tries).toBe(3);
    expect(logs).toMatchObject([{ msg: 'it was not stored', action: 'mail.send' }]);
  });

  it.each([
    ['another error of the service', new AppError('internal', 'broken')],
    ['any other error', new Error('syntax')],
  ])('is not stored again after %s, which is logged', async (_what, failure) => {
    const { tries, logs } = await storing(failure);
    expect(tries).toBe(1);
    expect(logs).toMatchObject([{ msg: 'it was not stored', action: 'mail.send' }]);
  });
});
