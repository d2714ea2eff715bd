import { z } from 'zod';
import { UNKNOWN_ITEM } from '../shared/items.ts';
import { hashOf } from '../shared/version-hash.ts';
import { list } from '../transport/response-list.ts';
import { VERSION_FIELDS, versioned } from './file-version.ts';
import type { WorkspaceSession } from './workspace-session.ts';

export const FOLDER = 'application/vnd.google-apps.folder';

/** More are not read. */
export const MAX_ITEMS = 200;
/** Each reads one level of a folder, if that has no more than {@link FOLDERS} folders. */
export const MAX_LEVELS = 10;
/** Folders whose items one request lists. */
const FOLDERS = 20;

/** What a folder holds, at any depth. */
export interface FolderContents {
  /** Ids of the items that were read. */
  items: readonly string[];
  /** Changes with them: another item, another name, another text. */
  version: string;
  /** Whether these are all. */
  isComplete: boolean;
}

const children = z.object({
  files: list(versioned(z.object({ id: z.string(), mimeType: z.string() }))).default([]),
  nextPageToken: z.string().optional(),
  incompleteSearch: z.boolean().optional(),
});
type Child = z.output<typeof children>['files'][number];

/** Of what a folder holds, as far as it was read. @param contents undefined: it isn't a folder */
export function idsIn(contents: FolderContents | undefined): readonly string[] {
  if (contents === undefined) return [];
  return contents.isComplete ? contents.items : [...contents.items, UNKNOWN_ITEM];
}

/** Breadth first, up to 200 items. @param trashed what lies in the trash, of a folder that does */
export async function readContents(session: WorkspaceSession, folder: string, trashed: boolean): Promise<FolderContents> {
  const found = new Map<string, Child>();
  let open = [folder];
  let isComplete = true;
  for (let requests = 0; open.length > 0 && isComplete; requests += 1) {
    if (requests === MAX_LEVELS) {
      isComplete = false;
      break;
    }
    const [now, later] = [open.slice(0, FOLDERS), open.slice(FOLDERS)];
    const { files, nextPageToken, incompleteSearch } = await listChildren(session, now, trashed);
    const added = files.filter(({ id }) => id !== folder && !found.has(id));
    for (const file of added.slice(0, MAX_ITEMS - found.size)) found.set(file.id, file);
    isComplete = nextPageToken === undefined && incompleteSearch !== true && added.every(({ id }) => found.has(id));
    open = [...later, ...added.filter(({ mimeType }) => mimeType === FOLDER).map(({ id }) => id)];
  }
  const items = [...found.keys()].sort();
  return { items, version: hashOf([isComplete, ...items.map((id) => found.get(id)?.version.content)]), isComplete };
}

function listChildren(session: WorkspaceSession, folders: readonly string[], trashed: boolean) {
  const params = {
    // Ids have no quotation marks.
    q: `(${folders.map((id) => `'${id}' in parents`).join(' or ')}) and trashed = ${trashed}`,
    pageSize: MAX_ITEMS + 1,
    // Of more than 200 items always the same ones.
    orderBy: 'createdTime',
    corpora: 'allDrives',
    includeItemsFromAllDrives: true,
    supportsAllDrives: true,
    fields: `nextPageToken,incompleteSearch,files(${VERSION_FIELDS})`,
  };
  return session.call('drive.files.list', params, children);
}
