import { counted, english } from '../english.js';
import { plainWords } from '../names.js';

/** The texts of questions: what is asked about, who sees it, and what deserves attention. */

const some = (list, one, many) => (list.length === 0 ? [] : [counted(list.length, one, (count) => `${count} ${many}`)]);

/** What a call does, by its built-in action. Each takes `{input, shown}`. */
export const TITLES = {
  'automations.propose': () => 'Make an automation',
  'mail.send': ({ input }) => (input.reply_to === undefined ? 'Send a mail' : 'Reply to a mail'),
  'mail.draft': ({ input }) => (input.reply_to === undefined ? 'Save a draft of a mail' : 'Save a draft of a reply'),
  'mail.draft_update': () => 'Change a draft',
  'mail.draft_send': () => 'Send a draft',
  'mail.draft_delete': () => 'Delete a draft for good',
  'mail.save_attachment': () => 'Save an attachment',
  'mail.label': ({ input }) => counted(input.ids.length, 'Label a mail', (count) => `Label ${count} mails`),
  'mail.trash': ({ input }) =>
    `Move ${english.list([...some(input.ids, 'a mail', 'mails'), ...some(input.threads, 'a conversation', 'conversations')])} to the trash`,
  'mail.untrash': ({ input }) =>
    counted(input.ids.length, 'Take a mail out of the trash', (count) => `Take ${count} mails out of the trash`),
  'calendar.create': ({ input }) => (input.recurrence === undefined ? 'Create an event' : 'Create a series of events'),
  'calendar.update': (about) => `Change ${eventOf(about)}`,
  'calendar.delete': (about) => `Delete ${eventOf(about)}`,
  'calendar.restore': () => 'Restore a deleted event',
  'calendar.respond': ({ input }) => `${ANSWERS[input.answer]}${input.scope === 'series' ? ' to a series of events' : ''}`,
  'documents.create': () => 'Create a document',
  'documents.append': () => 'Add text to a document',
  'documents.replace': ({ input }) => (input.replace === '' ? 'Delete text from a document' : 'Replace text in a document'),
  'drive.create': ({ input }) => (input.type === 'folder' ? 'Create a folder' : 'Create a file'),
  'drive.copy': () => 'Copy a file',
  'drive.move': ({ shown }) => (isFolder(shown) ? 'Move a folder' : 'Move a file'),
  'drive.rename': ({ shown }) => (isFolder(shown) ? 'Rename a folder' : 'Rename a file'),
  'drive.trash': ({ shown }) => (isFolder(shown) ? 'Move a folder to the trash' : 'Move a file to the trash'),
  'drive.untrash': ({ shown }) => (isFolder(shown) ? 'Take a folder out of the trash' : 'Take a file out of the trash'),
  'drive.share': ({ shown }) => (isFolder(shown) ? 'Share a folder' : 'Share a file'),
  'drive.unshare': ({ shown }) => (isFolder(shown) ? 'Take away access to a folder' : 'Take away access to a file'),
};

const ANSWERS = {
  accepted: 'Accept an invitation',
  declined: 'Decline an invitation',
  tentative: 'Answer an invitation with “maybe”',
  none: 'Withdraw the answer to an invitation',
};

const eventOf = ({ input, shown }) => {
  if (input.scope === 'series') return 'a series of events';
  return shown.event?.isOfSeries ? 'one event of a series' : 'an event';
};

const isFolder = (shown) => shown.items?.id?.[0]?.type === 'folder';

/** Names of fields that aren't the argument's own name in words. */
export const LABELS = {
  bcc: 'Bcc',
  cc: 'Cc',
  to: 'To',
  from: 'From',
  sender: 'Sent by',
  'reply-to': 'Answers go to',
  subject: 'Subject',
  body: 'Text',
  text: 'Text',
  attachments: 'Attachments',
  headers: 'Further header fields',
  messages: 'Mails',
  threads: 'Whole conversations',
  add: 'Labels added',
  remove: 'Labels removed',
  file: 'File',
  ofFolder: 'Folder, with all that is in it',
  attachment: 'Attachment',
  draft: 'Draft',
  folder: 'Into the folder',
  name: 'Name',
  newName: 'New name',
  type: 'Kind',
  content: 'Content',
  ofDocument: 'Document',
  appended: 'Text added at the end',
  replaced: 'Text replaced',
  deleted: 'Text deleted',
  everywhere: 'Everywhere in',
  tab: 'Tab',
  case: 'Capitals',
  title: 'Title',
  event: 'Event',
  when: 'When',
  repeats: 'Repeats',
  place: 'Place',
  description: 'Description',
  guests: 'Guests',
  guestsBefore: 'Guests until now',
  invited: 'Invited',
  uninvited: 'Uninvited',
  organizer: 'Organizer',
  meeting: 'Video meeting',
  notify: 'Mail to them',
  comment: 'Your comment',
  answer: 'Your answer',
  reads: 'Those invited also read',
  stays: 'Restored with it',
  resets: 'Events of the series',
  sharing: 'Others in your calendar',
  shareWith: 'With',
  role: 'They may',
  access: 'Access that ends',
  who: 'Who loses access',
  summary: 'In short',
  inbox: 'Back to the inbox',
  rest: 'More',
  /** What a call is about, in the evidence. */
  thing: 'Its name',
};

/** Labels of arguments in the form in which they are changed, where they differ. */
const FORM_LABELS = {
  add: 'Labels to add',
  remove: 'Labels to remove',
  add_attendees: 'Invite',
  remove_attendees: 'Uninvite',
  attendees: 'Guests',
  email: 'With',
  end: 'Ends',
  end_zone: 'Time zone of the end',
  find: 'Text to find',
  location: 'Place',
  match_case: 'Only text with the same capitals',
  max: 'At most',
  by: 'Grouped by',
  account_ids: 'Accounts',
  notify: 'Tell them by mail',
  recurrence: 'Repeats',
  replace: 'Text in its place',
  scope: 'Which events',
  start: 'Starts',
  zone: 'Time zone',
};

const DETAIL_NAMES = new Map(Object.entries({ ...LABELS, ...FORM_LABELS }));

/** One of the values that an argument may have. */
export const detailValue = (value) => (typeof value === 'string' ? plainWords(value) : String(value));

/** What an argument is called where it is not shown as the thing itself. */
export function detailName(name) {
  return DETAIL_NAMES.get(name) ?? plainWords(name);
}

export const REST = 'Not all is shown here: the rest is among the exact details.';
export const YES = 'Yes';
export const NO = 'No';

export const NOTIFY = {
  nobody: 'Nobody to notify',
  mailed: 'They are told by mail',
  silent: 'No mail: they see it in their calendars',
  organizerMailed: 'The organizer is told by mail',
  organizerSilent: 'No mail: the organizer sees it in the calendar',
  fileMailed: 'They are told by mail',
  fileSilent: 'No mail',
};

export const ROLES = {
  reader: 'Read it',
  commenter: 'Read it and comment',
  writer: 'Read and change it',
  fileOrganizer: 'Read, change and move it',
  organizer: 'Manage it',
  owner: 'Own it',
};
export const RESPONSES = { accepted: 'Yes', declined: 'No', tentative: 'Maybe', none: 'No answer' };
export const SHARING = {
  private: 'If you share your calendar, the others see only the time',
  shared: 'If you share your calendar, the others may see this, too',
};
export const WHOLE_DOCUMENT = 'The whole document';
export const MATCH_CASE = { true: 'Only text with the same capitals', false: 'Text with any capitals' };
export const resets = (count) =>
  counted(count, 'What was changed in 1 event of it may be reset', (many) => `What was changed in ${many} events of it may be reset`);
export const READS = {
  place: () => 'Place',
  description: () => 'Description',
  file: () => 'File',
  comment: (who) => `Comment of ${who}`,
  event: () => 'One of its events',
  more: () => 'More of its events have texts of their own',
};
export const possiblyOthers = 'Possibly others: not all could be read';
export const attachedText = (name) => `Content of “${name}”`;

/** In place of the name of a mail. */
export const UNNAMED_MAIL = {
  missing: 'A mail that does not exist',
  unread: 'A mail that could not be read',
  noSubject: '(no subject)',
};
/** Where a call empties a field, or leaves it empty. */
export const EMPTY = 'Empty';
export const NOBODY = 'Nobody';
export const NOTHING = 'Nothing';
export const SAME_SUBJECT = 'That of the mail that it answers';
export const unnamedFiles = (count) =>
  counted(count, '1 file from Drive, whose name could not be read', (many) => `${many} files from Drive, whose names could not be read`);

/** Gmail's own labels, as people know them. */
const OWN_LABELS = {
  INBOX: 'Inbox',
  STARRED: 'Starred',
  UNREAD: 'Unread',
  IMPORTANT: 'Important',
  SENT: 'Sent',
  DRAFT: 'Drafts',
  SPAM: 'Spam',
  TRASH: 'Trash',
  CHAT: 'Chat',
  CATEGORY_PERSONAL: 'Primary',
  CATEGORY_SOCIAL: 'Social',
  CATEGORY_PROMOTIONS: 'Promotions',
  CATEGORY_UPDATES: 'Updates',
  CATEGORY_FORUMS: 'Forums',
};
const REMOVED_LABELS = {
  INBOX: 'Inbox (they move to the archive)',
  UNREAD: 'Unread (they are marked as read)',
  TRASH: 'Trash (they are restored)',
};
/** “Starred” of STARRED. @param how `add` or `remove` */
export function labelName(label, how) {
  const names = how === 'remove' ? { ...OWN_LABELS, ...REMOVED_LABELS } : OWN_LABELS;
  return Object.hasOwn(names, label) ? names[label] : label;
}

export const mails = (count) => counted(count, '1 mail', (many) => `${many} mails`);

/**
 * “spreadsheet”; “PDF, 20 kB”; “from Ana <ana@example.org>”.
 *
 * @param {{ type?: string | undefined, bytes?: number | undefined, from?: string | undefined, to?: string | undefined, messages?: number | undefined, isPart?: boolean | undefined }} item
 */
export function itemNote({ type, bytes, from, to, messages, isPart }) {
  const parts = [
    type === undefined ? undefined : typeName(type),
    from === undefined ? undefined : `from ${from}`,
    to === undefined ? undefined : `to ${to}`,
    bytes === undefined ? undefined : english.bytes(bytes),
    messages === undefined ? undefined : mails(messages),
    isPart ? 'only a part of what it holds could be read, and it may change until then' : undefined,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

const TYPES = {
  folder: '',
  text: 'text file',
  pdf: 'PDF',
  'text/plain': 'text file',
  'text/html': 'web page',
  'text/csv': 'table (CSV)',
  'text/markdown': 'text file',
  'text/calendar': 'invitation',
  'application/pdf': 'PDF',
  'application/json': 'JSON data',
  'application/zip': 'archive (ZIP)',
  'application/msword': 'Word document',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word document',
  'application/vnd.ms-excel': 'Excel spreadsheet',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel spreadsheet',
  'application/vnd.ms-powerpoint': 'PowerPoint presentation',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PowerPoint presentation',
  'application/octet-stream': 'file',
  'message/rfc822': 'mail',
};
/** “image” of `image/png`. One without a word stays as it is. */
function typeName(type) {
  if (Object.hasOwn(TYPES, type)) return TYPES[type];
  return /^(image|audio|video)\/[\w.+-]+$/.exec(type)?.[1] ?? type;
}
/** What is created, by the argument. */
export const NEW_TYPES = { markdown: 'Text with formatting (Markdown)', csv: 'Table (CSV)', html: 'Web page (HTML)', json: 'JSON data' };

/** How the user knows those who see it. */
export const RELATIONS = {
  own: 'Your own account',
  written_to: 'You have written to them',
  new: 'New to you',
  unchecked: 'Not known to Steward',
};
export const VIEWERS = {
  anyone: { name: 'Anyone with the link', relation: 'Public' },
  unknown: { name: 'Possibly others', relation: 'It could not be read who' },
  domain: 'Everyone there',
  group: 'A group',
  service: 'Receives the details below',
};
export const typed = (relation) => `${relation}, named by you here`;

/** One line on what deserves attention. */
export const RISKS = {
  matches: ({ addresses, passages, source }) => {
    const address = addresses === 0 ? '' : counted(addresses, 'the address', (count) => `${count} addresses`);
    const passage = passages === 0 ? '' : counted(passages, '1 passage', (count) => `${count} passages`);
    const what = [address, passage].filter(Boolean).join(' and ');
    const verb = addresses + passages === 1 ? 'comes' : 'come';
    return `${what.charAt(0).toUpperCase()}${what.slice(1)} ${verb} from ${source}.`;
  },
  things: ({ name, more, source }) =>
    more === 0 ? `${name} is named in ${source}.` : `${name} and ${more} more of these are named in ${source}.`,
  strangers: (named, unchecked) =>
    unchecked === 0
      ? `You have not written to ${named} before.`
      : `You have not written to ${named} before, and ${counted(unchecked, '1 other was', (count) => `${count} others were`)} not checked.`,
  unchecked: (named) => `It was not checked whether you have written to ${named} before.`,
  anyone: 'Anyone with the link will see this.',
  unknown: 'It could not be read who else will see this.',
  groups: (named) => `Everyone in ${named} will see this.`,
  services: (named) => `${named} will receive these details.`,
  lookalikes: (named) => `${named} has letters of another alphabet: it may only look like an address that you know.`,
};
const written = (author) => (author === undefined ? 'text that was read before' : `what ${author} wrote`);

/** Further sentences that deserve attention, beside those of RISKS. */
export const NOTICES = {
  read: (authors) => `Before this, text by ${authors} was read. It may have caused this request.`,
  others: 'others',
  writtenAfter: 'What this is about was written after text of others was read.',
  bank: 'Before this, data of a bank was read.',
  elsewhere: (service) => `Before this, something of yours was read that ${service} does not know. The details may repeat it.`,
  listed: (shown, all) => `${english.number(shown)} of ${english.number(all)} sources that were read before are listed, the newest.`,
  redefined: 'The tool that this uses has changed since you were first asked.',
  changedHere: (time) => `This conversation changed what this is about, or put something into it, at ${time}.`,
  changedByApp: (time) => `The app that asks changed what this is about, or put something into it, at ${time}.`,
  /** Each in quotation marks; the author is not always known. */
  repeats: ({ field, text, author }) => `The text of ${field} repeats ${written(author)}: ${text}.`,
  named: ({ text, author }) => `What this is about is named in ${written(author)}: ${text}.`,
  incomplete: 'The details are too long to show every part that repeats what was read before.',
  more: (count) => `${english.number(count)} more`,
};

/** Whose text it was: “a mail by Ledger Services”, “mails by 3 people”. */
export function sourceOf(room, authors) {
  const [one] = authors;
  const kind = SOURCES[room] ?? SOURCES.text;
  if (authors.length > 1) return `${kind.many} by ${people(authors.length)}`;
  return one === undefined ? `${kind.one} that others wrote` : `${kind.one} by ${one}`;
}
const SOURCES = {
  mail: { one: 'a mail', many: 'mails' },
  calendar: { one: 'an event', many: 'events' },
  documents: { one: 'a document', many: 'documents' },
  drive: { one: 'a file', many: 'files' },
  text: { one: 'text', many: 'texts' },
};

/** Of Steward's own page. */
export const PAGE = {
  approve: 'Approve',
  approveChanges: 'Approve these changes',
  back: 'Back',
  change: 'Change',
  deny: 'Deny',
  whoSees: 'Who sees it',
  onlyYou: 'Only you.',
  exact: 'Exact details',
  tooLong: 'The details are too long for a page.',
  asJson: 'Change it as JSON',
  json: 'Details as JSON',
  notDone: 'Nothing was done.',
  oneSentence: 'In one sentence',
  repeats: 'These parts repeat what others wrote',
  read: 'Read before this, written by others',
  before: 'Before:',
  after: 'After:',
  nothing: 'Nothing waits for your decision.',
  decided: 'Decided in the last day',
  all: 'All approvals',
  /** Of a text of others: where it was read, by whom it is, its name, and when it was written. */
  from: ', from ',
  writtenBy: ', written by ',
  named: ', named ',
  ofTime: ', of ',
};
export const CHANGE = { required: '(required)', optional: '(optional)', lines: 'One on each line.', none: '(none)' };
export const ASKED_AGAIN = 'Others would see the changed call, or what it is about has changed. This is the new question.';
export const NO_QUESTION = 'There is no such question: it may be of another user, or older than a day.';
export const NO_QUESTION_TITLE = 'Nothing to decide';
/** “Line 2: must be an address.” */
export const lineProblem = (index, problem) => (index === undefined ? sentence(problem) : `Line ${index + 1}: ${problem}.`);
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
export const withAccount = 'With';
export const changeTitle = (title) => `Change: ${title}`;
export const omitted = (count) => `${english.number(count)} more characters are not shown here.`;
export const andMore = (count) => `and ${english.number(count)} more`;

/** “9 minutes left”, “2 days and 23 hours left”. */
export function timeLeft(ms) {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute left';
  if (minutes < 60) return counted(minutes, '1 minute left', (many) => `${many} minutes left`);
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60)];
  const named = [
    ...(days > 0 ? [counted(days, '1 day', (many) => `${many} days`)] : []),
    ...(hours > 0 ? [counted(hours, '1 hour', (many) => `${many} hours`)] : []),
  ];
  return `${english.list(named)} left`;
}

const people = (count) => counted(count, '1 person', (many) => `${many} people`);

/** How many see it: “6 people, 5 new to you.” @param viewers of a question's display @param more that are left out */
export function viewerCount(viewers, more) {
  const found = viewers.filter(({ kind }) => kind === 'person');
  const [count, others] = [found.length + more, viewers.length - found.length];
  const [fresh, unknown] = ['new', 'unknown'].map((wanted) => found.filter(({ tone }) => tone === wanted).length);
  const named = [count > 0 ? people(count) : '', others > 0 ? counted(others, '1 other entry', (many) => `${many} other entries`) : ''];
  const known = [
    fresh > 0 ? `${english.number(fresh)} new to you` : '',
    unknown > 0 ? `${english.number(unknown)} not known to Steward` : '',
  ];
  return `${[named.filter(Boolean).join(' and '), ...known.filter(Boolean)].join(', ')}.`;
}

/** How a question ended, in sentences. */
export const ENDS = {
  approved: (time) => `You approved this on ${time}.`,
  edited: (time) => `You changed and approved this on ${time}.`,
  denied: (time) => `You denied this on ${time}. Nothing was done.`,
  expired: (time) => `Nobody decided on this until ${time}. Nothing was done. To be asked again, repeat it where it was asked for.`,
  ended: (time) => `This could not be decided any more since ${time}. Nothing was done.`,
};
export const END_TITLES = { approved: 'Approved', denied: 'Denied', expired: 'Expired', ended: 'Ended' };
export const END_REASONS = {
  disconnected: 'Its account was disconnected.',
  reconfigured: 'What the action may do was changed on the server.',
  exposed: 'Others would have seen it, or what it was about had changed.',
  revoked: 'The app that asked has no access any more.',
  thread_deleted: 'Its conversation was deleted.',
  read_only: 'Its account was set to read-only.',
};
/** What became of an approved call. */
export const OUTCOMES = {
  running: 'It is running.',
  done: { 'mail.send': 'It was sent.', 'mail.draft_send': 'It was sent.', 'automations.propose': 'It was made.' },
  other: 'It was done.',
};
/** After a decision. */
export const DECIDED = {
  approved: { heading: 'Done', text: 'You approved it, and it was done.' },
  denied: { heading: 'Denied', text: 'You denied it. Nothing was done.' },
};
export const NOT_DONE = { unknown: 'Not known', failed: 'Not done' };
export const KEPT = 'Steward keeps this for a day; the activity has all decisions.';

/** Of the page of one question. */
export const QUESTION_PAGE = {
  title: 'Approvals',
  until: ', until ',
  stillWaits: 'It still waits for your decision. ',
  backToIt: 'Back to the question',
  askedByApp: 'Asked by an app that calls itself ',
  askedByToken: 'Asked by your token ',
  askedByAssistant: 'Asked by your assistant in a conversation.',
  askedByAutomation: 'Asked by your automation ',
  askedByAnAutomation: 'Asked by one of your automations',
  askedOn: ' on ',
  ofYou: 'your own front ends',
  ofAssistant: 'your assistant, in any conversation,',
  tooLongToChange: 'The details are too long to be changed on this page.',
  /** Before and after an example. */
  hiddenCharacters: ['Hidden characters are written as ', '. If others would see the changed call, you are asked again before it runs.'],
};

/** Allowing calls like it in advance. */
export const REMEMBER = {
  label: 'Allow calls like this without asking',
  never: 'No, ask each time',
  days: (count) => counted(count, 'For 1 day', (many) => `For ${many} days`),
  /** Around the title of the question, the account and whose calls. */
  hint: [
    'Calls like ',
    ' with ',
    ' by ',
    ' would then run without a question, whatever they say, if only people listed above see them and they give the same details as this one: the same yes or no, numbers and choices, and no files or lists where this one has none. Where a call puts a file into a folder: into the same folder only.',
  ],
};
