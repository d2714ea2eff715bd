import { afterAll, beforeAll, expect, it } from 'vitest';
import { selectNewEvents } from '../../../src/events/events-repository.ts';
import { rowsRead } from '../../support/database/rows-read.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

const PAGE = 100;

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
  await steward.sql(`insert into users (issuer, subject) values ('i', 's')`);
});

afterAll(() => steward.stop());

/** Adds events up to this total number. */
async function keep(count: number): Promise<void> {
  await steward.sql(
    `insert into events (user_id, seq, event, data)
     select u.id, n, 'kept', '{}' from users u, generate_series((select count(*) from events) + 1, $1::int) n`,
    [count],
  );
  await steward.sql('analyze events');
}

// Both counts exceed a page by far.
it('of new events reads new rows only, however many are stored', async () => {
  for (const count of [20_000, 200_000]) {
    await keep(count);
    const [{ top }] = (await steward.sql<{ top: string }>('select max(id) as top from events')) as [{ top: string }];
    // Ids that may still appear; all have.
    const gaps = Array.from({ length: 10 }, (_, index) => ({ first: Number(top) - 10 * index, last: Number(top) - 10 * index }));
    const { found, read } = await steward.context.db.snapshot(async (tx) => {
      const before = await rowsRead(tx, 'events');
      const events = await selectNewEvents(tx, Number(top) - 5, gaps, PAGE);
      return { found: events.length, read: (await rowsRead(tx, 'events')) - before };
    });
    // Five new ones, and ten in gaps, one of which is new.
    expect({ count, found }).toEqual({ count, found: 15 });
    expect(read).toBeGreaterThanOrEqual(15);
    expect(read).toBeLessThan(15 + 20);
  }
});
