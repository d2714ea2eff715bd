import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queryable, Statement } from '../../../src/database/database.ts';
import { type IdRange, selectNewEvents } from '../../../src/events/events-repository.ts';
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

/** The planner's cost of reading new events, with some ids that may still appear. */
async function plannedCost(): Promise<number> {
  const [{ top }] = (await steward.sql<{ top: string }>('select max(id) as top from events')) as [{ top: string }];
  const gaps: IdRange[] = Array.from({ length: 10 }, (_, index) => ({ first: Number(top) - 10 * index, last: Number(top) - 10 * index }));
  let cost = Number.NaN;
  const explaining: Queryable = {
    async query<Row extends object>(statement: string | Statement, values?: unknown[]): Promise<Row[]> {
      const text = typeof statement === 'string' ? statement : statement.text;
      const rows = await steward.sql<{ 'QUERY PLAN': [{ Plan: { 'Total Cost': number } }] }>(`explain (format json) ${text}`, values);
      cost = rows[0]?.['QUERY PLAN'][0].Plan['Total Cost'] ?? Number.NaN;
      return [];
    },
  };
  await selectNewEvents(explaining, Number(top), gaps, PAGE);
  return cost;
}

// An expensive plan gets parallel workers and compilation, however few rows there are. Both counts exceed a page by far.
it('of new events reads new rows only, however many are stored', async () => {
  await keep(20_000);
  const few = await plannedCost();
  await keep(200_000);
  expect(await plannedCost()).toBeLessThan(2 * few);
});
