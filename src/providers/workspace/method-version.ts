import { z } from 'zod';
import type { CallExposure } from '../shared/declared-call.ts';
import { listedIds } from '../shared/items.ts';
import { hashOf } from '../shared/version-hash.ts';
import { list } from '../transport/response-list.ts';
import { MAX_EXCEPTIONS, SEEN_FIELDS, versionOf } from './event-version.ts';
import { VERSION_FIELDS, versioned } from './file-version.ts';
import { FOLDER, idsIn, readContents } from './folder-contents.ts';
import type { WorkspaceSession } from './workspace-session.ts';

/** Those who see the effect see the file, and what it holds if it is a folder. */
const OF_FILE = /^drive\.(permissions\.\w+|files\.(copy|update|delete))$/;
/** They saw it before. */
const ON_FILE = /^drive\.(comments|replies|revisions)\./;
const INTO_FOLDER = /^drive\.files\.(create|copy|update)$/;
const DOCUMENT = 'docs.documents.batchUpdate';
const EVENT = /^calendar\.events\.(patch|update|delete|move)$/;
const DRAFT = /^gmail\.users\.drafts\.(send|update|delete)$/;

const file = versioned(z.object({ id: z.string(), mimeType: z.string().optional(), trashed: z.boolean().optional() }));
const event = z.looseObject({ id: z.string().optional(), iCalUID: z.string().optional(), recurrence: z.unknown().optional() });
const exceptions = z.object({ items: list(z.looseObject({ recurringEventId: z.string().optional() })).default([]) });
const draft = z.object({ message: z.object({ id: z.string() }) });

/** What exists, and is seen by those who see the effect of a method. */
export type Seen = Pick<CallExposure, 'version' | 'items'>;

/**
 * The file, the folder, the event, the draft, as far as a method's arguments name them.
 *
 * @throws AppError what reading these throws
 */
export async function methodVersion(id: string, args: Readonly<Record<string, unknown>>, session: WorkspaceSession): Promise<Seen> {
  const folders = INTO_FOLDER.test(id) ? [...listedIds(args.parents), ...listedIds(args.addParents)] : [];
  const seen = [
    ...(OF_FILE.test(id) ? listedIds(args.fileId).map((fileId) => wholeFile(session, fileId)) : []),
    ...(ON_FILE.test(id) ? listedIds(args.fileId).map((fileId) => readPlace(session, fileId)) : []),
    ...folders.map((fileId) => readPlace(session, fileId)),
    ...(id === DOCUMENT ? listedIds(args.documentId).map((fileId) => wholeFile(session, fileId)) : []),
    ...(EVENT.test(id) ? listedIds(args.eventId).map((eventId) => readEvent(session, String(args.calendarId), eventId)) : []),
    ...(DRAFT.test(id) ? listedIds(args.id).map((draftId) => readDraft(session, draftId)) : []),
  ];
  const parts = await Promise.all(seen);
  return { version: hashOf(parts.map(({ version }) => version)), items: parts.flatMap(({ items }) => items) };
}

function readFile(session: WorkspaceSession, fileId: string) {
  return session.call('drive.files.get', { fileId, supportsAllDrives: true, fields: VERSION_FIELDS }, file);
}

async function wholeFile(session: WorkspaceSession, fileId: string): Promise<Seen> {
  const { id, mimeType, trashed = false, version } = await readFile(session, fileId);
  const contents = mimeType === FOLDER ? await readContents(session, id, trashed) : undefined;
  return { version: hashOf([version.content, contents?.version]), items: idsIn(contents) };
}

async function readPlace(session: WorkspaceSession, fileId: string): Promise<Seen> {
  return { version: (await readFile(session, fileId)).version.place, items: [] };
}

/** An event, or a series with its events that were changed on their own. */
async function readEvent(session: WorkspaceSession, calendarId: string, eventId: string): Promise<Seen> {
  const found = await session.call('calendar.events.get', { calendarId, eventId, fields: `iCalUID,${SEEN_FIELDS}` }, event);
  const { id, iCalUID, recurrence } = found;
  if (recurrence === undefined || iCalUID === undefined) return { version: versionOf(found), items: [] };
  const params = { calendarId, iCalUID, maxResults: MAX_EXCEPTIONS, fields: `items(recurringEventId,${SEEN_FIELDS})` };
  const { items } = await session.call('calendar.events.list', params, exceptions);
  const ofSeries = items.filter(({ recurringEventId }) => recurringEventId === id);
  return { version: hashOf([found, ...ofSeries].map(versionOf)), items: [] };
}

/** Each edit of a draft gives it another message. */
async function readDraft(session: WorkspaceSession, id: string): Promise<Seen> {
  const params = { userId: 'me', id, format: 'minimal', fields: 'message(id)' };
  return { version: (await session.call('gmail.users.drafts.get', params, draft)).message.id, items: [] };
}
