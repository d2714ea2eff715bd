import { TestClock } from './test-clock.ts';

const DAY_MS = 24 * 3_600_000;

/** A clock that goes on from the next noon (UTC): no day ends between two steps of a test. */
export function middayClock(): TestClock {
  const clock = new TestClock();
  clock.setBy(DAY_MS - ((clock.now() + DAY_MS / 2) % DAY_MS));
  return clock;
}

/** A day of a clock, UTC, as YYYY-MM-DD. @param offset days from its present one */
export function dayOf(clock: TestClock, offset: number): string {
  return new Date(clock.now() + offset * DAY_MS).toISOString().slice(0, 10);
}
