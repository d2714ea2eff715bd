import { expect, it } from 'vitest';
import { StreamPauses } from '../../../src/outbound/stream-pauses.ts';
import { TestClock } from '../../support/time/test-clock.ts';

it('streams that a server ends are continued later and later, until an answer comes', async () => {
  const clock = new TestClock({ standsAt: 0 });
  const pauses = new StreamPauses(clock);
  /** How long it takes. */
  const paused = async (requestedMs: number) => {
    const from = clock.monotonic();
    let at = 0;
    pauses.schedule(() => {
      at = clock.monotonic();
    }, requestedMs);
    await clock.advance(1_000_000);
    return at - from;
  };
  const asked: number[] = [];
  for (const requested of [0, 0, 500, 0, 0, 0, 0, 0, 0, 0, 0, 0]) asked.push(await paused(requested));
  expect(asked).toEqual([100, 200, 500, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 60_000, 60_000]);
  pauses.reset();
  expect(await paused(0)).toBe(100);
});

it('a pause that was cancelled continues nothing', async () => {
  const clock = new TestClock({ standsAt: 0 });
  const cancel = new StreamPauses(clock).schedule(() => expect.unreachable(), 0);
  cancel();
  await clock.advance(1_000_000);
  expect(clock.waiting).toBe(0);
});
