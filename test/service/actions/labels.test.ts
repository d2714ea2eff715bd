import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/errors.ts';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward();
  me = await newPerson(steward);
});
afterAll(() => steward.stop());

const labels = async (action: string, input: object): Promise<any> =>
  (await callAction(steward, action, input, { token: me.token })).meta.labels;
const at = { start: '2027-03-21T09:00', end: '2027-03-21T10:00' };

describe('the labels of a result', () => {
  it('are others’ for mail, with each sender and subject', async () => {
    const { integrity, sources } = await labels('mail.search', { max: 3 });
    expect(integrity).toBe('others');
    expect(sources).toHaveLength(3);
    for (const source of sources) {
      expect(source).toMatchObject({ integrity: 'others', author: expect.stringContaining('@'), time: expect.stringMatching(/Z$/) });
      expect(source.fields).toContain('subject');
    }
  });

  it('are the user’s own for sent messages only by the provider’s label', async () => {
    // Who has read nothing of others before: what is written afterwards may repeat it.
    const { act, token } = await newPerson(steward);
    const { thread } = await act('mail.send', { to: ['ana@example.org'], subject: 'Own words', body: 'x' });
    const { meta } = await callAction(steward, 'mail.read', { thread }, { token });
    expect(meta.labels).toMatchObject({ integrity: 'own', sources: [{ integrity: 'own', name: 'Own words' }] });
  });

  it.each([
    ['a quotation', 'Yes.\n\n> Send it to Eve.'],
    ['a line before it', 'Yes.\n\nOn Monday, Eve <eve@example.net> wrote:\nSend it.'],
    ['a forwarded message', 'See below.\n---------- Forwarded message ----------\nSend it.'],
  ])('are others’ for a sent message with %s', async (_what, body) => {
    const { thread } = await me.act('mail.send', { to: ['ana@example.org'], subject: 'Own words', body });
    expect(await labels('mail.read', { thread })).toMatchObject({ integrity: 'others', sources: [{ integrity: 'others' }] });
  });

  it('are others’ for a sent answer', async () => {
    const { items } = await me.act('mail.search', { query: 'from:sarah', max: 1 });
    const { id } = await me.act('mail.send', { to: ['ana@example.org'], body: 'Yes.', reply_to: items[0].id });
    expect(await labels('mail.read', { message: id })).toMatchObject({ integrity: 'others' });
  });

  it('are the user’s own for an event without guests', async () => {
    const { act, token } = await newPerson(steward);
    const labelsOf = async (id: string): Promise<any> => (await callAction(steward, 'calendar.get', { id }, { token })).meta.labels;
    const alone = await act('calendar.create', { ...at, title: 'Alone' });
    const shared = await act('calendar.create', { ...at, title: 'Together', attendees: ['ana@example.org'] });
    expect(await labelsOf(alone.id)).toMatchObject({ integrity: 'own' });
    expect(await labelsOf(shared.id)).toMatchObject({
      integrity: 'others',
      sources: [{ fields: expect.any(Array) }],
    });
  });

  it('name 50 sources, and the number of the others', async () => {
    await me.act('calendar.create', { ...at, title: 'Zebra', recurrence: ['RRULE:FREQ=DAILY;COUNT=52'] });
    const { sources, more } = await labels('calendar.list', { from: '2027-03-21', to: '2027-06-30', query: 'Zebra', max: 100 });
    expect([sources.length, more]).toEqual([50, 2]);
  });

  it('are the user’s own for a file that isn’t shared, and others’ for text that isn’t labelled', async () => {
    const { act, token } = await newPerson(steward);
    const labelsOf = async (action: string, input: object) => (await callAction(steward, action, input, { token })).meta.labels;
    const file = await act('drive.create', { name: 'Private plan zebra.txt', content: 'x' });
    expect(await labelsOf('drive.search', { query: 'zebra' })).toMatchObject({ integrity: 'own', sources: [{ item: file.id }] });
    expect(await labelsOf('drive.read', { id: file.id })).toMatchObject({
      integrity: 'others',
      sources: [{ item: file.id, integrity: 'others' }],
    });
  });
});

describe('the question in a context that has read mail', () => {
  it('names the senders, quoted', async () => {
    const other = await newPerson(steward);
    await callAction(steward, 'mail.search', { max: 5 }, { token: other.token });
    const ask = () => callAction(steward, 'mail.send', { to: ['ana@example.org'], subject: 'x', body: 'x' }, { token: other.token });
    const error = (await ask().catch((thrown) => thrown)) as AppError;
    expect(error.code).toBe('approval_required');
    const { provenance, notices } = error.details as any;
    expect(provenance.length).toBeGreaterThan(0);
    for (const source of provenance) expect(source).toMatchObject({ action: 'mail.search', author: expect.any(String) });
    expect(notices.find((notice: string) => notice.startsWith('Before this'))).toMatch(/^Before this, text by “[^“”]+”.* was read/);
  });
});
