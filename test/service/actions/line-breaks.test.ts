import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const AT = { title: 'Lunch', start: '2026-12-07' };

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
});

describe('a text of several lines, from whichever system', () => {
  const stored = async (id: string) => (await me.google('GET', `${EVENTS}/${id}`)).body;

  it.each(['\n', '\r\n', '\r'])('is accepted by each action, with lines that end in %j', async (end) => {
    const lines = (...texts: string[]) => texts.join(end);
    const { id, description } = await me.act('calendar.create', { ...AT, description: lines('one', '', 'two', '') });
    expect([description, (await stored(id)).description]).toEqual(['one\n\ntwo\n', 'one\n\ntwo\n']);
    await me.act('calendar.update', { id, description: lines('three', 'four') });
    expect((await stored(id)).description).toBe('three\nfour');
    const document = await me.act('documents.create', { title: 'Notes', text: lines('five', 'six') });
    expect((await me.act('documents.read', { id: document.id })).tabs[0].text).toMatch(/five\n+six/);
    const draft = await me.act('mail.draft', { to: ['ana@example.org'], subject: 'Hi', body: lines('seven', 'eight') });
    expect((await me.act('mail.read', { message: draft.message })).messages[0].text).toBe('seven\neight\n');
  });

  it('may be a place', async () => {
    const { id } = await me.act('calendar.create', { ...AT, location: 'Main St 1\r\nBerlin' });
    expect((await stored(id)).location).toBe('Main St 1\nBerlin');
  });

  it('may be the comment of a response', async () => {
    const { id } = await me.act('calendar.create', { ...AT, attendees: ['ana@example.org'] });
    await me.google('PATCH', `${EVENTS}/${id}`, { attendees: [{ email: me.email }, { email: 'ana@example.org' }] });
    await me.act('calendar.respond', { id, answer: 'accepted', comment: 'gern\r\nbis dann' });
    expect((await stored(id)).attendees[0].comment).toBe('gern\nbis dann');
  });
});

describe('a text of one line', () => {
  it.each(['\n', '\r\n', '\u0085', '\u2028'])('says that it has no line breaks: %j', async (end) => {
    const message = (field: string) => ({ code: 'invalid_request', message: `${field}: must be one line, without line breaks` });
    await expect(me.act('calendar.create', { ...AT, title: `a${end}b` })).rejects.toMatchObject(message('title'));
    const mail = { to: ['ana@example.org'], subject: `a${end}b`, body: '' };
    await expect(me.act('mail.draft', mail)).rejects.toMatchObject(message('subject'));
    await expect(me.act('documents.create', { title: `a${end}b` })).rejects.toMatchObject(message('title'));
  });
});
