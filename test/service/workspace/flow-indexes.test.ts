import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());

it.each(['ticket_hash', 'state_hash', 'confirmation_hash'])('a flow is found by an index of its %s', async (column) => {
  const indexes = await steward.sql<{ indexdef: string }>(`select indexdef from pg_indexes where tablename = 'oauth_flows'`);
  expect(indexes.filter(({ indexdef }) => new RegExp(`\\(${column}[,)]`).test(indexdef))).toHaveLength(1);
});
