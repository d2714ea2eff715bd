import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { dayOf, middayClock } from '../../../support/time/midday-clock.ts';

const DAY_MS = 24 * 3_600_000;
const clock = middayClock();
/** A day in two months, and days after it. */
const day = (after = 0) => dayOf(clock, 60 + after);

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward({}, { clock });
  me = await newPerson(steward);
  const at = (days: number) => new Date(clock.now() + days * DAY_MS).toISOString();
  for (const [title, start, end] of [
    ['soon', at(2), at(2.1)],
    ['later', at(9), at(9.1)],
    ['first', `${day()}T09:00:00Z`, `${day()}T09:30:00Z`],
    ['last', `${day(6)}T09:00:00Z`, `${day(6)}T09:30:00Z`],
    ['beyond', `${day(7)}T11:00:00Z`, `${day(7)}T11:30:00Z`],
  ]) {
    await me.act('calendar.create', { title: `quux ${title}`, start, end });
  }
});
afterAll(() => steward.stop());

describe('calendar.list without a range', () => {
  it.each([
    ['the next week', {}, ['soon']],
    ['the week after a day', { from: day() }, ['first', 'last']],
    ['the week after a time', { from: `${day()}T10:00:00Z` }, ['last']],
    ['the time until a day', { to: day() }, ['soon', 'later', 'first']],
  ])('lists %s', async (_what, range, titles) => {
    const { items } = await me.act('calendar.list', { ...range, query: 'quux' });
    expect(items.map(({ title }: { title: string }) => title.slice(5))).toEqual(titles);
  });
});
