import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TITLES } from '../../../public/language/en/approvals.js';
import { BUILT_INS } from '../../../src/actions/built-ins.ts';
import type { Display } from '../../../src/executor/display/display.ts';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { rejectedWith } from '../../support/scenes/executor-scene.ts';
import { askingAlways, linesOf, shownIn } from '../../support/scenes/question-lines.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const AT = { title: 'Lunch', start: '2027-03-22T12:00', end: '2027-03-22T13:00', zone: 'Europe/Berlin' };

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward({}, { catalog: askingAlways });
  me = await newPerson(steward);
});
afterAll(() => steward.stop());

async function displayOf(action: string, input: object): Promise<Display> {
  const { details } = await rejectedWith(callAction(steward, action, input, { token: me.token }), 'approval_required');
  return (details as { display: Display }).display;
}

describe('the display of a question, for each built-in action that changes something,', () => {
  const id: Record<string, string> = {};

  beforeAll(async () => {
    const idOf = async (action: string, input: object) => String((await me.act(action, input)).id);
    const [mail] = (await me.act('mail.search', { query: 'in:inbox', max: 1 })).items;
    [id.mail, id.thread] = [mail.id, mail.thread];
    id.file = await idOf('drive.create', { name: 'Budget.csv', content: 'a,b' });
    id.folder = await idOf('drive.create', { name: 'Plans', type: 'folder' });
    id.document = await idOf('documents.create', { title: 'Notes', text: 'The plan is old.' });
    id.alone = await idOf('calendar.create', AT);
    id.lunch = await idOf('calendar.create', { ...AT, attendees: ['ana@example.org'], location: 'Room 1' });
    id.series = await idOf('calendar.create', { ...AT, title: 'Rounds', recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3'] });
    const rounds = (await me.act('calendar.list', { from: '2027-03-29', to: '2027-03-29' })).items;
    id.round = rounds.find((event: { title: string }) => event.title === 'Rounds').id;
    id.gone = await idOf('calendar.create', { ...AT, title: 'Cancelled' });
    await me.act('calendar.delete', { id: id.gone });
    id.draft = await idOf('mail.draft', { to: ['Ana <ana@example.org>'], subject: 'Lunch', body: 'At noon?' });
    await me.act('drive.share', { id: id.folder, email: 'bob@example.org' });
  });

  const WHEN = 'When: Mon, 22 Mar 2027, 12:00–13:00 Berlin time';
  const ONLY_TIME = 'Others in your calendar: If you share your calendar, the others see only the time';
  const FOLDER = 'Folder, with all that is in it: Plans';
  const OLD_DRAFT = 'Draft: Lunch (to Ana <ana@example.org>)';
  const MAIL = expect.stringMatching(/^Mails: .+ \(from .+@.+\)$/);
  const DRAFT = ['To: Ana <ana@example.org>', expect.stringMatching(/^From: .+@example\.net>$/), 'Subject: Lunch', 'Text: At noon?'];

  it.each<[action: string, input: () => object, title: string, lines: unknown[]]>([
    [
      'mail.send',
      () => ({
        to: ['Ana <ana@example.org>'],
        cc: ['bob@example.org'],
        subject: 'Lunch',
        body: 'At noon?\nBye',
        attachments: [{ name: 'x.txt', text: 'inside' }],
        files: [id.file],
      }),
      'Send a mail',
      [
        'To: Ana <ana@example.org>',
        'Cc: bob@example.org',
        'Subject: Lunch',
        'Text: At noon?\nBye',
        'Attachments: x.txt (6 bytes), Budget.csv (text file, 3 bytes)',
        'Content of “x.txt”: inside',
      ],
    ],
    [
      'mail.send',
      () => ({ to: ['ana@example.org'], body: 'Yes', reply_to: id.mail }),
      'Reply to a mail',
      ['To: ana@example.org', expect.stringMatching(/^Subject: Re: .+/), 'Text: Yes'],
    ],
    [
      'mail.draft',
      () => ({ to: ['ana@example.org'], subject: 'Lunch', body: 'At noon?' }),
      'Save a draft of a mail',
      ['To: ana@example.org', 'Subject: Lunch', 'Text: At noon?'],
    ],
    [
      'mail.draft',
      () => ({ to: ['ana@example.org'], subject: 'Ignored', body: 'Yes', reply_to: id.mail, files: [id.file] }),
      'Save a draft of a reply',
      ['To: ana@example.org', expect.stringMatching(/^Subject: Re: .+/), 'Text: Yes', 'Attachments: Budget.csv (text file, 3 bytes)'],
    ],
    [
      'mail.draft_update',
      () => ({ id: id.draft, to: ['bob@example.org'], subject: 'Supper', body: 'Later?' }),
      'Change a draft',
      [OLD_DRAFT, 'To: bob@example.org', 'Subject: Lunch → Supper', 'Text: Later?'],
    ],
    [
      'mail.draft_update',
      () => ({ id: id.draft, to: [], subject: '', body: '' }),
      'Change a draft',
      [OLD_DRAFT, 'To: Nobody', 'Subject: Empty', 'Text: Empty'],
    ],
    ['mail.draft_send', () => ({ id: id.draft }), 'Send a draft', DRAFT],
    ['mail.draft_delete', () => ({ id: id.draft }), 'Delete a draft for good', DRAFT],
    [
      'mail.label',
      () => ({ ids: [id.mail], add: ['starred'], remove: ['INBOX', 'UNREAD'] }),
      'Label a mail',
      [MAIL, 'Labels added: Starred', 'Labels removed: Inbox (they move to the archive) | Unread (they are marked as read)'],
    ],
    [
      'mail.trash',
      () => ({ ids: [id.mail], threads: [id.thread] }),
      'Move a mail and a conversation to the trash',
      [MAIL, expect.stringMatching(/^Whole conversations: .+ \(from .+@.+, 1 mail\)$/)],
    ],
    [
      'mail.untrash',
      () => ({ ids: [id.mail, 'abc'], inbox: [id.mail] }),
      'Take 2 mails out of the trash',
      [expect.stringMatching(/^Mails: .+ \(from .+@.+\), A mail that does not exist$/), 'Back to the inbox: 1 mail'],
    ],
    [
      'calendar.create',
      () => ({ ...AT, attendees: ['ana@example.org'], description: 'About the plan', meeting: true }),
      'Create an event',
      [
        'Title: Lunch',
        WHEN,
        'Guests: ana@example.org',
        'Description: About the plan',
        'Video meeting: Yes',
        'Mail to them: They are told by mail',
        ONLY_TIME,
      ],
    ],
    [
      'calendar.create',
      () => ({ title: 'Holiday', start: '2027-03-22', end: '2027-03-24' }),
      'Create an event',
      ['Title: Holiday', 'When: Mon, 22 Mar 2027 to Tue, 23 Mar 2027', ONLY_TIME],
    ],
    [
      'calendar.update',
      () => ({ id: id.lunch, title: 'Dinner', start: '2027-03-22T19:00', add_attendees: ['zoe@example.org'], notify: true }),
      'Change an event',
      [
        'Title: Lunch → Dinner',
        `${WHEN} → Mon, 22 Mar 2027, 19:00–20:00 Berlin time`,
        'Invited: zoe@example.org',
        'Guests until now: ana@example.org',
        'Those invited also read: Place: Room 1',
        'Mail to them: They are told by mail',
        ONLY_TIME,
      ],
    ],
    [
      'calendar.update',
      () => ({ id: id.series, scope: 'series', recurrence: ['RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=4MO', 'EXDATE:20270524T120000'] }),
      'Change a series of events',
      [
        'Event: Rounds',
        WHEN,
        'Repeats: Each week on Monday, 3 times → Every 2 months on the fourth Monday, without an end\nNot on Mon, 24 May 2027',
        expect.stringMatching(/^Mail to them: /),
        ONLY_TIME,
      ],
    ],
    [
      'calendar.delete',
      () => ({ id: id.round }),
      'Delete one event of a series',
      ['Event: Rounds', 'When: Mon, 29 Mar 2027, 12:00–13:00 Berlin time', 'Mail to them: Nobody to notify'],
    ],
    ['calendar.delete', () => ({ id: id.alone }), 'Delete an event', ['Event: Lunch', WHEN, 'Mail to them: Nobody to notify']],
    ['calendar.delete', () => ({ id: id.alone, notify: false }), 'Delete an event', ['Event: Lunch', WHEN]],
    [
      'calendar.delete',
      () => ({ id: id.lunch, notify: false }),
      'Delete an event',
      ['Event: Lunch', WHEN, 'Guests: ana@example.org', 'Place: Room 1', 'Mail to them: No mail: they see it in their calendars'],
    ],
    [
      'calendar.restore',
      () => ({ id: id.gone }),
      'Restore a deleted event',
      ['Event: Cancelled', 'When: Mon, 22 Mar 2027, 12:00 Berlin time', expect.stringMatching(/^Others in your calendar: /)],
    ],
    ['documents.create', () => ({ title: 'Plan', text: 'One.' }), 'Create a document', ['Title: Plan', 'Text: One.']],
    [
      'documents.append',
      () => ({ id: id.document, text: 'Two.' }),
      'Add text to a document',
      ['Document: Notes (document)', 'Text added at the end: Two.'],
    ],
    [
      'documents.replace',
      () => ({ id: id.document, find: 'old', replace: 'new' }),
      'Replace text in a document',
      [
        'Document: Notes (document)',
        'Text replaced: old → new',
        'Everywhere in: The whole document',
        'Capitals: Only text with the same capitals',
      ],
    ],
    [
      'documents.replace',
      () => ({ id: id.document, find: 'old', replace: '', tab: 'Tab 1', match_case: false }),
      'Delete text from a document',
      ['Document: Notes (document)', 'Text deleted: old → ', 'Everywhere in: Tab 1', 'Capitals: Text with any capitals'],
    ],
    ['drive.create', () => ({ name: 'a.txt', content: 'x' }), 'Create a file', ['Name: a.txt', 'Into the folder: My Drive', 'Content: x']],
    [
      'drive.create',
      () => ({ name: 'a', content: '<b>', type: 'html' }),
      'Create a file',
      ['Name: a', 'Kind: Web page (HTML)', 'Into the folder: My Drive', 'Content: <b>'],
    ],
    ['drive.create', () => ({ name: 'In', type: 'folder', folder: id.folder }), 'Create a folder', ['Name: In', 'Into the folder: Plans']],
    [
      'drive.copy',
      () => ({ id: id.file, name: 'Copy.csv', folder: id.folder }),
      'Copy a file',
      ['File: Budget.csv (text file)', 'New name: Copy.csv', 'Into the folder: Plans'],
    ],
    ['drive.move', () => ({ id: id.file, folder: id.folder }), 'Move a file', ['File: Budget.csv (text file)', 'Into the folder: Plans']],
    ['drive.rename', () => ({ id: id.file, name: 'Costs.csv' }), 'Rename a file', ['Name: Budget.csv → Costs.csv']],
    ['drive.trash', () => ({ id: id.folder }), 'Move a folder to the trash', [FOLDER]],
    ['drive.untrash', () => ({ id: id.folder }), 'Take a folder out of the trash', [FOLDER]],
    [
      'drive.share',
      () => ({ id: id.file, email: 'bob@example.org', role: 'writer', notify: false }),
      'Share a file',
      ['File: Budget.csv (text file)', 'With: bob@example.org', 'They may: Read and change it', 'Mail to them: No mail'],
    ],
    [
      'drive.unshare',
      () => ({ id: id.folder, who: 'bob@example.org' }),
      'Take away access to a folder',
      [FOLDER, 'Who loses access: bob@example.org', 'Access that ends: Read it'],
    ],
  ])('%s says what happens, in words', async (action, input, title, lines) => {
    const shown = await displayOf(action, input());
    expect([shown.title, ...linesOf(shown)]).toEqual([title, ...lines]);
  });

  it('names each action that changes something', () => {
    const changing = [...BUILT_INS.values()].filter(({ effect }) => effect !== 'read').map(({ name }) => name);
    expect(Object.keys(TITLES).sort()).toEqual(changing.sort());
  });

  it('links a file to its page, and names no id', async () => {
    const { fields } = await displayOf('drive.share', { id: id.file, email: 'zoe@example.org' });
    expect(fields[0]).toMatchObject({ name: 'id', kind: 'file', files: [{ name: 'Budget.csv', link: expect.stringMatching(/^https:/) }] });
    expect(JSON.stringify(fields.map(shownIn))).not.toContain(id.file);
  });
});

it('the time of an event is told apart from the same one an hour later, after clocks are set back', async () => {
  const input = { ...AT, start: '2027-10-31T02:30+01:00', end: '2027-10-31T02:45+01:00' };
  const { fields } = await displayOf('calendar.create', input);
  expect(fields.find(({ kind }) => kind === 'when')).toMatchObject({ text: 'Sun, 31 Oct 2027, 02:30–02:45 Berlin time (UTC+01:00)' });
});

it('the time of an event is in its own zone, and beside it in the user’s', async () => {
  const asked = async () => (await displayOf('calendar.create', AT)).fields.find(({ kind }) => kind === 'when');
  expect(await asked()).not.toHaveProperty('local');
  const [headers, body] = [{ 'content-type': 'application/json' }, JSON.stringify({ time_zone: 'Europe/London' })];
  expect((await steward.call('/user/preferences', { method: 'PATCH', token: me.token, headers, body })).status).toBe(200);
  expect(await asked()).toMatchObject({
    text: 'Mon, 22 Mar 2027, 12:00–13:00 Berlin time',
    local: 'Mon, 22 Mar 2027, 11:00–12:00 London time',
  });
});

it('a question that is open follows the zone and the language that its user has by now, on the page too', async () => {
  const other = await newPerson(steward);
  const asked = await rejectedWith(callAction(steward, 'calendar.create', AT, { token: other.token }), 'approval_required');
  const id = (asked.details as { approvalId: string }).approvalId;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ time_zone: 'Pacific/Chatham', language: 'en-US' });
  expect((await steward.call('/user/preferences', { method: 'PATCH', token: other.token, headers, body })).status).toBe(200);
  const { approvals } = (await steward.call('/approvals', { token: other.token })).body as { approvals: { display: Display }[] };
  const when = { text: 'Mon, Mar 22, 2027, 12:00–13:00 Berlin time', local: 'Tue, Mar 23, 2027, 00:45–01:45 Chatham time' };
  expect(approvals.map(({ display }) => display.fields.find(({ kind }) => kind === 'when'))).toMatchObject([when]);
  const browser = await sessionOf(steward, other.token);
  const { text } = await browser.visit(`/approvals/${id}`);
  expect(text).toContain(when.local);
  expect(text).toMatch(/until <time datetime="[^"]+">\w{3}, \w{3} \d+, \d{4}, [\d:]{5} Chatham time<\/time>/);
});

it('the page on which an event is changed says its rules and its zone in words, beside what is entered', async () => {
  const input = { ...AT, recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3', 'EXDATE:20270329T120000'], end_zone: 'America/New_York' };
  const { details } = await rejectedWith(callAction(steward, 'calendar.create', input, { token: me.token }), 'approval_required');
  const browser = await sessionOf(steward, me.token);
  const { text } = await browser.visit(`/approvals/${(details as { approvalId: string }).approvalId}?change=yes`);
  const said = [...text.matchAll(/<p id="(change-\d+-means)">(.*?)<\/p>/g)].map(([, id = '', words]) => [
    new RegExp(`name="field\\.(\\w+)"[^>]*aria-describedby="${id}[ "]`).exec(text)?.[1],
    words,
  ]);
  expect(Object.fromEntries(said)).toEqual({
    zone: 'That is: Berlin time.',
    end_zone: 'That is: New York time.',
    recurrence: 'That is: Each week on Monday, 3 times; Not on Mon, 29 Mar 2027.',
  });
  for (const raw of input.recurrence) expect(text).toContain(raw);
});
