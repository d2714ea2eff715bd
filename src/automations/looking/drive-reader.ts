import { z } from 'zod';
import { shownLine } from '../../actions/drive/drive-file.ts';
import { optionalRows } from '../../providers/transport/response-list.ts';
import { schemaReader } from '../../providers/transport/responses.ts';
import { FOLDER } from '../../providers/workspace/folder-contents.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import type { DriveChanged } from './event-types.ts';
import { distrustsToken, type Found, type LookInput } from './look-types.ts';

const PAGE_SIZE = 500;
const MAX_PAGES = 5;
const FILE = 'id,name,mimeType,parents,trashed,modifiedTime,viewedByMeTime';
/** The time of a view and of the change that it makes may differ by this much. */
const VIEW_MS = 10_000;

const token = z.string().regex(/^[\x20-\x7e]{1,4000}$/);
const id = z.string().regex(/^[\w.-]{1,255}$/);
const time = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .optional()
  .catch(undefined);
const file = z.object({
  id,
  name: shownLine.catch(''),
  mimeType: z.string().catch(''),
  parents: z.array(id).catch([]).default([]),
  trashed: z.boolean().catch(false).default(false),
  modifiedTime: time,
  viewedByMeTime: time,
});
type DriveFile = z.output<typeof file>;
export const fileChanges = schemaReader(
  import.meta.url,
  'fileChanges',
  z.object({
    changes: optionalRows(z.object({ time, file: file.optional() })),
    nextPageToken: token.optional(),
    newStartPageToken: token.optional(),
  }),
);
export const changedFiles = schemaReader(
  import.meta.url,
  'changedFiles',
  z.object({ files: optionalRows(file), nextPageToken: token.optional() }),
);
const start = z.object({ startPageToken: token });
const storedPosition = z.object({ pageToken: token });

/**
 * Files that were added or changed since a page token (Drive API: changes.list), with what was shared with the account. What
 * was removed or trashed, and folders, are left out; so are changes that only say that the user has looked at a file.
 *
 * @throws AppError like the session
 */
export async function readDrive(session: WorkspaceSession, input: LookInput): Promise<Found> {
  const known = storedPosition.safeParse(input.position);
  if (!known.success) return { position: await currentPosition(session), events: [], more: false };
  const read = distrustsToken(input) ? undefined : await readSince(session, input, known.data.pageToken);
  if (read !== undefined) return read;
  // Before the list: what is changed in between is in both.
  const position = await currentPosition(session);
  return { position, events: await listSince(session, input), more: false };
}

async function currentPosition(session: WorkspaceSession): Promise<z.output<typeof storedPosition>> {
  const params = { supportsAllDrives: true, fields: 'startPageToken' };
  return { pageToken: (await session.call('drive.changes.getStartPageToken', params, start)).startPageToken };
}

/** @returns undefined: the provider no longer takes the token */
async function readSince(session: WorkspaceSession, input: LookInput, pageToken: string): Promise<Found | undefined> {
  const events: DriveChanged[] = [];
  let at = pageToken;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await changesFrom(session, at);
    if (page === undefined) return undefined;
    for (const { file: changed, time: changedAt } of page.changes.rows) {
      if (changed !== undefined && isFile(changed) && !isView(changed, changedAt)) events.push(toEvent(input, changed, changedAt));
    }
    const next = page.nextPageToken;
    if (next === undefined) return { position: { pageToken: page.newStartPageToken ?? at }, events, more: false };
    at = next;
  }
  return { position: { pageToken: at }, events, more: true };
}

async function changesFrom(session: WorkspaceSession, pageToken: string) {
  const fields = `changes(time,file(${FILE})),nextPageToken,newStartPageToken`;
  const drives = { includeItemsFromAllDrives: true, supportsAllDrives: true };
  try {
    return await session.call(
      'drive.changes.list',
      { pageToken, pageSize: PAGE_SIZE, includeRemoved: false, ...drives, fields },
      fileChanges,
    );
  } catch (error) {
    const isEnded = error instanceof WorkspaceApiError && [400, 404, 410].includes(error.httpStatus);
    if (isEnded) return undefined;
    throw error;
  }
}

async function listSince(session: WorkspaceSession, input: LookInput): Promise<DriveChanged[]> {
  const events: DriveChanged[] = [];
  const q = `modifiedTime > '${new Date(input.since).toISOString()}' and trashed = false`;
  const drives = { includeItemsFromAllDrives: true, supportsAllDrives: true };
  let pageToken: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const fields = `files(${FILE}),nextPageToken`;
    const params = { q, orderBy: 'modifiedTime desc', pageSize: PAGE_SIZE, pageToken, ...drives, fields };
    const page = await session.call('drive.files.list', params, changedFiles);
    events.push(...page.files.rows.filter(isFile).map((changed) => toEvent(input, changed, changed.modifiedTime)));
    pageToken = page.nextPageToken;
    if (pageToken === undefined) break;
  }
  return events;
}

function isFile({ mimeType, trashed }: DriveFile): boolean {
  return !trashed && mimeType !== FOLDER;
}

/** The list has files that were only viewed. */
function isView({ modifiedTime, viewedByMeTime: viewed }: DriveFile, changedAt: number | undefined): boolean {
  if (modifiedTime === undefined || viewed === undefined || changedAt === undefined) return false;
  return viewed > modifiedTime && Math.abs(changedAt - viewed) <= VIEW_MS;
}

function toEvent(
  { accountId }: LookInput,
  { id: changed, name, parents, modifiedTime }: DriveFile,
  changedAt: number | undefined,
): DriveChanged {
  const writtenAt = modifiedTime ?? changedAt;
  const iso = writtenAt === undefined ? '' : new Date(writtenAt).toISOString();
  return {
    event: 'drive.changed',
    occurrence: `drive:${accountId}:${changed}:${iso}`,
    ids: { file: changed },
    at: changedAt,
    item: { id: changed, writtenAt },
    name,
    folders: parents,
  };
}
