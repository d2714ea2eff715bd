/** The texts of the console's questions: the card, its form, the view of the approvals. */

export const QUESTION = {
  named: (name) => `Question: ${name}`,
  needsYou: 'Needs your decision',
  onlyYou: 'Only you see it.',
  whoSees: 'Who sees it',
  details: 'Exact details',
  ownPage: 'Open its own page',
  secondsLeft: (count) => (count === 1 ? '1 second left' : `${count} seconds left`),
  until: (time) => `until ${time}`,
  withAccount: (account) => `with ${account}`,
  askedByApp: 'Asked by an app that calls itself ',
  askedByToken: 'Asked by your token ',
  askedByAutomation: 'Asked by your automation ',
  askedByAnAutomation: 'Asked by one of your automations.',
  evidence: 'Why this needs care',
  more: (count) => `and ${count} more`,
  omitted: (count) => `${count} more characters are in the exact details.`,
  repeats: 'Others wrote this, and it was read before.',
  removed: 'Removed: ',
  added: 'Added: ',
};

export const BUTTONS = {
  deny: 'Deny',
  change: 'Change',
  approve: 'Approve',
  cancel: 'Cancel',
  approveChanged: 'Approve with these changes',
  askAgain: 'Ask again',
  denyAll: 'Deny all',
  back: 'All questions',
  openChat: 'Open the conversation',
};

/** What becomes of a decision while the service can't be reached. */
export const DECISION = {
  notSent: 'Steward can’t be reached. Nothing was sent: decide again when the connection is back.',
  lost: 'The connection was lost. When it is back, you see here whether your decision has arrived.',
  notArrived: 'Your decision has not arrived. Nothing was done: decide again.',
};

export const EVIDENCE = {
  matches: 'Repeats what others wrote',
  read: 'Read before this, written by others',
  inField: (label) => `${label}: `,
  from: ', from ',
};

/** How a question ended. */
export const ENDS = {
  approved: { tag: 'Approved', text: 'You approved this.' },
  edited: { tag: 'Approved with changes', text: 'You approved this with changes.' },
  denied: { tag: 'Denied', text: 'You denied this. Nothing was done.' },
  expired: { tag: 'Expired', text: 'Nobody decided in time. Nothing was done.' },
  ended: { tag: 'Ended', text: 'Something that this depends on has changed. Nothing was done.' },
};

/** What an approved call did, by its action. */
const DONE = {
  'mail.send': 'Sent.',
  'mail.draft_send': 'Sent.',
  'mail.draft': 'The draft is saved.',
  'mail.draft_update': 'The draft is changed.',
  'mail.draft_delete': 'The draft is deleted.',
  'mail.trash': 'In the trash.',
  'calendar.create': 'Created.',
  'calendar.update': 'Changed.',
  'calendar.delete': 'Deleted.',
  'calendar.restore': 'Restored.',
  'calendar.respond': 'Answered.',
  'documents.create': 'Created.',
  'documents.append': 'Added.',
  'documents.replace': 'Replaced.',
  'drive.create': 'Created.',
  'drive.copy': 'Copied.',
  'drive.move': 'Moved.',
  'drive.rename': 'Renamed.',
  'drive.trash': 'In the trash.',
  'drive.share': 'Shared.',
  'drive.unshare': 'No longer shared.',
};

export const doneText = (action) => (Object.hasOwn(DONE, action) ? DONE[action] : 'Done.');

export const CHANGE = {
  tabs: 'How to change it',
  form: 'Form',
  json: 'JSON',
  jsonLabel: 'Exact details as JSON',
  notJson: 'This is not valid JSON.',
  notJsonAt: (line, column) => `This is not valid JSON: look at line ${line}, column ${column}.`,
  notObject: 'This must be a JSON object: { … }.',
};

export const VIEW = {
  title: 'Approvals',
  about: 'What waits for your decision. Nothing of it has run yet.',
  pending: 'Waiting for you',
  question: 'The question',
  none: 'No pending approvals.',
  gone: 'This question is not open any more.',
  endedElsewhere: (names) => `Not open any more: ${names}`,
  next: (count) => (count === 1 ? 'Next question' : `Next question (${count} left)`),
  denyAllTitle: (count) => `Deny all ${count} questions?`,
  denyAllText: 'Nothing of what they ask about will run.',
  denyAllYes: (count) => `Deny all ${count}`,
  /** @param all that were to be denied */
  deniedAll(count, all) {
    if (count === all) return `${count} questions denied. Nothing has run.`;
    if (count === 0) return 'None was denied: these questions are not open any more.';
    return `${count === 1 ? '1 question' : `${count} questions`} denied. The others were not open any more.`;
  },
  caution: 'Needs care',
  approved: 'Approved. The action has run.',
  denied: 'Denied. The action has not run.',
  askedAgain: 'Others would see the changed call, or what it uses has changed, so you are asked again. The action has not run.',
};

export const DECIDED = {
  title: 'Decided',
  about: 'Your decisions of the last day, wherever you made them.',
  none: 'Nothing has been decided in the last day.',
  where: { assistant: 'Your assistant asked', mcp: 'A connected app asked', http: 'You asked', socket: 'You asked' },
  running: 'It is running.',
};

export const REMEMBER = {
  title: 'Don’t ask again for a while',
  label: 'Allow calls like this without asking',
  days: [
    ['', 'No, ask each time'],
    ['1', 'For 1 day'],
    ['7', 'For 7 days'],
    ['30', 'For 30 days'],
  ],
  you: 'you',
  assistant: 'your assistant',
  app: (name) => `“${name}”`,
  hint: (whose, account) =>
    `The same with ${account} by ${whose} then runs without a question, whatever it says, if only these people see it and its choices, numbers and lists are like these.`,
};

/** The details of a call, as they are sent. */
export const SENT = {
  title: 'Details',
  view: 'What is sent',
  json: 'JSON',
  jsonLabel: 'Details as JSON',
  copy: 'the details as JSON',
  subject: 'Subject',
  textOf: (name) => `Text of ${name}`,
};
