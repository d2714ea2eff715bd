import { ApiFault } from '../api-fault.ts';
import type { ApiRequest } from './api-method.ts';
import { integer } from './drive-listing.ts';
import { fileResource } from './drive-resource.ts';
import type { DriveState, FileChange, StoredFile } from './drive-state.ts';

type Request = ApiRequest<DriveState>;

/** Page tokens are numbers; this is that of a drive without changes. */
const FIRST = 1000;
const MOST_KEPT = 10_000;

/** Notes what a change did: see {@link listChanges}. */
export function watchDrive(state: DriveState): (now: number) => void {
  const before = new Map(state.files.map((file) => [file.id, look(file)]));
  return (now) => {
    const changed = state.files.filter((file) => before.get(file.id) !== look(file)).map(({ id }) => id);
    const kept = new Set(state.files.map(({ id }) => id));
    const ids = [...changed, ...[...before.keys()].filter((id) => !kept.has(id))];
    if (ids.length === 0) return;
    const time = new Date(now).toISOString();
    const first = (state.newestChange ?? FIRST) + 1;
    const added = ids.map((fileId, index): FileChange => ({ number: first + index, fileId, time }));
    // Of each file, the newest change.
    const rest = (state.changes ?? []).filter(({ fileId }) => !ids.includes(fileId));
    state.changes = [...rest, ...added].slice(-MOST_KEPT);
    state.newestChange = first + ids.length - 1;
  };
}

/** The page tokens that were given end. */
export function endPageTokens(state: DriveState): void {
  state.newestChange = (state.newestChange ?? FIRST) + 1;
  state.changesFrom = state.newestChange;
}

/** changes.getStartPageToken */
export function startPageToken({ state }: Request): object {
  return { kind: 'drive#startPageToken', startPageToken: String(state.newestChange ?? FIRST) };
}

/**
 * The complete response of changes.list; the caller applies `fields`.
 *
 * @throws ApiFault 400 for a page token that the drive doesn't know, or no longer
 */
export function listChanges({ state, query }: Request): { changes: object[] } {
  const newest = state.newestChange ?? FIRST;
  const after = tokenOf(query.get('pageToken'), state.changesFrom ?? FIRST, newest);
  const size = integer(query.get('pageSize') ?? '100', 1, 1000);
  const found = (state.changes ?? []).filter((change) => change.number > after && isListed(change, state, query));
  const shown = found.slice(0, size);
  const isLast = shown.length === found.length;
  return {
    ...{ kind: 'drive#changeList' },
    ...(isLast ? { newStartPageToken: String(newest) } : { nextPageToken: String(shown.at(-1)?.number) }),
    changes: shown.map((change) => present(change, state)),
  };
}

/** All that a change of a file shows in, but for its content, which changes its version. */
function look({ content: _, ...rest }: StoredFile): string {
  return JSON.stringify(rest);
}

function tokenOf(token: string | null, oldest: number, newest: number): number {
  if (token === null) throw new ApiFault(400, 'required', 'Required parameter: pageToken');
  const number = /^\d{1,12}$/.test(token) ? Number(token) : Number.NaN;
  if (!(number >= oldest && number <= newest)) throw new ApiFault(400, 'invalid', 'Invalid Value');
  return number;
}

function isListed({ fileId }: FileChange, { files, rootId }: DriveState, query: URLSearchParams): boolean {
  const file = files.find(({ id }) => id === fileId);
  if (file === undefined) return query.get('includeRemoved') !== 'false';
  if (file.driveId !== undefined) {
    return query.get('supportsAllDrives') === 'true' && query.get('includeItemsFromAllDrives') === 'true';
  }
  return query.get('restrictToMyDrive') !== 'true' || file.parents.length > 0 || file.id === rootId;
}

function present({ fileId, time }: FileChange, state: DriveState): object {
  const file = state.files.find(({ id }) => id === fileId);
  const about = { kind: 'drive#change', type: 'file', changeType: 'file', time, fileId };
  return file === undefined ? { ...about, removed: true } : { ...about, removed: false, file: fileResource(state, file) };
}
