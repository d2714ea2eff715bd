import { counted, english } from '../english.js';
import { WEEKDAYS } from './recurrence.js';

/** Texts of questions on what is only read. */

/** What is read, where that is not as the action is called. Each takes `{input}`. */
export const READ_TITLES = {
  'mail.read': ({ input }) => (input.thread === undefined ? 'Read a mail' : 'Read a conversation'),
  'bank.balances': ({ input }) => (input.live ? 'Ask the bank for balances now' : 'See balances'),
};

/** Names of fields. */
export const READ_LABELS = {
  accounts: 'Accounts',
  attachment: 'Attachment',
  document: 'Document',
  event: 'Event',
  file: 'File',
  folder: 'Only in the folder',
  from: 'From',
  to: 'To',
  group: 'Grouped by',
  hours: 'Hours of the day',
  kind: 'Only',
  length: 'At least',
  mail: 'Mail',
  most: 'At most',
  part: 'Which part',
  people: 'People',
  presentation: 'Presentation',
  range: 'Cells',
  slides: 'Slides',
  spreadsheet: 'Spreadsheet',
  tab: 'Tab',
  thread: 'Conversation',
  weekdays: 'Days',
  when: 'When',
  words: 'Words searched for',
  zone: 'Time zone',
};

/** Where no words are searched for. */
export const ALL = { mails: 'None: all mail', drafts: 'None: all drafts', events: 'None: all events', files: 'None: all files' };
export const ALL_ACCOUNTS = 'All that are connected';
export const FIRST_TAB = 'All of the first tab, as far as it fits';

/** “10 mails”. */
export const MOST = {
  mails: (count) => counted(count, '1 mail', (many) => `${many} mails`),
  drafts: (count) => counted(count, '1 draft', (many) => `${many} drafts`),
  events: (count) => counted(count, '1 event', (many) => `${many} events`),
  files: (count) => counted(count, '1 file', (many) => `${many} files`),
  rows: (count) => counted(count, '1 row', (many) => `${many} rows`),
  transactions: (count) => counted(count, '1 transaction', (many) => `${many} transactions`),
  sums: (count) => counted(count, '1 sum', (many) => `${many} sums`),
  changes: (count) => counted(count, '1 change', (many) => `${many} changes`),
};

/** Which part of something long. */
export const PARTS = {
  next: 'What comes after a part that was read before',
  fromSlide: (number) => `From slide ${number} on`,
  new: 'What is new since the last time',
  beginning: 'Everything, from the beginning',
};

export const GROUPS = { category: 'Category', merchant: 'Merchant' };
export const KINDS = {
  document: 'Documents',
  spreadsheet: 'Spreadsheets',
  presentation: 'Presentations',
  folder: 'Folders',
  pdf: 'PDFs',
  image: 'Images',
  text: 'Text files',
};

/** “09:00 to 17:00”. */
export const hours = (from, to) => `${from} to ${to}`;
export const minutes = (count) => counted(count, '1 minute', (many) => `${many} minutes`);
/** “Monday and Friday” of MO, FR. */
export const weekdays = (days) => english.list(days.map((day) => WEEKDAYS[day] ?? day));
export const slides = (numbers) => english.list(numbers.map(String));
/** In place of what can't be named. */
export const unnamed = (count) => counted(count, 'Its name could not be read', (many) => `${many} whose names could not be read`);
