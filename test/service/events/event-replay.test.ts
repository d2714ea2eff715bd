import { afterAll, beforeAll, expect, it } from 'vitest';
import { Polls } from '../../../src/clock/polls.ts';
import { EventFeed } from '../../../src/events/event-feed.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const CLIENT = '7d3f1c5e-0000-4000-8000-000000000001';

let steward: TestSteward;
let feed: EventFeed;

beforeAll(async () => {
  steward = await startSteward();
  feed = new EventFeed(steward.context.db, steward.context.polls);
});
afterAll(() => steward?.stop());

it('a client that can’t receive an event at first receives it before those that follow', async () => {
  const [user] = await steward.sql<{ id: string }>(`insert into users (issuer, subject, event_seq) values ('i', 's', 3) returning id`);
  const userId = user?.id ?? '';
  await steward.sql(
    `insert into events (user_id, seq, event, data, client_id)
     values ($1, 1, 'first', '{}', $2), ($1, 2, 'of the user', '{}', null), ($1, 3, 'last', '{}', $2)`,
    [userId, CLIENT],
  );
  const received: string[] = [];
  let isSlow = true;
  const subscriber = {
    seq: 0,
    clientId: CLIENT,
    push: ({ event }: { event: string }) => {
      if (isSlow) return false;
      received.push(event);
      return true;
    },
  };
  await feed.subscribe(userId, subscriber, 0, () => {});
  isSlow = false;
  feed.catchUp(userId);
  await eventually(() => received.length === 2);
  expect(received).toEqual(['first', 'last']);
});

it('the first client after a time without any receives what is recorded from then on', async () => {
  const { db, events, logger } = steward.context;
  const clock = new TestClock({ standsAt: '2026-05-04T10:00:00Z' });
  const polls = new Polls(clock, logger);
  const later = new EventFeed(db, polls);
  const [user] = await steward.sql<{ id: string }>(`insert into users (issuer, subject) values ('i', 'later') returning id`);
  const userId = user?.id ?? '';
  const received: string[] = [];
  const subscriber = { seq: 0, clientId: undefined, push: ({ event }: { event: string }) => received.push(event) > 0 };
  await later.subscribe(userId, subscriber, undefined, () => {});
  later.unsubscribe(userId, subscriber);
  await polls.tick();
  await later.subscribe(userId, subscriber, undefined, () => {});
  await db.transaction((tx) => events.record(tx, userId, 'resync', {}));
  later.wake();
  await clock.advance(10);
  await eventually(() => received.length > 0);
  await polls.stop();
});
