import { describe, expect, it } from 'vitest';
import type { RefreshRow } from '../../../src/vault/refresh/refresh-repository.ts';
import {
  earlyBy,
  isAbandoned,
  isDue,
  isLeased,
  isPausing,
  isValid,
  leaseSeconds,
  pauseAfterRejections,
} from '../../../src/vault/refresh/refresh-timing.ts';

const FIRST = '00000000-0000-4000-8000-000000000000';
const LAST = 'ffffffff-0000-4000-8000-000000000000';
const row = (of: Partial<RefreshRow>): RefreshRow => ({ id: FIRST, ...of }) as RefreshRow;

describe('a lease', () => {
  it.each([
    [null, false, false],
    [0.1, true, false],
    [0, false, true],
    [-5, false, true],
  ])('that ends in %s seconds is held: %s, abandoned: %s', (lease, isHeld, isLeft) => {
    expect([isLeased(row({ lease })), isAbandoned(row({ lease }))]).toEqual([isHeld, isLeft]);
  });

  it('outlasts the request, the time before it, and the commit after it', () => {
    expect(leaseSeconds({ refreshTimeoutMs: 60_000 })).toBe(80);
  });
});

describe('an access token', () => {
  it.each([
    [null, true],
    [0.1, true],
    [0, false],
    [-5, false],
  ])('that expires in %s seconds is valid: %s', (remaining, valid) => {
    expect(isValid(row({ remaining }))).toBe(valid);
  });

  it('is due one to five minutes early, by its grant', () => {
    expect(earlyBy(FIRST)).toBe(60);
    expect(earlyBy(LAST)).toBeCloseTo(300, 5);
    const due = (id: string, remaining: number | null, life: number | null = 3_600) => isDue(row({ id, remaining, life }));
    expect([due(FIRST, 60), due(FIRST, 60.1), due(LAST, 299), due(LAST, 301), due(FIRST, null)]).toEqual([true, false, true, false, false]);
  });

  it('that lives for a short time is due in its last fifth', () => {
    const due = (remaining: number, life: number | null) => isDue(row({ remaining, life }));
    expect([due(20, 100), due(20.1, 100), due(0, 0), due(0.1, 0), due(0, null), due(0.1, null), due(0, -1), due(0.1, -1)]).toEqual([
      ...[true, false],
      ...[true, false],
      ...[true, false],
      ...[true, false],
    ]);
  });
});

describe('a pause', () => {
  it.each([
    [null, false],
    [0.1, true],
    [0, false],
    [-5, false],
  ])('that ends in %s seconds goes on: %s', (pause, isOn) => {
    expect(isPausing(row({ pause }))).toBe(isOn);
  });

  it('begins with the fourth rejection in a row, and is at most half of a token’s life', () => {
    expect([1, 2, 3].map((count) => pauseAfterRejections(count, 3_600))).toEqual([undefined, undefined, undefined]);
    expect(pauseAfterRejections(4, 3_600)).toBeGreaterThan(0);
    expect(pauseAfterRejections(4, 3_600)).toBeLessThanOrEqual(1);
    expect(pauseAfterRejections(20, 10)).toBe(5);
  });
});
