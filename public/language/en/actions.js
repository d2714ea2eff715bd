// @ts-check
import { plainWords } from '../names.js';

/** @type {Record<string, string>} */
const NAMES = {
  'mail.search': 'Search mail',
  'mail.read': 'Read a mail',
  'mail.attachment': 'Read an attachment',
  'mail.save_attachment': 'Save an attachment',
  'mail.draft': 'Write a draft',
  'mail.drafts': 'List drafts',
  'mail.draft_update': 'Change a draft',
  'mail.draft_send': 'Send a draft',
  'mail.draft_delete': 'Delete a draft',
  'mail.send': 'Send a mail',
  'mail.label': 'Label mail',
  'mail.trash': 'Move mail to the trash',
  'mail.untrash': 'Take mail out of the trash',
  'mail.labels': 'List labels',
  'calendar.list': 'List events',
  'calendar.get': 'Read an event',
  'calendar.free': 'Find free time',
  'calendar.busy': 'See when people are busy',
  'calendar.create': 'Create an event',
  'calendar.update': 'Change an event',
  'calendar.delete': 'Delete an event',
  'calendar.restore': 'Restore an event',
  'calendar.respond': 'Answer an invitation',
  'documents.read': 'Read a document',
  'documents.create': 'Create a document',
  'documents.append': 'Add text to a document',
  'documents.replace': 'Replace text in a document',
  'drive.search': 'Search files',
  'drive.info': 'Look at a file',
  'drive.read': 'Read a file',
  'drive.permissions': 'See who has access to a file',
  'drive.create': 'Create a file or folder',
  'drive.copy': 'Copy a file',
  'drive.move': 'Move a file',
  'drive.rename': 'Rename a file',
  'drive.trash': 'Move a file to the trash',
  'drive.untrash': 'Take a file out of the trash',
  'drive.share': 'Share a file',
  'drive.unshare': 'Stop sharing a file',
  'spreadsheets.info': 'Look at a spreadsheet',
  'spreadsheets.read': 'Read a spreadsheet',
  'presentations.read': 'Read a presentation',
  'automations.propose': 'Propose an automation',
  'bank.balances': 'See balances',
  'bank.transactions': 'See transactions',
  'bank.spending': 'Add up spending',
  'bank.changes': 'See new transactions',
  'bank.numbers': 'See account numbers',
};

/** @type {Record<string, string>} */
const GROUPS = {
  mail: 'Mail',
  calendar: 'Calendar',
  documents: 'Documents',
  drive: 'Files',
  spreadsheets: 'Spreadsheets',
  presentations: 'Presentations',
  bank: 'Bank',
  automations: 'Automations',
};

/** The same of a built-in one. @param {string} action @returns {string | undefined} */
export function builtInName(action) {
  return Object.hasOwn(NAMES, action) ? NAMES[action] : undefined;
}

/** What an action does: “Search mail” for `mail.search`. One that the operator declared has the words of its name. @param {string} action */
export function actionName(action) {
  return NAMES[action] ?? plainWords(action.replaceAll('.', ' '));
}

/** A group of actions: “Files” for `drive`. @param {string} group */
export function groupName(group) {
  return GROUPS[group] ?? plainWords(group);
}
