import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_INS } from '../../src/actions/built-ins.ts';
import { startConversation } from '../support/emulators/stand-in-loop.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

const id = expect.any(String);
const day = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/);
const at = (time: string) => expect.stringMatching(new RegExp(`^\\d{4}-\\d{2}-\\d{2}T${time}$`));
const BUDGET = 'the spreadsheet Household budget';

/** Tool → what is said, and the arguments of the last call. */
const SAID: Record<string, [said: string[], args: object]> = {
  automations_propose: [
    ['Every weekday at 8, brief me on my mail and meetings.'],
    { name: expect.any(String), every: 'weekday', at: '08:00', time_zone: 'UTC', prompt: expect.any(String), actions: expect.any(Array) },
  ],
  mail_search: [['Find the newest mail from Ana.'], { query: 'from:Ana', max: 1 }],
  mail_read: [['Find the newest mail from Ana', 'Read it.'], { message: id }],
  mail_attachment: [['Read the attachment of the mail about the budget'], { message: id, attachment: id }],
  mail_save_attachment: [
    ['Save the attachment of the mail about the budget in the folder Recipes'],
    { message: id, attachment: id, folder: id },
  ],
  mail_labels: [['List my labels'], {}],
  mail_draft: [
    ['Draft a mail to bob@example.com about lunch: Shall we meet at noon?'],
    { to: ['bob@example.com'], subject: 'lunch', body: 'Shall we meet at noon?' },
  ],
  mail_drafts: [['Show me my drafts'], {}],
  mail_draft_update: [
    ['Draft a mail to bob@example.com about lunch: At noon?', 'Change the draft about lunch: At one?'],
    { id, body: 'At one?' },
  ],
  mail_draft_send: [['Draft a mail to bob@example.com about lunch: At noon?', 'Send my draft about lunch.'], { id }],
  mail_draft_delete: [['Draft a mail to bob@example.com about lunch: At noon?', 'Discard the draft about lunch.'], { id }],
  mail_send: [
    ['Please write to Sarah about the offsite: See you there, and thank you.'],
    { to: ['sarah.oconnor@example.net'], subject: 'the offsite', body: 'See you there, and thank you.' },
  ],
  mail_label: [['Archive the mail from the Bookshop'], { ids: [id], remove: ['INBOX'] }],
  mail_trash: [['Move the mail from the Gym to the trash'], { ids: [id] }],
  mail_untrash: [['Delete the mail from the Gym', 'Restore it'], { ids: [id], inbox: [id] }],
  calendar_list: [['What is on my calendar next week?'], { from: day, to: day }],
  calendar_get: [['Read the event Jour fixe'], { id }],
  calendar_free: [['Am I free on Tuesday at ten?'], { from: day, to: day }],
  calendar_busy: [['When is ana.mueller@example.org busy next week?'], { people: ['ana.mueller@example.org'], from: day, to: day }],
  calendar_create: [
    ['Create an event “Planning” tomorrow from 10:00 to 11:30 with bob@example.com'],
    { title: 'Planning', start: at('10:00'), end: at('11:30'), attendees: ['bob@example.com'] },
  ],
  calendar_update: [['Invite bob@example.com to the event Jour fixe'], { id, add_attendees: ['bob@example.com'] }],
  calendar_respond: [['Decline the invitation Supplier review'], { id, answer: 'declined' }],
  calendar_delete: [['Delete the event Inventur'], { id }],
  calendar_restore: [['Delete the event Inventur', 'Restore the event'], { id }],
  documents_read: [['Read the document Offsite plan'], { id }],
  documents_create: [['Create a document “Ideas”: One, two.'], { title: 'Ideas', text: 'One, two.' }],
  documents_append: [['Append “Bring a coat.” to the document Offsite plan'], { id, text: 'Bring a coat.' }],
  documents_replace: [['Replace “May” with “June” in the document Harbour brief'], { id, find: 'May', replace: 'June' }],
  drive_search: [['Find the spreadsheet Household budget'], { query: 'Household budget', type: 'spreadsheet' }],
  drive_info: [['Show the details of the file Floor plan'], { id }],
  drive_read: [['Read the file Käsespätzle'], { id }],
  drive_permissions: [['Who has access to the file Shared checklist?'], { id }],
  drive_create: [['Create a folder “Trips”'], { name: 'Trips', type: 'folder' }],
  drive_copy: [['Copy the file Budget.csv as Budget 2027.csv'], { id, name: 'Budget 2027.csv' }],
  drive_move: [['Move the file Chronicle.txt into the folder Recipes'], { id, folder: id }],
  drive_rename: [['Rename the file Old protocol.txt to Protocol 2020.txt'], { id, name: 'Protocol 2020.txt' }],
  drive_trash: [['Move the file Server.log to the trash'], { id }],
  drive_untrash: [['Delete the file Server.log', 'Restore the file'], { id }],
  drive_share: [
    ['Share the file Budget.csv with ana.mueller@example.org so that she can edit it'],
    { id, email: 'ana.mueller@example.org', role: 'writer' },
  ],
  drive_unshare: [
    ['Share the file Budget.csv with bob@example.com', 'Stop sharing the file Budget.csv with bob@example.com'],
    { id, who: 'bob@example.com' },
  ],
  spreadsheets_info: [[`Which tabs does ${BUDGET} have?`], { id }],
  spreadsheets_read: [[`Read the range A1:C5 of ${BUDGET}`], { id, range: 'A1:C5' }],
  presentations_read: [['Show slide 2 of the presentation Quarterly review'], { id, slides: [2] }],
  bank_balances: [['What is my balance?'], {}],
  bank_transactions: [['Show my last five transactions'], { max: 5 }],
  bank_spending: [['What did I spend on groceries in the last 30 days?'], { from: day, to: day, by: 'merchant' }],
  bank_changes: [['What is new at my bank?'], { cursor: expect.any(String) }],
  bank_numbers: [['What are my account numbers?'], {}],
};

let steward: TestSteward;
/** A conversation for each agent, since what is read of a bank may not be sent in the same one. */
const talks = new Map<string, ReturnType<typeof startConversation>>();

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

describe('the stand-in for a language model', () => {
  it('has a sentence for every built-in action', () => {
    expect(Object.keys(SAID).sort()).toEqual([...BUILT_INS.keys()].map((name) => name.replace('.', '_')).sort());
  });

  it.each(Object.entries(SAID))('calls %s, which the service runs', async (tool, [said, args]) => {
    const agent = tool.split('_', 1)[0] ?? '';
    talks.set(agent, talks.get(agent) ?? startConversation(steward, { bank: agent === 'bank' }));
    const talk = await talks.get(agent)!;
    const turns = [];
    for (const one of said) turns.push(await talk.say(one));
    const calls = turns.flatMap((turn) => turn.calls);
    expect(calls.map(({ status, body }) => (status === 200 ? 'ran' : `${body.code}: ${body.message}`))).toEqual(calls.map(() => 'ran'));
    expect(calls.findLast((call) => call.tool === tool)?.args).toEqual(args);
    const answer = turns.at(-1)?.answer ?? '';
    expect(answer).not.toMatch(/undefined|\[object|I did not understand|I found no/);
  });
});
