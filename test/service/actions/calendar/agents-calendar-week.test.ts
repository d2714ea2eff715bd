import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { newPerson, type Person } from '../../../support/workspace-content.ts';

const DAY_MS = 24 * 3_600_000;

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward();
  me = await newPerson(steward);
  const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  for (const [title, start, end] of [
    ['soon', at(2), at(2.1)],
    ['later', at(9), at(9.1)],
    ['first', '2027-03-01T09:00:00Z', '2027-03-01T09:30:00Z'],
    ['last', '2027-03-07T09:00:00Z', '2027-03-07T09:30:00Z'],
    ['beyond', '2027-03-08T11:00:00Z', '2027-03-08T11:30:00Z'],
  ]) {
    await me.act('calendar.create', { title: `quux ${title}`, start, end });
  }
});
afterAll(() => steward.stop());

describe('calendar.list without a range', () => {
  it.each([
    ['the next week', {}, ['soon']],
    ['the week after a day', { from: '2027-03-01' }, ['first', 'last']],
    ['the week after a time', { from: '2027-03-01T10:00:00Z' }, ['last']],
    ['the time until a day', { to: '2027-03-01' }, ['soon', 'later', 'first']],
  ])('lists %s', async (_what, range, titles) => {
    const { items } = await me.act('calendar.list', { ...range, query: 'quux' });
    expect(items.map(({ title }: { title: string }) => title.slice(5))).toEqual(titles);
  });
});
