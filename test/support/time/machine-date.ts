import { vi } from 'vitest';
import { systemClock } from '../../../src/clock/clock.ts';

/**
 * Sets the date of this process while `work` runs, for libraries to which no clock can be given. The date stands still
 * meanwhile.
 *
 * @param ahead milliseconds; negative: behind
 */
export async function withDate<Result>(ahead: number, work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ['Date'], now: systemClock.now() + ahead });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}
