import type { Effect } from '../declared-call.ts';

/** Can't be taken back, or reaches other people; quickAdd invites whom its text names. */
const DESTRUCTIVE_METHODS = /\.(delete|trash|emptyTrash|batchDelete|clear|send|move|quickAdd)$/;
/** PUT loses every field that it isn't given. */
const DESTRUCTIVE_VERBS = ['DELETE', 'PUT'];
/** Fields that make a change reach other people, decide what they see or may do, or reach the trash. */
export const DESTRUCTIVE_FIELDS: readonly string[] = [
  ...['attendees', 'sendUpdates', 'sendNotifications', 'visibility', 'anyoneCanAddSelf'],
  ...['guestsCanModify', 'guestsCanInviteOthers', 'guestsCanSeeOtherGuests'],
  // They decline invitations, with a message to whoever sent them.
  ...['outOfOfficeProperties', 'focusTimeProperties'],
  // It locks a file for everybody.
  'contentRestrictions',
  // Whoever may see a folder may see what is put into it.
  ...['parents', 'addParents', 'removeParents', 'trashed', 'mentionedEmailAddresses', 'assigneeEmailAddress'],
];
/** Fields of which it takes the value to tell. */
const TELLING_FIELDS: Readonly<Record<string, (value: unknown, id: string) => boolean>> = {
  addLabelIds: mayTrash,
  labelIds: mayTrash,
  // An event that is cancelled is deleted.
  status: (value) => !isFixedText(value) || value.toLowerCase() === 'cancelled',
  // Who is mentioned in a comment is told by mail; the lists of those mentioned are the provider's own.
  content: (value, id) => COMMENTS.test(id) && (!isFixedText(value) || value.includes('@')),
};
const COMMENTS = /^drive\.(comments|replies)\./;
const TRASH_LABELS = ['TRASH', 'SPAM'];

/**
 * The least that a method does: reading is GET only, since a POST that changes
 * nothing can't be told from one that does.
 *
 * @param given the arguments as declared
 */
export function effectOf(id: string, verb: string, given: Readonly<Record<string, unknown>>): Effect {
  if (verb === 'GET') return 'read';
  return isFarReaching(id, verb) || tellingField(id, given) !== undefined ? 'destructive' : 'write';
}

/** The argument that makes a change destructive; undefined: none does. */
export function tellingField(id: string, given: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(given).find((field) => {
    if (DESTRUCTIVE_FIELDS.includes(field)) return true;
    return Object.hasOwn(TELLING_FIELDS, field) && TELLING_FIELDS[field]?.(given[field], id);
  });
}

function isFarReaching(id: string, verb: string): boolean {
  return DESTRUCTIVE_VERBS.includes(verb) || DESTRUCTIVE_METHODS.test(id);
}

/** Labels that aren't fixed may be those of the trash. */
function mayTrash(labels: unknown): boolean {
  return !Array.isArray(labels) || labels.some((label) => !isFixedText(label) || TRASH_LABELS.includes(label.toUpperCase()));
}

function isFixedText(value: unknown): value is string {
  return typeof value === 'string' && !value.startsWith('$');
}
