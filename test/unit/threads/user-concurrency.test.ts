import { expect, it } from 'vitest';
import { UserConcurrency } from '../../../src/concurrency/user-concurrency.ts';

it('users whose work waits take turns, and none has more at a time than its own limit and that of all', async () => {
  const concurrency = new UserConcurrency(2, 3);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (userId: string, name: string) =>
    concurrency.run(userId, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const work = [
    ...['a1', 'a2', 'a3', 'a4'].map((name) => begin('a', name)),
    ...['b1', 'b2', 'b3'].map((name) => begin('b', name)),
    begin('c', 'c1'),
  ];
  await new Promise(setImmediate);
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  expect(concurrency.waiting('a')).toBe(2);
  for (const [ended, next] of [
    ['b1', 'b2'],
    ['a1', 'a3'],
    ['a2', 'c1'],
    ['c1', 'b3'],
    ['b2', 'a4'],
  ] as const) {
    ends.get(ended)?.();
    await new Promise(setImmediate);
    expect(begun.at(-1), ended).toBe(next);
  }
  for (const end of ends.values()) end();
  await Promise.all(work);
  expect(begun).toHaveLength(8);
});
