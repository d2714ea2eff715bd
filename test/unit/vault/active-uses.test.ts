import { expect, it } from 'vitest';
import { Polls } from '../../../src/clock/polls.ts';
import type { Database } from '../../../src/database/database.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { ActiveUses, type Use } from '../../../src/vault/grants/active-uses.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const clock = new TestClock({ standsAt: 0 });
const polls = new Polls(clock, createLogger('silent'));
const uses = (db = {} as Database) => new ActiveUses(db, polls);

function use(grantId: string, stopped: string[]): Use {
  return { userId: 'user', grantId, action: grantId, stop: () => stopped.push(grantId) };
}

const NAMES = ['a', 'b', 'c', 'd'];
const PAIRS = NAMES.flatMap((one) => NAMES.filter((other) => other !== one).map((other) => [one, other] as const));

it.each(PAIRS)('stops the uses whose grants end, except those that have ended: first %s, then %s', (...ended) => {
  const stopped: string[] = [];
  const active = uses();
  const ends = new Map(NAMES.map((name) => [name, active.begin(use(name, stopped))]));
  for (const name of ended) {
    ends.get(name)?.();
    ends.get(name)?.();
  }
  for (const name of NAMES) active.endGrant(name);
  expect(stopped).toEqual(NAMES.filter((name) => !ended.includes(name)));
});

it('may end a use while it stops the uses of a grant', () => {
  const stopped: string[] = [];
  const active = uses();
  for (let number = 0; number < 5; number += 1) {
    const stop = () => {
      stopped.push('a');
      end();
    };
    const end = active.begin({ ...use('a', stopped), stop });
  }
  active.endGrant('a');
  expect(stopped).toHaveLength(5);
  active.begin(use('a', stopped));
  expect(stopped).toHaveLength(6);
});

it('stops those whose grants another replica has ended, within 700 ms', async () => {
  const stopped: string[] = [];
  const asked: unknown[] = [];
  const db = {
    async query(_statement: unknown, [grants]: unknown[]) {
      asked.push(grants);
      return [{ id: 'b' }];
    },
  } as unknown as Database;
  const active = uses(db);
  active.start();
  const ends = ['a', 'b'].map((name) => active.begin(use(name, stopped)));
  await clock.advance(399);
  expect([asked, stopped]).toEqual([[], []]);
  await clock.advance(1);
  expect([asked, stopped]).toEqual([[['a', 'b']], ['b']]);
  for (const end of ends) end();
  // A use of less than 300 ms is not looked for.
  await clock.advance(399);
  active.begin(use('c', stopped));
  await clock.advance(1);
  expect(asked).toHaveLength(1);
  await polls.stop();
  await clock.advance(10_000);
  expect(asked).toHaveLength(1);
});

it('stops a use that begins up to a minute after its grant has ended', async () => {
  const stopped: string[] = [];
  const active = uses();
  active.endGrant('a');
  await clock.advance(59_999);
  active.begin(use('a', stopped));
  expect(stopped).toEqual(['a']);
  await clock.advance(1);
  active.begin(use('a', stopped));
  expect(stopped).toEqual(['a']);
});
