import { describe, expect, it } from 'vitest';
import { percentile } from '../../../bench/mixed/latencies.ts';
import { type OpenResult, OUTCOMES, type Outcome } from '../../../bench/mixed/open-result.ts';
import { latenciesOf, type Phase, recoverySeconds, shareOf } from '../../../bench/mixed/phases.ts';
import { arrivals, KINDS, type Kind } from '../../../bench/mixed/schedule.ts';

type Entry = [kind: Kind, outcome: Outcome, due: number, latency: number];

function phase(entries: readonly Entry[]): Phase {
  const result: OpenResult = {
    kinds: Uint8Array.from(entries, ([kind]) => KINDS.indexOf(kind)),
    outcomes: Uint8Array.from(entries, ([, outcome]) => OUTCOMES.indexOf(outcome)),
    due: Float64Array.from(entries, ([, , due]) => due),
    latencies: Float64Array.from(entries, ([, , , latency]) => latency),
    lags: new Float64Array(entries.length),
    withoutRetryAfter: 0,
    firstError: undefined,
    cpuMs: 0,
  };
  return { perSecond: 1, elapsedMs: 1, result, delay: { max: 0, p99: 0 }, processors: 0, waited: 0 };
}

describe('the schedule of the open loop', () => {
  const schedule = { seed: 7, perSecond: 1_000, durationMs: 20_000 };

  it('is the same for the same seed, and another for another', () => {
    expect([...arrivals(schedule)]).toEqual([...arrivals(schedule)]);
    expect([...arrivals({ ...schedule, seed: 8 })].slice(0, 3)).not.toEqual([...arrivals(schedule)].slice(0, 3));
  });

  it('has the rate, in order, within the duration', () => {
    const due = [...arrivals(schedule)];
    expect(due.length).toBeGreaterThan(19_000);
    expect(due.length).toBeLessThan(21_000);
    expect(due.map(({ at }) => at)).toEqual(due.map(({ at }) => at).toSorted((one, other) => one - other));
    expect(due.at(-1)?.at).toBeLessThan(20_000);
  });

  it('has exponential gaps: independent clients, in bursts and pauses', () => {
    const due = [...arrivals(schedule)].map(({ at }) => at);
    const gaps = due.slice(1).map((at, index) => at - (due[index] ?? 0));
    // Of an exponential distribution with mean 1, 63 % are below it, and 5 % above three times it.
    expect(gaps.filter((gap) => gap < 1).length / gaps.length).toBeCloseTo(0.632, 1);
    expect(gaps.filter((gap) => gap > 3).length / gaps.length).toBeCloseTo(0.05, 1);
  });

  it('mixes all kinds, mostly calls', () => {
    const kinds = Map.groupBy(arrivals(schedule), ({ kind }) => kind);
    expect([...kinds.keys()].toSorted()).toEqual(KINDS.toSorted());
    expect((kinds.get('calls')?.length ?? 0) / [...arrivals(schedule)].length).toBeCloseTo(0.8, 1);
  });
});

describe('percentiles', () => {
  it('are nearest-rank, of any order', () => {
    const values = [50, 10, 40, 20, 30];
    expect([0, 0.2, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([10, 10, 30, 50, 50]);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('are taken of one outcome and kind', () => {
    const mixed = phase([
      ['calls', 'answered', 0, 5],
      ['lists', 'answered', 1, 6],
      ['calls', 'refused', 2, 1],
      ['calls', 'failed', 3, 900],
    ]);
    expect([...latenciesOf(mixed, 'answered')]).toEqual([5, 6]);
    expect([...latenciesOf(mixed, 'answered', 'calls')]).toEqual([5]);
    expect(shareOf(mixed, 'refused')).toBe(0.25);
  });
});

describe('the recovery', () => {
  it('lasts until the last request that was refused, failed or took long', () => {
    const calm: Entry = ['calls', 'answered', 4_000, 20];
    expect(recoverySeconds(phase([calm]), 250)).toBe(0);
    expect(recoverySeconds(phase([['calls', 'refused', 1_500, 1], calm]), 250)).toBe(1.5);
    expect(recoverySeconds(phase([['calls', 'answered', 2_500, 251], ['calls', 'failed', 100, 1], calm]), 250)).toBe(2.5);
  });
});
