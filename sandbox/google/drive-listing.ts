import { createHash } from 'node:crypto';
import { ApiFault, invalid } from '../api-fault.ts';
import { isFullText, parseQuery } from './drive-query.ts';
import { fileResource } from './drive-resource.ts';
import type { DriveState, StoredFile } from './drive-state.ts';

type Order = (one: StoredFile, other: StoredFile) => number;

const ORDERS: Record<string, Order> = {
  name: (one, other) => one.name.localeCompare(other.name, 'en'),
  name_natural: (one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }),
  modifiedTime: (one, other) => Date.parse(one.modifiedTime) - Date.parse(other.modifiedTime),
  createdTime: (one, other) => Date.parse(one.createdTime) - Date.parse(other.createdTime),
  recency: (one, other) => Date.parse(one.modifiedTime) - Date.parse(other.modifiedTime),
  folder: (one, other) => Number(other.mimeType.endsWith('.folder')) - Number(one.mimeType.endsWith('.folder')),
  starred: (one, other) => Number(other.starred) - Number(one.starred),
};
const CORPORA = new Set(['user', 'domain', 'drive', 'allDrives']);

/** The complete response of files.list; the caller applies `fields`. */
export function listFiles(state: DriveState, query: URLSearchParams): { files: object[] } {
  const q = query.get('q') ?? '';
  const size = integer(query.get('pageSize') ?? '100', 1, 1000);
  checkCorpora(query);
  const found = state.files
    .filter((file) => file.id !== state.rootId && isSeen(file, query))
    .filter(q.trim() === '' ? () => true : parseQuery(q, state));
  const sorted = found.sort(orderOf(query.get('orderBy'), q));
  // A page token is valid for its query only.
  const mark = createHash('sha256')
    .update(`${q}\n${query.get('orderBy')}`)
    .digest('hex')
    .slice(0, 8);
  const start = offsetOf(query.get('pageToken'), mark);
  const next = start + size < sorted.length ? { nextPageToken: Buffer.from(`${mark}:${start + size}`).toString('base64url') } : {};
  return {
    ...{ kind: 'drive#fileList', incompleteSearch: false },
    ...next,
    files: sorted.slice(start, start + size).map((file) => fileResource(state, file)),
  };
}

function isSeen(file: StoredFile, query: URLSearchParams): boolean {
  if (file.driveId === undefined) return query.get('corpora') !== 'drive';
  if (query.get('supportsAllDrives') !== 'true' || query.get('includeItemsFromAllDrives') !== 'true') return false;
  // Of shared drives, "user" has what the user created, opened, or was given directly.
  if ((query.get('corpora') ?? 'user') === 'user' && file.viewedByMe === false) return false;
  return query.get('driveId') === null || query.get('driveId') === file.driveId;
}

function checkCorpora(query: URLSearchParams): void {
  const corpora = query.get('corpora') ?? 'user';
  if (!CORPORA.has(corpora)) throw invalid('Invalid Value');
  if ((corpora === 'drive') !== query.has('driveId'))
    throw invalid('The driveId parameter must be specified if and only if corpora is set to drive.');
  if (corpora === 'allDrives' && query.get('includeItemsFromAllDrives') !== 'true') {
    throw new ApiFault(403, 'teamDrivesFileIncludeRequired', 'includeItemsFromAllDrives must be true.');
  }
}

function orderOf(orderBy: string | null, q: string): Order {
  const keys = (orderBy ?? 'modifiedTime desc').split(',').map((key) => {
    const [name = '', direction] = key.trim().split(/\s+/);
    const order = Object.hasOwn(ORDERS, name) ? ORDERS[name] : undefined;
    if (order === undefined || (direction !== undefined && direction !== 'desc')) throw invalid('Invalid Value');
    return direction === 'desc' ? (one: StoredFile, other: StoredFile) => order(other, one) : order;
  });
  if (orderBy !== null && isFullText(q)) {
    throw new ApiFault(
      403,
      'forbidden',
      'Sorting is not supported for queries with fullText terms. Results are always in descending relevance order.',
    );
  }
  return (one, other) => keys.map((key) => key(one, other)).find((result) => result !== 0) ?? 0;
}

function offsetOf(token: string | null, mark: string): number {
  if (token === null) return 0;
  const [given, offset] = Buffer.from(token, 'base64url').toString().split(':');
  if (given !== mark) throw invalid('Invalid Value');
  return integer(offset ?? '', 0, 1_000_000);
}

/** @throws ApiFault 400 unless the text is a whole number from `least` to `most` */
export function integer(value: string, least: number, most: number): number {
  const number = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least && number <= most)) throw invalid('Invalid Value');
  return number;
}
