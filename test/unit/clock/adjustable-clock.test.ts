import { expect, it } from 'vitest';
import { AdjustableClock } from '../../../src/clock/adjustable-clock.ts';
import { TestClock } from '../../support/time/test-clock.ts';

it('moves the time of day, forward and back, and tells of each move; durations and timers stay', async () => {
  const base = new TestClock({ standsAt: '2026-03-01T08:00:00Z' });
  const seen: number[] = [];
  const clock = new AdjustableClock(base, () => seen.push(clock.now() - base.now()));
  const rung: string[] = [];
  clock.after(1_000, () => rung.push('after'));
  const every = clock.every(1_000, () => rung.push('every'));
  clock.move(3_600_000);
  clock.move(-600_000);
  expect(seen).toEqual([3_600_000, 3_000_000]);
  expect(clock.monotonic()).toBe(base.monotonic());
  expect(rung).toEqual([]);
  const slept = clock.sleep(1_000).then(() => rung.push('slept'));
  await base.advance(1_000);
  await slept;
  every.cancel();
  expect(rung.toSorted()).toEqual(['after', 'every', 'slept']);
});
