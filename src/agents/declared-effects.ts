import type { Effect } from './action.ts';

/** Can't be taken back, or reaches other people. */
const DESTRUCTIVE_METHODS = /\.(delete|trash|emptyTrash|batchDelete|clear|send|move)$/;
/** Fields that make a change reach other people, or the trash. */
const DESTRUCTIVE_FIELDS = ['attendees', 'sendUpdates', 'sendNotifications', 'trashed'];
const LABEL_FIELD = 'addLabelIds';
const TRASH_LABELS = ['TRASH', 'SPAM'];

const RANK: Record<Effect, number> = { read: 0, write: 1, destructive: 2 };

/** Whether the first effect is milder than the second. */
export function isMilder(one: Effect, other: Effect): boolean {
  return RANK[one] < RANK[other];
}

/**
 * The least that a method does: reading is GET only, since a POST that changes
 * nothing can't be told from one that does.
 *
 * @param given the arguments as declared
 */
export function effectOf(id: string, verb: string, given: Readonly<Record<string, unknown>>): Effect {
  if (verb === 'GET') return 'read';
  const reachesFar =
    verb === 'DELETE' ||
    DESTRUCTIVE_METHODS.test(id) ||
    DESTRUCTIVE_FIELDS.some((field) => Object.hasOwn(given, field)) ||
    mayTrash(given[LABEL_FIELD]);
  return reachesFar ? 'destructive' : 'write';
}

/** Labels that aren't fixed may be those of the trash. */
function mayTrash(labels: unknown): boolean {
  if (labels === undefined) return false;
  return !Array.isArray(labels) || labels.some((label) => TRASH_LABELS.includes(label) || String(label).startsWith('$'));
}
