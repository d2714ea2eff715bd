import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_INS } from '../../../src/actions/built-ins.ts';
import type { Display } from '../../../src/executor/display/display.ts';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { rejectedWith } from '../../support/scenes/executor-scene.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { askingAlways, linesOf } from '../../support/scenes/question-lines.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';

const AT = { title: 'Lunch', start: '2027-03-22T12:00', end: '2027-03-22T13:00', zone: 'Europe/Berlin' };
const ALL = 'Accounts: All that are connected';

let steward: TestSteward;
let me: Person;
const id: Record<string, string> = {};

beforeAll(async () => {
  steward = await startSteward({}, { catalog: askingAlways });
  me = await newPerson(steward);
  expect((await linkBank(steward, me.token)).status).toBe(200);
  const attachments = [{ name: 'plan.txt', text: 'inside' }];
  id.mail = (await me.act('mail.send', { to: [me.email], subject: 'The plan', body: 'Here.', attachments })).id;
  const [read] = (await me.act('mail.read', { message: id.mail })).messages;
  [id.attachment, id.thread] = [read.attachments[0].id, (await me.act('mail.read', { message: id.mail })).thread];
  id.event = (await me.act('calendar.create', AT)).id;
  id.document = (await me.act('documents.create', { title: 'Notes', text: 'Old.' })).id;
  id.file = (await me.act('drive.create', { name: 'Budget.csv', content: 'a,b' })).id;
  id.folder = (await me.act('drive.create', { name: 'Plans', type: 'folder' })).id;
  const found = async (type: string) => (await me.act('drive.search', { type })).items[0];
  [id.sheet, id.slides] = [(await found('spreadsheet')).id, (await found('presentation')).id];
  id.account = (await me.act('bank.balances')).accounts[0].id;
});
afterAll(() => steward.stop());

async function displayOf(action: string, input: object): Promise<Display> {
  const { details } = await rejectedWith(callAction(steward, action, input, { token: me.token }), 'approval_required');
  return (details as { display: Display }).display;
}

describe('a question on what is only read', () => {
  const MAIL = expect.stringMatching(/^Mail: The plan \(from .+\)$/);
  const cases: [action: string, input: () => object, title: string, lines: unknown[]][] = [
    ['mail.search', () => ({}), 'Search mail', ['Words searched for: None: all mail', 'At most: 10 mails']],
    [
      'mail.search',
      () => ({ query: 'from:ana', max: 1, page: 'abc' }),
      'Search mail',
      ['Words searched for: from:ana', 'At most: 1 mail', 'Which part: What comes after a part that was read before'],
    ],
    ['mail.read', () => ({ message: id.mail }), 'Read a mail', [MAIL]],
    ['mail.read', () => ({ message: 'abc' }), 'Read a mail', ['Mail: A mail that does not exist']],
    [
      'mail.read',
      () => ({ thread: id.thread, offset: 5 }),
      'Read a conversation',
      [
        expect.stringMatching(/^Conversation: The plan \(from .+, \d+ mails?\)$/),
        'Which part: What comes after a part that was read before',
      ],
    ],
    [
      'mail.attachment',
      () => ({ message: id.mail, attachment: id.attachment }),
      'Read an attachment',
      ['Attachment: plan.txt (text file, 6 bytes)', MAIL],
    ],
    ['mail.drafts', () => ({ max: 5 }), 'List drafts', ['Words searched for: None: all drafts', 'At most: 5 drafts']],
    ['mail.labels', () => ({}), 'List labels', []],
    [
      'calendar.list',
      () => ({ from: '2027-03-22', to: '2027-03-28', query: 'lunch' }),
      'List events',
      ['Words searched for: lunch', 'When: Mon, 22 Mar 2027 to Sun, 28 Mar 2027', 'At most: 50 events'],
    ],
    ['calendar.get', () => ({ id: id.event }), 'Read an event', ['Event: Lunch', 'When: Mon, 22 Mar 2027, 12:00–13:00 Berlin time']],
    ['calendar.get', () => ({ id: 'missing' }), 'Read an event', ['Event: Its name could not be read']],
    [
      'calendar.free',
      () => ({
        from: '2027-03-22T09:00',
        to: '2027-03-22T18:00',
        zone: 'Asia/Tokyo',
        day_start: '09:00',
        day_end: '17:00',
        weekdays: ['MO', 'FR'],
      }),
      'Find free time',
      [
        'When: Mon, 22 Mar 2027, 09:00–18:00 Tokyo time',
        'At least: 30 minutes',
        'Hours of the day: 09:00 to 17:00',
        'Days: Monday and Friday',
      ],
    ],
    [
      'calendar.busy',
      () => ({ people: ['ana@example.org'], from: '2027-03-22', to: '2027-03-22' }),
      'See when people are busy',
      ['People: ana@example.org', 'When: Mon, 22 Mar 2027'],
    ],
    ['documents.read', () => ({ id: id.document, offset: 0 }), 'Read a document', ['Document: Notes (document)']],
    [
      'drive.search',
      () => ({ type: 'pdf', folder: id.folder }),
      'Search files',
      ['Words searched for: None: all files', 'Only: PDFs', 'Only in the folder: Plans', 'At most: 20 files'],
    ],
    [
      'drive.search',
      () => ({ query: 'plan', folder: 'root' }),
      'Search files',
      ['Words searched for: plan', 'Only in the folder: My Drive', 'At most: 20 files'],
    ],
    ['drive.info', () => ({ id: id.folder }), 'Look at a file', ['File: Plans']],
    ['drive.read', () => ({ id: id.file }), 'Read a file', ['File: Budget.csv (text file)']],
    ['drive.read', () => ({ id: 'missing' }), 'Read a file', ['File: Its name could not be read']],
    ['drive.permissions', () => ({ id: id.file }), 'See who has access to a file', ['File: Budget.csv (text file)']],
    ['spreadsheets.info', () => ({ id: id.sheet }), 'Look at a spreadsheet', [expect.stringMatching(/^Spreadsheet: .+ \(spreadsheet\)$/)]],
    [
      'spreadsheets.read',
      () => ({ id: id.sheet, range: 'Budget!A1:F20' }),
      'Read a spreadsheet',
      [expect.stringMatching(/^Spreadsheet: .+ \(spreadsheet\)$/), 'Cells: Budget!A1:F20', 'At most: 200 rows'],
    ],
    [
      'presentations.read',
      () => ({ id: id.slides, slides: [1, 2] }),
      'Read a presentation',
      [expect.stringMatching(/^Presentation: .+ \(presentation\)$/), 'Slides: 1 and 2'],
    ],
    ['bank.balances', () => ({}), 'See balances', [ALL]],
    [
      'bank.balances',
      () => ({ live: true, account_ids: [id.account] }),
      'Ask the bank for balances now',
      [expect.stringMatching(/^Accounts: .*Checking.*$/)],
    ],
    [
      'bank.transactions',
      () => ({ from: '2026-11-01', to: '2026-11-20' }),
      'See transactions',
      [ALL, 'When: Sun, 1 Nov 2026 to Fri, 20 Nov 2026', 'At most: 100 transactions'],
    ],
    [
      'bank.spending',
      () => ({ from: '2026-11-01', to: '2026-11-20', by: 'merchant' }),
      'Add up spending',
      [ALL, 'When: Sun, 1 Nov 2026 to Fri, 20 Nov 2026', 'Grouped by: Merchant', 'At most: 50 sums'],
    ],
    ['bank.changes', () => ({}), 'See new transactions', ['Which part: What is new since the last time', 'At most: 100 changes']],
    ['bank.numbers', () => ({}), 'See account numbers', [ALL]],
  ];

  it.each(cases)('%s names it as a person knows it', async (action, input, title, lines) => {
    const shown = await displayOf(action, input());
    expect([shown.title, ...linesOf(shown)]).toEqual([title, ...lines]);
  });

  it('is there for each built-in action that only reads', () => {
    const reading = [...BUILT_INS.values()].filter(({ effect }) => effect === 'read').map(({ name }) => name);
    expect([...new Set(cases.map(([action]) => action))].sort()).toEqual(reading.sort());
  });

  it('tells a client nothing of the names', async () => {
    const body = JSON.stringify({ name: 'script', actions: ['*'], access: 'write' });
    const headers = { 'content-type': 'application/json' };
    const { token } = (await steward.call('/tokens', { token: me.token, body, headers })).body;
    const asked = await steward.call('/agents/drive.read', { token: `Bearer ${token}`, body: JSON.stringify({ id: id.file }), headers });
    expect(asked.body.code).toBe('approval_required');
    expect(JSON.stringify(asked.body)).not.toContain('Budget.csv');
  });
});
