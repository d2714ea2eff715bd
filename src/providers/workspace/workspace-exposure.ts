import { AppError, type ErrorCode } from '../../errors.ts';
import { isAddress } from '../../validation/address-list.ts';
import { isObject } from '../../validation/is-object.ts';
import { textsIn } from '../../validation/texts-in.ts';
import { type Audience, people, UNKNOWN, union } from '../shared/audience.ts';
import type { CallExposure } from '../shared/declared-call.ts';
import { UNKNOWN_ITEM } from '../shared/items.ts';
import { isPrivate, readEventAudience, readVisibility } from './event-audience.ts';
import { readFileAudience } from './file-audience.ts';
import { methodVersion, type Seen } from './method-version.ts';
import type { WorkspaceSession } from './workspace-session.ts';

/** The arguments of one call of a method: parameters and fields of the body. */
type Arguments = Readonly<Record<string, unknown>>;

/**
 * Changes of what only the user sees. A method that isn't known here counts as seen by anyone. So does `messages.insert`: a
 * message with the account's address as its sender counts as sent, and so its recipients as people whom the user has written to.
 */
const OWN =
  /^(gmail\.users\.(drafts\.(create|update|delete)|labels\.\w+|messages\.(modify|batchModify|trash|untrash|delete|batchDelete)|threads\.(modify|trash|untrash|delete))|docs\.documents\.create)$/;
const NEW_EVENT = /^calendar\.events\.(insert|import)$/;
const DECLINING = ['outOfOfficeProperties', 'focusTimeProperties'];
const EVENT = /^calendar\.events\.(patch|update|delete)$/;
const EVENT_TEXT = /^calendar\.events\.(insert|import|quickAdd|patch|update)$/;
/** The visibility of the event is that of the call. */
const REPLACED_EVENT = /^calendar\.events\.(insert|import|update)$/;
/** The event keeps the visibility that it has. */
const KEPT_EVENT = /^calendar\.events\.patch$/;
const DOCUMENT = 'docs.documents.batchUpdate';
const FILE = /^drive\.(files|comments|replies|revisions)\./;
const COMMENT = /^drive\.(comments|replies)\./;
const NEW_FILE = 'drive.files.create';
/** Requests that change the document only. Others fetch an address, which may tell its owner, or mention people. */
const PLAIN_REQUEST =
  /^(insert(Text|PageBreak|SectionBreak|Table|TableRow|TableColumn)|delete(ContentRange|PositionedObject|TableRow|TableColumn|ParagraphBullets|NamedRange|Header|Footer)|update(TextStyle|ParagraphStyle|SectionStyle|DocumentStyle|TableColumnProperties|TableCellStyle|TableRowStyle)|replace(AllText|NamedRangeContent)|create(ParagraphBullets|NamedRange|Header|Footer|Footnote)|(un)?mergeTableCells|pinTableHeaderRows)$/;
const TOP_FOLDER = 'root';
/** A file has one folder. */
const MAX_FOLDERS = 5;

/** Errors with which the call itself would fail. */
const FATAL: readonly ErrorCode[] = ['not_found', 'invalid_request', 'reauth_required', 'aborted'];
/** The version of what can't be read, of which the user is shown nothing. */
const UNREAD: Seen = { version: 'unread', items: [UNKNOWN_ITEM] };

/**
 * Who sees the effect of a method with these arguments besides the account, and what they will see.
 *
 * @param id the method's, as in the provider's discovery documents
 * @param own address of the account
 * @throws AppError `not_found`, `invalid_request`, `reauth_required`; what can't be read for another reason is unknown
 */
export async function methodExposure(id: string, args: Arguments, session: WorkspaceSession, own: string): Promise<CallExposure> {
  const [audience, seen] = await Promise.all([
    methodAudience(id, args, session, own).catch((error) => unlessFatal(error, UNKNOWN)),
    methodVersion(id, args, session).catch((error) => unlessFatal(error, UNREAD)),
  ]);
  return { audience, ...(EVENT_TEXT.test(id) && (await withCalendarReaders(id, args, session, audience))), ...seen };
}

/**
 * With whom the calendar is shared can't be read within the granted scopes. They see no more of a private event than its
 * time, and so it becomes private like those of the built-in actions: not if its visibility was chosen, nor if
 * it has guests.
 */
async function withCalendarReaders(
  id: string,
  args: Arguments,
  session: WorkspaceSession,
  audience: Audience,
): Promise<Pick<CallExposure, 'unreadable' | 'restricting'>> {
  const asRestricted = { restricting: { visibility: 'private' } };
  if (Object.hasOwn(args, 'visibility')) return isPrivate(args.visibility) ? {} : { unreadable: UNKNOWN };
  if (REPLACED_EVENT.test(id)) return asRestricted;
  if (!KEPT_EVENT.test(id) || !isPrimary(args) || !isText(args.eventId)) return { unreadable: UNKNOWN };
  const visibility = await readVisibility(session, args.eventId).catch((error) => unlessFatal(error, 'unread'));
  if (isPrivate(visibility)) return {};
  return visibility === 'default' && audience.length === 0 ? asRestricted : { unreadable: UNKNOWN };
}

function unlessFatal<Value>(error: unknown, value: Value): Value {
  if (error instanceof AppError && FATAL.includes(error.code)) throw error;
  return value;
}

/** @throws AppError what reading an event or a file throws */
async function methodAudience(id: string, args: Arguments, session: WorkspaceSession, own: string): Promise<Audience> {
  if (OWN.test(id)) return [];
  // The organizers of invitations that it declines receive its message.
  if (DECLINING.some((field) => args[field] !== undefined)) return UNKNOWN;
  if (NEW_EVENT.test(id)) return isPrimary(args) ? invited(args) : UNKNOWN;
  if (EVENT.test(id)) {
    return isPrimary(args) && isText(args.eventId) ? union(invited(args), await readEventAudience(session, args.eventId)) : UNKNOWN;
  }
  const read = (file: unknown) => (isText(file) ? readFileAudience(session, file, own) : UNKNOWN);
  if (id === DOCUMENT) return isPlain(args.requests) ? read(args.documentId) : UNKNOWN;
  if (!FILE.test(id)) return UNKNOWN;
  const folders = foldersOf(args);
  if (folders === undefined) return UNKNOWN;
  const files = [...(id === NEW_FILE ? [] : [args.fileId]), ...folders.filter((folder) => folder !== TOP_FOLDER)];
  return union(COMMENT.test(id) ? mentioned(args) : [], ...(await Promise.all(files.map(read))));
}

/** Those whom a comment mentions: the provider tells them by mail, whether they see the file or not. */
function mentioned({ fileId: _, fields: __, ...comment }: Arguments): Audience {
  const words = textsIn(comment).flatMap(({ text }) => text.split(/[\s,;]+/).filter((word) => word.includes('@')));
  const addresses = words.map((word) => word.replace(/^[(+@]{1,10}|[).!?:]{1,10}$/g, ''));
  return union(people(addresses.filter(isAddress)), addresses.every(isAddress) ? [] : UNKNOWN);
}

function isPrimary({ calendarId }: Arguments): boolean {
  return calendarId === 'primary';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The people whom an event's body names. */
function invited({ attendees = [] }: Arguments): Audience {
  const listed: unknown[] = Array.isArray(attendees) ? attendees : [undefined];
  const addresses = listed.map((one) => (isObject(one) ? one.email : undefined));
  return union(people(addresses.filter(isText)), addresses.every(isText) ? [] : UNKNOWN);
}

function isPlain(requests: unknown): boolean {
  return Array.isArray(requests) && requests.every((one) => isObject(one) && Object.keys(one).every((kind) => PLAIN_REQUEST.test(kind)));
}

/** Folders whose readers will see the file; undefined: they can't be told. */
function foldersOf({ parents = [], addParents = '' }: Arguments): string[] | undefined {
  if (!Array.isArray(parents) || !parents.every(isText) || typeof addParents !== 'string') return undefined;
  const folders = [...parents, ...addParents.split(',').filter((folder) => folder !== '')];
  return folders.length > MAX_FOLDERS ? undefined : folders;
}
