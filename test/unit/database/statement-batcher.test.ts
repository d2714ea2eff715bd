import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { StatementBatcher } from '../../../src/database/statement-batcher.ts';
import { eventually } from '../../support/eventually.ts';

/** Statements that end when they are told to. */
class Statements {
  readonly sent: { items: readonly number[]; end(): void }[] = [];

  work = async (items: readonly number[]): Promise<number[]> => {
    await new Promise<void>((resolve) => this.sent.push({ items, end: resolve }));
    return items.map((item) => item * 10);
  };

  async begun(count: number): Promise<void> {
    await eventually(() => this.sent.length === count);
  }
}

/** More turns of the loop than anything is gathered for. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
}

describe('StatementBatcher', () => {
  it('sends what comes together in one statement, and gives each its own result', async () => {
    const statements = new Statements();
    const grouped = new StatementBatcher(statements.work);
    const results = Promise.all([1, 2, 3].map((item) => grouped.add(item)));
    await statements.begun(1);
    statements.sent[0]!.end();
    expect(await results).toEqual([10, 20, 30]);
    expect(statements.sent[0]!.items).toEqual([1, 2, 3]);
  });

  it('keeps what comes meanwhile for the next one', async () => {
    const statements = new Statements();
    const grouped = new StatementBatcher(statements.work);
    const first = grouped.add(1);
    await statements.begun(1);
    const others = [grouped.add(2), grouped.add(3)];
    await turns();
    expect(statements.sent).toHaveLength(1);
    statements.sent[0]!.end();
    await first;
    await statements.begun(2);
    expect(statements.sent[1]!.items).toEqual([2, 3]);
    statements.sent[1]!.end();
    expect(await Promise.all(others)).toEqual([20, 30]);
  });

  it('tries one by one what failed together, so that one’s fault is not the others’', async () => {
    const grouped = new StatementBatcher(async (items: readonly number[]) => {
      if (items.includes(2)) throw new Error('two');
      return items.map((item) => item * 10);
    });
    const results = await Promise.allSettled([1, 2, 3].map((item) => grouped.add(item)));
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : (result.reason as Error).message))).toEqual([
      10,
      'two',
      30,
    ]);
  });

  describe('with lanes', () => {
    const ended = (statements: Statements, from: number) => {
      for (const { end } of statements.sent.slice(from)) end();
    };

    it('begins another statement only with as many items as it may take, and no more of them than there are lanes', async () => {
      const statements = new Statements();
      const grouped = new StatementBatcher(statements.work, { atOnce: 2, lanes: 2 });
      const results = [grouped.add(1)];
      await statements.begun(1);
      results.push(grouped.add(2));
      await turns();
      expect(statements.sent).toHaveLength(1);
      results.push(grouped.add(3));
      await statements.begun(2);
      expect(statements.sent[1]!.items).toEqual([2, 3]);
      results.push(grouped.add(4), grouped.add(5));
      await turns();
      expect(statements.sent).toHaveLength(2);
      ended(statements, 0);
      await statements.begun(3);
      expect(statements.sent[2]!.items).toEqual([4, 5]);
      ended(statements, 2);
      expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
    });

    it('leaves what is too little for a statement of its own to the one that ends last', async () => {
      const statements = new Statements();
      const grouped = new StatementBatcher(statements.work, { atOnce: 2, lanes: 2 });
      const results = [grouped.add(1), grouped.add(2)];
      await statements.begun(1);
      results.push(grouped.add(3), grouped.add(4));
      await statements.begun(2);
      results.push(grouped.add(5));
      statements.sent[0]!.end();
      await results[0];
      await turns();
      expect(statements.sent).toHaveLength(2);
      statements.sent[1]!.end();
      await statements.begun(3);
      expect(statements.sent[2]!.items).toEqual([5]);
      ended(statements, 2);
      expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
    });

    it('begins anew once everything was done', async () => {
      const statements = new Statements();
      const grouped = new StatementBatcher(statements.work, { atOnce: 2, lanes: 2 });
      for (const count of [1, 2]) {
        const result = grouped.add(count);
        await statements.begun(count);
        ended(statements, count - 1);
        expect(await result).toBe(count * 10);
      }
    });
  });
});
