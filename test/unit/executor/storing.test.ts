import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { databaseContended, databaseUnavailable } from '../../../src/database/database-errors.ts';
import { AppError } from '../../../src/errors.ts';
import { STORING_MS, Storing } from '../../../src/executor/audit/storing.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { advancing } from '../../support/time/advancing.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const WHAT = 'it was not stored';

function scene() {
  const clock = new TestClock({ standsAt: 0 });
  const logs: object[] = [];
  const logger = createLogger('warn', { write: (line: string) => void logs.push(JSON.parse(line)) });
  return { clock, logs, storing: new Storing({ clock, logger }, 'c1', 'mail.send') };
}

/** @param isAway whether the database is, at a time of the clock @returns the times of the attempts, and whether each was a repetition */
function writing(clock: TestClock, isAway: (at: number) => boolean, failure: Error = databaseUnavailable(new Error('away'))) {
  const attempts: { at: number; isRepeat: boolean }[] = [];
  const write = async (isRepeat: boolean) => {
    attempts.push({ at: clock.monotonic(), isRepeat });
    if (isAway(clock.monotonic())) throw failure;
  };
  return { attempts, write };
}

describe('what follows from a run', () => {
  it('is stored once', async () => {
    const { clock, logs, storing } = scene();
    const { attempts, write } = writing(clock, () => false);
    expect(await storing.store(WHAT, write)).toBe(true);
    expect(attempts).toEqual([{ at: 0, isRepeat: false }]);
    expect(logs).toEqual([]);
  });

  it.each([1_000, 5_000, 20_000, STORING_MS - 1_000])('is stored once the database is back after %i ms', async (away) => {
    const { clock, logs, storing } = scene();
    const { attempts, write } = writing(clock, (at) => at < away);
    expect(await advancing(clock, storing.store(WHAT, write))).toBe(true);
    expect(attempts.at(-1)).toEqual({ at: away, isRepeat: true });
    expect(logs).toEqual([]);
  });

  it('is given up and logged after the time that is reserved for it', async () => {
    const { clock, logs, storing } = scene();
    const { attempts, write } = writing(clock, () => true);
    expect(await advancing(clock, storing.store(WHAT, write))).toBe(false);
    expect(attempts.at(-1)).toEqual({ at: STORING_MS, isRepeat: true });
    expect(logs).toMatchObject([{ level: 50, msg: WHAT, action: 'mail.send', call: 'c1' }]);
  });

  it('shares that time: after one statement has used it, each of the others is attempted once', async () => {
    const { clock, storing } = scene();
    const first = writing(clock, () => true);
    await advancing(clock, storing.store(WHAT, first.write));
    const second = writing(clock, () => true);
    expect(await storing.store(WHAT, second.write)).toBe(false);
    const third = writing(clock, () => false);
    expect(await storing.store(WHAT, third.write)).toBe(true);
    expect([second.attempts.length, third.attempts.length]).toEqual([1, 1]);
  });

  it.each(['40P01', '55P03', '40001'])('is stored again after %s', async (code) => {
    const { clock, storing } = scene();
    const cause = Object.assign(new pg.DatabaseError('contended', 0, 'error'), { code });
    const { attempts, write } = writing(clock, (at) => at < 500, databaseContended(cause));
    expect(await advancing(clock, storing.store(WHAT, write))).toBe(true);
    expect(attempts).toHaveLength(2);
  });

  it.each([
    ['another error of the service', new AppError('internal', 'broken')],
    ['a user who is gone', new AppError('invalid_token', 'gone')],
    ['any other error', new Error('syntax')],
  ])('is not stored again after %s, which is logged', async (_what, failure) => {
    const { clock, logs, storing } = scene();
    const { attempts, write } = writing(clock, () => true, failure);
    expect(await storing.store(WHAT, write)).toBe(false);
    expect(attempts).toHaveLength(1);
    expect(logs).toMatchObject([{ msg: WHAT, action: 'mail.send' }]);
  });
});
