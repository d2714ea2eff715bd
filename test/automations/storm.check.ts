import { expect, it } from 'vitest';
import { SEED } from '../support/runner/seed.ts';
import { Storm } from './support/storm.ts';
import { expectNothingLost } from './support/storm-expectations.ts';

const EVENTS = Number(process.env.EVENTS ?? 20_000);
const USERS = Math.max(10, Math.ceil(EVENTS / 1_000));

it(`of ${EVENTS} events each has one run (seed ${SEED})`, async () => {
  expect.hasAssertions();
  const storm = await Storm.open(SEED, USERS);
  try {
    const result = await storm.run(EVENTS);
    console.log(JSON.stringify(result, undefined, 2));
    expectNothingLost(result);
  } finally {
    await storm.close();
  }
});
