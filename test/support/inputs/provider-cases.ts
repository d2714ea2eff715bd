import { BYTES, many, NAME, nested, TEXT } from '../servers/hostile-responses.ts';

/** The input of a built-in action, and templates of the provider's responses by the end of their path. */
export interface Case {
  input: object;
  responses: Record<string, unknown>;
}

const ID = 'a'.repeat(30);
const GROUP = nested('{"elementGroup":{"children":[', ']}}');
const headers = many({ name: 'Subject', value: TEXT });
const part = { partId: '0', mimeType: 'text/html', headers: [{ name: 'Content-Type', value: TEXT }], body: { size: 9, data: BYTES } };
const attached = { partId: '1', mimeType: 'text/plain', filename: TEXT, body: { size: 9, attachmentId: 'at' } };
const payload = {
  mimeType: 'multipart/mixed',
  headers,
  body: { size: 0 },
  parts: [attached, nested('{"mimeType":"multipart/alternative","parts":[', ']}'), { mimeType: 'multipart/mixed', parts: many(part) }],
};
const message = { id: 'm1', threadId: 't1', labelIds: many('L'), snippet: TEXT, internalDate: '1700000000000', payload };
const thread = { id: 't1', messages: many(message) };
const toAnaOnly = [
  { name: 'To', value: 'ana@example.org' },
  { name: 'Subject', value: TEXT },
];
const ownDraft = { id: 'r1', message: { ...message, payload: { ...payload, headers: toAnaOnly }, raw: BYTES } };
const labels = { labels: many({ id: NAME, name: TEXT, type: 'user' }) };
const sent = { id: 'm1', threadId: 't1', message: { id: 'm1', threadId: 't1' } };
const mail = {
  '/messages': { messages: many({ id: 'm1' }), nextPageToken: 'n' },
  '/messages/m1': message,
  '/messages/m1/attachments/at': { data: BYTES },
  '/threads/t1': thread,
  '/labels': labels,
  '/drafts': { ...sent, drafts: many({ id: 'r1', message: { id: 'm1' } }) },
  '/drafts/r1': { id: 'r1', message: { ...message, payload: { ...payload, headers: many({ name: 'To', value: TEXT }) } } },
  '/drafts/send': sent,
  '/messages/send': sent,
  '/messages/batchModify': {},
  '/messages/m1/trash': { id: 'm1' },
  '/threads/t1/trash': { id: 't1' },
};

const at = (dateTime: string) => ({ dateTime, timeZone: NAME });
const event = {
  ...{
    id: 'e1',
    status: 'confirmed',
    summary: TEXT,
    description: TEXT,
    location: TEXT,
    start: at('2027-03-01T09:00:00'),
    end: at('2027-03-01T10:00:00'),
  },
  ...{ iCalUID: 'u1', organizer: { email: TEXT }, attendees: many({ email: TEXT, displayName: TEXT, self: true }) },
  conferenceData: { entryPoints: many({ entryPointType: 'video', uri: TEXT }) },
};
const calendar = { '/events': { ...event, timeZone: 'UTC', items: many(event) }, '/events/e1': event };

const run = { textRun: { content: TEXT, textStyle: { bold: true, link: { url: TEXT } } } };
const tables = nested('{"table":{"tableRows":[{"tableCells":[{"content":[', ']}]}]}}');
const cells = { table: { tableRows: many({ tableCells: many({ content: [{ paragraph: { elements: many(run) } }] }) }) } };
const content = [{ paragraph: { elements: many(run) } }, cells, tables];
const objects = { inlineObjectElement: { inlineObjectId: 'o' } };
const cited = [{ paragraph: { elements: [{ footnoteReference: { footnoteId: 'n', footnoteNumber: '1' } }, objects, run] } }];
const margin = { content: [{ paragraph: { elements: many(run) } }] };
const documentTab = {
  ...{ body: { content: [...content, ...cited] }, lists: {}, headers: { h: margin }, footers: { f: margin }, footnotes: { n: margin } },
  inlineObjects: { o: { inlineObjectProperties: { embeddedObject: { title: TEXT, description: TEXT } } } },
};
const tab = { tabProperties: { tabId: 't.0', title: TEXT }, documentTab };
const document = {
  '/v1/documents': { documentId: ID },
  [`/documents/${ID}`]: { documentId: ID, title: TEXT, revisionId: 'r', tabs: [tab, { ...tab, childTabs: many(tab) }] },
  [`/documents/${ID}:batchUpdate`]: { replies: many({ replaceAllText: { occurrencesChanged: 1 } }) },
};

const person = { type: TEXT, role: TEXT, emailAddress: TEXT };
const shown = {
  id: ID,
  name: TEXT,
  modifiedTime: '2027-03-01T09:00:00Z',
  parents: many(ID),
  owners: many({ emailAddress: TEXT, displayName: TEXT }),
};
const file = { ...shown, mimeType: 'text/plain', size: '9', description: TEXT, permissions: many(person) };
const folder = { ...shown, mimeType: 'application/vnd.google-apps.folder' };
/** A change reads how the document is shared, too. */
const sharedDocument = { ...document, [`/files/${ID}`]: { ...file, mimeType: 'application/vnd.google-apps.document' } };
const drive = {
  '/drive/v3/files': { ...file, files: many(file) },
  [`/files/${ID}`]: file,
  [`/files/${ID}?media`]: TEXT,
  [`/files/${ID}/copy`]: file,
  [`/files/${ID}/permissions`]: { id: 'p1', role: 'reader', emailAddress: TEXT },
  '/files/folder': folder,
};
const granted = {
  type: TEXT,
  role: TEXT,
  emailAddress: TEXT,
  displayName: TEXT,
  permissionDetails: many({ inherited: false, inheritedFrom: TEXT }),
};
const mine = { id: 'p1', type: 'user', role: 'reader', emailAddress: 'ana@example.org' };
const permissions = {
  ...drive,
  [`/files/${ID}/permissions`]: { permissions: [mine, { id: 'p2', ...granted }] },
  [`/files/${ID}/permissions/p1`]: {},
};

const sheet = { properties: { title: TEXT, sheetType: TEXT, gridProperties: { rowCount: 1, columnCount: 1 } } };
const sheets = {
  [`/spreadsheets/${ID}`]: { properties: { title: TEXT, locale: TEXT, timeZone: TEXT }, sheets: many(sheet) },
  '/values/A1%3AZ201': { range: 'Tab!A1:Z201', values: many(many(TEXT)) },
};
const runs = { textElements: many({ textRun: { content: TEXT } }) };
const elements = [
  { shape: { text: runs } },
  { table: { tableRows: many({ tableCells: many({ text: runs }) }) } },
  { wordArt: { renderedText: TEXT }, title: TEXT, description: TEXT },
  { elementGroup: { children: [{ table: { tableRows: [{ tableCells: [{ text: runs }] }] } }, GROUP] } },
];
const notes = { notesProperties: { speakerNotesObjectId: 'n' }, pageElements: [{ objectId: 'n', shape: { text: runs } }] };
const slide = { pageElements: elements, slideProperties: { notesPage: notes } };
const slides = { [`/presentations/${ID}`]: { title: TEXT, slides: [slide, { pageElements: many({ shape: { text: runs } }) }] } };

const account = {
  account_id: 'a1',
  name: TEXT,
  official_name: TEXT,
  type: 'depository',
  subtype: TEXT,
  mask: TEXT,
  balances: { current: 1, iso_currency_code: TEXT },
};
const transaction = {
  ...{ transaction_id: 'tr', account_id: 'a1', date: '2027-03-01', name: TEXT, merchant_name: TEXT, amount: 1, pending: false },
  personal_finance_category: { primary: TEXT, detailed: TEXT },
};
const number = { account_id: 'a1', account: '1', routing: '1' };
const numbers = { ach: many(number), eft: [], international: many({ account_id: 'a1', iban: TEXT, bic: TEXT }), bacs: [] };
/** Those of the aggregator. */
export const bank = {
  '/accounts/get': { accounts: many(account) },
  '/accounts/balance/get': { accounts: many(account) },
  '/transactions/get': { accounts: many(account), transactions: many(transaction), total_transactions: 5 },
  '/transactions/sync': {
    added: many(transaction),
    modified: many(transaction),
    removed: many({ transaction_id: 'tr' }),
    next_cursor: 'c',
    has_more: false,
  },
  '/auth/get': { accounts: many(account), numbers },
};

const toAna = { to: ['ana@example.org'], subject: 'Hi', body: 'Hi' };
const range = { from: '2027-03-01', to: '2027-05-01' };
export const CASES: Record<string, Case> = {
  'mail.search': { input: {}, responses: mail },
  'mail.read': { input: { thread: 't1' }, responses: mail },
  'mail.attachment': { input: { message: 'm1', attachment: '1' }, responses: mail },
  'mail.draft': { input: { ...toAna, reply_to: 'm1' }, responses: mail },
  'mail.send': { input: { ...toAna, reply_to: 'm1' }, responses: mail },
  'mail.save_attachment': { input: { message: 'm1', attachment: '1' }, responses: { ...mail, '/upload/drive/v3/files': file } },
  'mail.drafts': { input: {}, responses: mail },
  'mail.draft_update': { input: { id: 'r1', subject: 'x' }, responses: { ...mail, '/drafts/r1': ownDraft } },
  'mail.draft_send': { input: { id: 'r1' }, responses: mail },
  'mail.draft_delete': { input: { id: 'r1' }, responses: mail },
  'mail.untrash': { input: { ids: ['m1'] }, responses: mail },
  'mail.label': { input: { ids: ['m1'], add: ['Name/1'] }, responses: mail },
  'mail.trash': { input: { ids: ['m1'], threads: ['t1'] }, responses: mail },
  'mail.labels': { input: {}, responses: mail },
  'calendar.list': { input: range, responses: calendar },
  'calendar.get': { input: { id: 'e1' }, responses: calendar },
  'calendar.free': { input: range, responses: calendar },
  'calendar.busy': { input: { people: toAna.to, ...range }, responses: calendar },
  'calendar.restore': { input: { id: 'e1' }, responses: { '/events/e1': { ...event, status: 'cancelled' } } },
  'calendar.create': {
    input: { title: 'x', start: '2027-03-01T09:00', end: '2027-03-01T10:00', attendees: toAna.to },
    responses: calendar,
  },
  'calendar.update': { input: { id: 'e1', start: '2027-03-02T09:00', add_attendees: toAna.to }, responses: calendar },
  'calendar.delete': { input: { id: 'e1' }, responses: calendar },
  'calendar.respond': { input: { id: 'e1', answer: 'accepted', comment: 'x' }, responses: calendar },
  'documents.read': { input: { id: ID }, responses: document },
  'documents.create': { input: { title: 'x', text: 'x' }, responses: document },
  'documents.append': { input: { id: ID, text: 'x' }, responses: sharedDocument },
  'documents.replace': { input: { id: ID, find: 'x', replace: 'y' }, responses: sharedDocument },
  'drive.search': { input: {}, responses: drive },
  'drive.info': { input: { id: ID }, responses: drive },
  'drive.read': { input: { id: ID }, responses: drive },
  'drive.create': { input: { name: 'x', content: 'x' }, responses: drive },
  'drive.copy': { input: { id: ID }, responses: drive },
  'drive.move': { input: { id: ID, folder: 'root' }, responses: { ...drive, '/files/root': folder } },
  'drive.rename': { input: { id: ID, name: 'x' }, responses: drive },
  'drive.trash': { input: { id: ID }, responses: drive },
  'drive.untrash': { input: { id: ID }, responses: drive },
  'drive.permissions': { input: { id: ID }, responses: permissions },
  'drive.share': { input: { id: ID, email: 'ana@example.org', role: 'reader' }, responses: drive },
  'drive.unshare': { input: { id: ID, who: 'ana@example.org' }, responses: permissions },
  'spreadsheets.info': { input: { id: ID }, responses: sheets },
  'spreadsheets.read': { input: { id: ID, range: 'A1:Z999' }, responses: sheets },
  'presentations.read': { input: { id: ID }, responses: slides },
  'bank.balances': { input: {}, responses: bank },
  'bank.transactions': { input: range, responses: bank },
  'bank.spending': { input: range, responses: bank },
  'bank.changes': { input: {}, responses: bank },
  'bank.numbers': { input: {}, responses: bank },
};
