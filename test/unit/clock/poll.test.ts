import { describe, expect, it } from 'vitest';
import { pollUntil } from '../../../src/clock/poll-until.ts';
import { Polls } from '../../../src/clock/polls.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const EVERY_MS = 1_000;

/** A poll whose checks end when the test says so. */
function startPoll() {
  const clock = new TestClock({ standsAt: 0 });
  const lines: string[] = [];
  const polls = new Polls(clock, createLogger('debug', { write: (line: string) => void lines.push(line) }));
  const begun: PromiseWithResolvers<void>[] = [];
  const check = () => {
    const one = Promise.withResolvers<void>();
    begun.push(one);
    return one.promise;
  };
  const poll = polls.create(check, { everyMs: EVERY_MS, failure: 'it failed' });
  poll.start();
  /** Ends the newest check. */
  const end = async (error?: Error) => {
    if (error === undefined) begun.at(-1)?.resolve();
    else begun.at(-1)?.reject(error);
    await clock.advance(0);
  };
  return { clock, polls, poll, lines, begun, end };
}

describe('a poll', () => {
  it('checks at once, and then an interval after each check has ended', async () => {
    const { clock, begun, end } = startPoll();
    await clock.advance(0);
    expect(begun).toHaveLength(1);
    await clock.advance(5 * EVERY_MS);
    expect(begun).toHaveLength(1);
    await end();
    await clock.advance(EVERY_MS - 1);
    expect(begun).toHaveLength(1);
    await clock.advance(1);
    expect(begun).toHaveLength(2);
  });

  it('checks when it is ticked, after the check in progress, once for all who tick', async () => {
    const { clock, polls, begun, end } = startPoll();
    await clock.advance(0);
    const ticks = [polls.tick(), polls.tick()];
    await clock.advance(0);
    expect(begun).toHaveLength(1);
    await end();
    expect(begun).toHaveLength(2);
    await end();
    await Promise.all(ticks);
    expect(begun).toHaveLength(2);
  });

  it('comes sooner when it is woken, however often', async () => {
    const { clock, poll, begun, end } = startPoll();
    await clock.advance(0);
    await end();
    poll.wake(10);
    await clock.advance(9);
    poll.wake(10);
    await clock.advance(1);
    expect(begun).toHaveLength(2);
    poll.wake(10);
    await end();
    await clock.advance(9);
    expect(begun).toHaveLength(2);
    await clock.advance(1);
    expect(begun).toHaveLength(3);
  });

  it('logs the first of several failures, and is not hurried while it fails', async () => {
    const { clock, poll, lines, begun, end } = startPoll();
    await clock.advance(0);
    poll.wake(10);
    await end(new Error('away'));
    await clock.advance(EVERY_MS - 1);
    expect(begun).toHaveLength(1);
    await clock.advance(1);
    await end(new Error('away'));
    expect(begun).toHaveLength(2);
    expect(lines.filter((line) => line.includes('it failed'))).toHaveLength(1);
  });

  it('stops after the check in progress', async () => {
    const { clock, polls, poll, begun, end } = startPoll();
    await clock.advance(0);
    let isStopped = false;
    const stopping = poll.stop().then(() => (isStopped = true));
    await clock.advance(EVERY_MS);
    expect(isStopped).toBe(false);
    await end();
    await stopping;
    await polls.tick();
    await clock.advance(10 * EVERY_MS);
    expect(begun).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });
});

describe('pollUntil', () => {
  const clock = () => new TestClock({ standsAt: 0 });

  it('looks at intervals until the end, and not after the limit', async () => {
    const time = clock();
    let looks = 0;
    const seen = pollUntil(
      time,
      async () => (looks += 1),
      (look) => look === 9,
      { everyMs: 10, limitMs: 25 },
    );
    await time.advance(100);
    // At 0, 10, 20 and 30: the first one at or after the limit is the last.
    expect(await seen).toBe(4);
    const end = pollUntil(
      time,
      async () => (looks += 1),
      (look) => look === 6,
      { everyMs: 10, limitMs: 1_000 },
    );
    await time.advance(100);
    expect(await end).toBe(6);
  });

  it('looks no more once its caller has left', async () => {
    const time = clock();
    const left = new AbortController();
    let looks = 0;
    const seen = pollUntil(
      time,
      async () => (looks += 1),
      () => false,
      { everyMs: 10, limitMs: 1_000, signal: left.signal },
    );
    await time.advance(0);
    left.abort();
    expect(await seen).toBe(1);
    await time.advance(100);
    expect(looks).toBe(1);
  });
});
