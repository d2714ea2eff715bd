import type { Effect } from '../shared/declared-call.ts';

/** Irreversible, or affecting other people. quickAdd invites people named in its text. */
const DESTRUCTIVE_METHODS = /\.(delete|trash|emptyTrash|batchDelete|clear|send|move|quickAdd)$/;
/** PUT removes every field that is not given. */
const DESTRUCTIVE_VERBS = ['DELETE', 'PUT'];
/** Fields that make a change affect other people or their access, or move something to the trash. */
export const DESTRUCTIVE_FIELDS: readonly string[] = [
  ...['attendees', 'sendUpdates', 'sendNotifications', 'visibility', 'anyoneCanAddSelf'],
  ...['guestsCanModify', 'guestsCanInviteOthers', 'guestsCanSeeOtherGuests'],
  // Invitations are declined, with a message to their organizers.
  ...['outOfOfficeProperties', 'focusTimeProperties'],
  // Locks a file for all users.
  'contentRestrictions',
  // Users with access to a folder have access to its files.
  ...['parents', 'addParents', 'removeParents', 'trashed', 'mentionedEmailAddresses', 'assigneeEmailAddress'],
];
/** Fields whose effect depends on their value. */
const TELLING_FIELDS: Readonly<Record<string, (value: unknown, id: string) => boolean>> = {
  addLabelIds: mayTrash,
  labelIds: mayTrash,
  // Of a private event, no one sees more than before.
  visibility: (value) => !isFixedText(value) || !PRIVATE.includes(value),
  // A cancelled event is deleted.
  status: (value) => !isFixedText(value) || value.toLowerCase() === 'cancelled',
  // People mentioned in a comment are notified by mail; the lists of mentioned people are read-only.
  content: (value, id) => COMMENTS.test(id) && (!isFixedText(value) || value.includes('@')),
};
const COMMENTS = /^drive\.(comments|replies)\./;
const PRIVATE = ['private', 'confidential'];
const TRASH_LABELS = ['TRASH', 'SPAM'];

/**
 * The least effect of a method. Only GET counts as reading, because a POST that changes nothing cannot be distinguished
 * from one that does.
 *
 * @param given the arguments as declared
 */
export function effectOf(id: string, verb: string, given: Readonly<Record<string, unknown>>): Effect {
  if (verb === 'GET') return 'read';
  return isFarReaching(id, verb) || tellingField(id, given) !== undefined ? 'destructive' : 'write';
}

/** The argument that makes a change destructive; undefined: none. */
export function tellingField(id: string, given: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(given).find((field) => {
    if (Object.hasOwn(TELLING_FIELDS, field)) return TELLING_FIELDS[field]?.(given[field], id);
    return DESTRUCTIVE_FIELDS.includes(field);
  });
}

function isFarReaching(id: string, verb: string): boolean {
  return DESTRUCTIVE_VERBS.includes(verb) || DESTRUCTIVE_METHODS.test(id);
}

/** Labels that are not fixed may include the trash. */
function mayTrash(labels: unknown): boolean {
  return !Array.isArray(labels) || labels.some((label) => !isFixedText(label) || TRASH_LABELS.includes(label.toUpperCase()));
}

function isFixedText(value: unknown): value is string {
  return typeof value === 'string' && !value.startsWith('$');
}
