import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { StatementBatcher } from '../../../src/database/statement-batcher.ts';
import { eventually } from '../../support/time/eventually.ts';

/** Statements that end on request. */
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

/** More turns of the event loop than a batch waits for. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
}

describe('StatementBatcher', () => {
  it('sends items added together in one statement, and returns each item its own result', async () => {
    const statements = new Statements();
    const batcher = new StatementBatcher(statements.work);
    const results = Promise.all([1, 2, 3].map((item) => batcher.add(item)));
    await statements.begun(1);
    statements.sent[0]!.end();
    expect(await results).toEqual([10, 20, 30]);
    expect(statements.sent[0]!.items).toEqual([1, 2, 3]);
  });

  it('keeps items that are added meanwhile for the next statement', async () => {
    const statements = new Statements();
    const batcher = new StatementBatcher(statements.work);
    const first = batcher.add(1);
    await statements.begun(1);
    const others = [batcher.add(2), batcher.add(3)];
    await turns();
    expect(statements.sent).toHaveLength(1);
    statements.sent[0]!.end();
    await first;
    await statements.begun(2);
    expect(statements.sent[1]!.items).toEqual([2, 3]);
    statements.sent[1]!.end();
    expect(await Promise.all(others)).toEqual([20, 30]);
  });

  it('retries a failed batch one by one, so that the error of one item does not affect the others', async () => {
    const batcher = new StatementBatcher(async (items: readonly number[]) => {
      if (items.includes(2)) throw new Error('two');
      return items.map((item) => item * 10);
    });
    const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : (result.reason as Error).message))).toEqual([
      10,
      'two',
      30,
    ]);
  });

  describe('with a concurrency', () => {
    const ended = (statements: Statements, from: number) => {
      for (const { end } of statements.sent.slice(from)) end();
    };

    it('begins another statement only with a full batch, and never exceeds its concurrency', async () => {
      const statements = new Statements();
      const batcher = new StatementBatcher(statements.work, { batchSize: 2, concurrency: 2 });
      const results = [batcher.add(1)];
      await statements.begun(1);
      results.push(batcher.add(2));
      await turns();
      expect(statements.sent).toHaveLength(1);
      results.push(batcher.add(3));
      await statements.begun(2);
      expect(statements.sent[1]!.items).toEqual([2, 3]);
      results.push(batcher.add(4), batcher.add(5));
      await turns();
      expect(statements.sent).toHaveLength(2);
      ended(statements, 0);
      await statements.begun(3);
      expect(statements.sent[2]!.items).toEqual([4, 5]);
      ended(statements, 2);
      expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
    });

    it('begins another statement with as few items as are said to be worth one', async () => {
      const statements = new Statements();
      const batcher = new StatementBatcher(statements.work, { batchSize: 8, concurrency: 2, leastBatch: 1 });
      const results = [batcher.add(1)];
      await statements.begun(1);
      results.push(batcher.add(2));
      await statements.begun(2);
      results.push(batcher.add(3));
      await turns();
      expect(statements.sent.map(({ items }) => items)).toEqual([[1], [2]]);
      ended(statements, 0);
      await statements.begun(3);
      ended(statements, 2);
      expect(await Promise.all(results)).toEqual([10, 20, 30]);
    });

    it('leaves a batch that is not full to the last running statement', async () => {
      const statements = new Statements();
      const batcher = new StatementBatcher(statements.work, { batchSize: 2, concurrency: 2 });
      const results = [batcher.add(1), batcher.add(2)];
      await statements.begun(1);
      results.push(batcher.add(3), batcher.add(4));
      await statements.begun(2);
      results.push(batcher.add(5));
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

    it('begins again after all statements have ended', async () => {
      const statements = new Statements();
      const batcher = new StatementBatcher(statements.work, { batchSize: 2, concurrency: 2 });
      for (const count of [1, 2]) {
        const result = batcher.add(count);
        await statements.begun(count);
        ended(statements, count - 1);
        expect(await result).toBe(count * 10);
      }
    });
  });
});
