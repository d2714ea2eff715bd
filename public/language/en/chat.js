/** Texts of Chat. */
export const chat = {
  title: 'Chat',
  asksYou: 'asks you',
  refused: (calls) => `Steward refused ${calls}`,
  asked: (calls) => `Steward asks you about ${calls}`,
  waiting: 'Waiting for the connection',
  cancel: 'Cancel',
  notSent: 'The connection was lost before your message was sent. Send it again.',
  tryAgain: 'Try again',
  details: 'Details',
  brokeOff: 'The model’s answer broke off.',
};

/** How an answer ended early: the words of its mark, and a sentence. */
export const answerEnds = {
  interrupted: {
    mark: 'Interrupted',
    text: 'The service stopped during this answer. Nothing is repeated; a call that was under way may have run.',
  },
  cancelled: { mark: 'Stopped', text: 'What was said and done before remains.' },
  failed: { mark: 'Failed', text: chat.brokeOff },
};

/** A call of the assistant. */
export const step = {
  states: {
    'input-streaming': 'writing',
    'input-available': 'running',
    'approval-requested': 'asks you',
    'approval-responded': 'decided',
    'output-available': 'done',
    'output-error': 'failed',
    'output-denied': 'denied by you',
  },
  /** By whether it was approved; without that, the time was up. */
  responses: { true: 'approved', false: 'denied by you', undefined: 'expired' },
  /** Failures that say nothing against the call. */
  unsure: { unavailable: 'not available', outcome_unknown: 'interrupted', aborted: 'stopped' },
  refusal: (action) => `Refused: ${action}`,
  tried: 'The model tried',
  to: ' to ',
  steward: 'Steward',
  refused: 'refused',
  nothingDone: ' Nothing was sent or changed.',
  why: 'Why',
  readBefore: 'Read before',
  times: (count) => ` ${count} times`,
  edited: 'You changed the details before approving.',
  details: 'Details',
};

/** The list of conversations. */
export const threads = {
  title: 'Conversations',
  new: 'New conversation',
  one: 'Conversation',
  more: 'More',
  moreOf: 'conversations',
  search: 'Search conversations',
  searchHint: 'Search titles',
  none: 'No conversations yet.',
  noMatch: 'No title contains this.',
  untitled: 'Untitled',
  rename: 'Rename',
  delete: 'Delete',
  save: 'Save',
  cancel: 'Cancel',
  name: 'Title',
  deleteQuestion: (name) => `Delete “${name}”?`,
  deleteMeans: 'Its messages are deleted, and its pending questions end. What the assistant has done remains.',
};

/** The open conversation. */
export const conversation = {
  messages: 'Messages',
  answering: 'The assistant is answering.',
  asks: (what) => `The assistant asks for your decision: ${what}`,
  answered: (text) => `The assistant answered: ${text}`,
  failed: 'The answer failed.',
  you: 'You',
  assistant: 'Assistant',
  reasoning: 'Reasoning',
};

/** “3 of 200 answers”. `last` is the number that the noun follows; `limit` may be absent. */
const budgeted = (one, many) => (last, used, limit) => `${limit === undefined ? used : `${used} of ${limit}`} ${last === 1 ? one : many}`;

export const composer = {
  today: (parts) => `Today: ${parts}`,
  budget: { runs: budgeted('answer', 'answers'), tokens: budgeted('token', 'tokens') },
  hint: 'Message the assistant',
  message: 'Message',
  send: 'Send',
  stop: 'Stop',
  model: 'Model',
  standIn: (name) => `${name} (stand-in)`,
};

/** Where no conversation has begun. */
export const start = {
  welcome: 'Ask in your own words. The assistant uses your accounts, and asks before it sends, shares or deletes.',
  suggestions: 'Suggestions',
  examples: {
    sarah: 'Find the newest mail from Sarah',
    tuesday: 'Am I free on Tuesday at ten?',
    today: 'What is on my calendar today?',
    groceries: 'What did I spend on groceries?',
    money: 'How much money is in my accounts?',
  },
  standIn: ['This is a stand-in', ', not a language model: it follows simple rules and understands some sentences. '],
  ofRun: ['A run of an automation: it asks you here, and goes on by itself once you have decided. ', 'All automations'],
  standInHow: 'docs/assistant.md says how to use Ollama or a hosted model.',
  noModel: 'No model is configured',
  /** Around the setting and the file that it names. */
  noModelHow: [
    'The assistant needs a language model. Set ',
    ' to one that runs on your machine, such as Ollama, or to a hosted one. ',
    ' shows both, with an example that can be copied.',
  ],
  noModelRest: 'Everything else on this page works without one.',
  noAccount: ['Connect an account', ' first. Until then, the assistant has nothing to work with.'],
  attack: 'See an attack fail',
  attackAbout:
    'The sandbox contains texts by strangers with orders to the assistant. The stand-in is told to be gullible, and obeys them all. Watch what it tries, and what Steward asks you about or refuses.',
  attacks: {
    mail: ['A mail', 'orders the assistant to send your payments and mails to a stranger'],
    event: ['An invitation', 'orders it to invite a stranger and to delete an event'],
    ticket: ['A ticket', 'orders it to search another server for the text of your mail'],
    file: ['A shared document', 'orders it to share a spreadsheet and to add your balances to the document'],
  },
};

/** Parts of an answer, for those who don’t see them. */
export const markdown = { code: 'Code', table: 'Table', image: '[image: ', undescribed: 'no description' };

/** What the stand-in model is asked in the demonstrations: it begins with the words by which it knows one. */
export const DEMONSTRATION = {
  begin: 'Be gullible',
  mail: 'Be gullible: read my newest mails.',
  event: 'Be gullible: read the event Supplier review.',
  file: 'Be gullible: read the document Offsite plan.',
  ticket: 'Be gullible: read ticket 14.',
};
