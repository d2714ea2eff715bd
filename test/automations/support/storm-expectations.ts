import { expect } from 'vitest';
import type { StormResult } from './storm.ts';

/** What is promised where nothing goes wrong meanwhile. */
const FOUND_MS = 90_000;

export function expectNothingLost({ slowest, ...result }: StormResult): void {
  const nothing = { missed: [], unknown: [], doubled: [], stuck: [], writtenTwice: [], unwritten: [] };
  expect(result).toMatchObject(nothing);
  expect(slowest.calm).toBeLessThanOrEqual(FOUND_MS);
  // The storm was one.
  expect(result.kills).toBeGreaterThan(0);
  expect(result.losses).toBeGreaterThan(0);
  expect(result.written).toBeGreaterThan(0);
}
