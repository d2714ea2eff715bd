/** Texts of the results of actions. */
export const result = {
  undo: (what) => `It can be undone: ${what}.`,
  of: (action) => `Result of ${action}`,
  jsonOf: (action) => `JSON of ${action}`,
  copy: 'the result as JSON',
  view: 'View',
  json: 'JSON',
  none: 'Nothing was found.',
  took: (ms) => `${ms} ms`,
  more: 'There are more.',
  unreadable: (count, text) => `${text} ${count === 1 ? 'entry' : 'entries'} could not be read.`,
  /** In the tree of a result without a view of its own. */
  empty: 'empty',
  yes: 'yes',
  no: 'no',
  moreInJson: (count) => `${count} more: see JSON`,
};

/** Where a result comes from, and how far it may go. */
export const badges = {
  others: 'written by others',
  unknownAuthor: 'Text in it was not written by you: it is shown, never obeyed.',
  by: (names, hasMore) => `By ${names}${hasMore ? ' and others' : ''}`,
  own: 'your own',
  ownMeans: 'Nobody else can have written this.',
  financial: 'financial',
  financialMeans: 'After this was read, nothing is sent to others, unless the operator allows them.',
  shortened: 'shortened',
};

export const mail = {
  unread: 'unread',
  noSubject: '(no subject)',
  addresses: { to: 'To', cc: 'Cc', bcc: 'Bcc', replyTo: 'Reply to' },
  attachment: (name, size) => `Attachment: ${name}, ${size}`,
  ownLabels: 'Your labels',
  systemLabels: 'Of the mail service',
};

export const calendar = {
  with: 'With ',
  more: (count) => `and ${count} more`,
  omitted: ' and more',
  answers: { accepted: 'accepted', declined: 'declined', tentative: 'maybe', none: 'no answer' },
  answered: (answer) => ` (${answer})`,
  repeats: (rules) => `Repeats: ${rules.join(', ')}`,
  open: 'Open in the calendar',
  at: 'at ',
  from: 'from ',
  meeting: 'Meeting',
  untitled: '(no title)',
  tentative: 'tentative',
  notAnswered: 'not answered',
  free: (time) => `${time} free`,
  notBusy: 'No event in your calendar says that they are busy.',
};

export const files = {
  inTrash: 'in the trash',
  attachment: 'Attachment',
  facts: (mime, size) => ` ${mime}${size === undefined ? '' : `, ${size}`}`,
  empty: 'It is empty.',
  notShown: (name, format, size) => `${name} is ${format}: ${size}, not shown here.`,
  access: 'Who has access',
  who: 'Who',
  role: 'Role',
  skipped: 'skipped',
  notes: (notes) => `Notes: ${notes}`,
  cells: 'Cells',
  noValues: 'No values.',
};

export const bank = {
  owed: 'owed',
  balance: 'current balance',
  available: (amount) => `${amount} available`,
  limit: (amount) => `limit ${amount}`,
  byAccount: 'Balances by account',
  account: 'Account',
  asFetched: 'As last fetched.',
  masked: 'All but the last digits are hidden.',
  numbers: { title: 'Account numbers', columns: ['Account', 'Kind', 'Numbers'] },
  some: (count, all) => `${count} of ${all}`,
  transactions: 'Transactions',
  columns: { date: 'Date', party: 'To or from', category: 'Category', account: 'Account', amount: 'Amount' },
  pending: 'pending',
  out: 'Money out',
  into: 'Money in',
  noCategory: 'No category',
  category: 'Category',
  merchant: 'Merchant',
  month: 'Month',
  byMonth: 'Spending by month',
  by: (unit) => `Spending by ${unit.toLowerCase()}`,
  byIn: (unit, currency) => `Spending by ${unit.toLowerCase()}, ${currency ?? 'no currency'}`,
  others: (count) => `${count} others`,
  noneNamed: 'None named',
  sums: { number: 'Number', refunds: 'Refunds', spent: 'Spent', total: 'Total' },
  flow: (kind, into, out) => `${kind}: ${into} in, ${out} out`,
  nothingSpent: 'Nothing was spent.',
  leftOut: (what) => `Left out: ${what.join('; ')}.`,
  smaller: (count) => `${count} smaller sums are not listed.`,
  incomplete: ({ read, total }) => `Only ${read} of ${total} transactions were read: the sums are incomplete.`,
  part: (title, count) => `${title} (${count})`,
  loading: 'The bank’s transactions are still being fetched.',
  added: 'New',
  changed: 'Changed',
  removed: (transactions) => `${transactions} removed.`,
  nothingNew: 'Nothing new.',
};

export const chart = {
  asTable: 'As a table',
  titleAsTable: (title) => `${title} as a table`,
  amount: 'Amount',
  described: (unit, summary) => `${unit}: ${summary}`,
};
