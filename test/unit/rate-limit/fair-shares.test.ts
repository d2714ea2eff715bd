import { expect, it } from 'vitest';
import { FairShares } from '../../../src/rate-limit/fair-shares.ts';

function asking(counts: Record<string, number>): FairShares {
  const shares = new FairShares(0);
  for (const [client, count] of Object.entries(counts)) for (let index = 0; index < count; index += 1) shares.count(client, 10);
  return shares;
}

it.each([
  ['all fit', { ana: 3, ben: 4 }, 10, Number.POSITIVE_INFINITY],
  ['equal clients', { ana: 10, ben: 10 }, 10, 5],
  ['one that asks for much', { ana: 2, ben: 3, flood: 1_000 }, 25, 20],
  ['two that do', { ana: 1, ben: 40, flood: 1_000 }, 41, 20],
  ['nobody', {}, 10, Number.POSITIVE_INFINITY],
])('the equal share of %s', (_, counts, perSecond, share) => {
  expect(asking(counts).shareOf(perSecond)).toBe(share);
});

it('what a client asks for is the most of this second and the last, and forgotten after both', () => {
  const shares = asking({ ana: 9 });
  expect(shares.count('ana', 1_020)).toBe(9);
  expect(shares.count('ana', 1_030)).toBe(9);
  expect(shares.count('ana', 2_040)).toBe(2);
  expect(shares.count('ana', 9_000)).toBe(1);
});
