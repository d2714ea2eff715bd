import { notFound } from '../api-fault.ts';
import { type Account, fileIdOf } from '../workspace-accounts.ts';
import type { StoredDocument } from './docs-model.ts';

/** The data of an account's drive, including its documents, which are files, too. */
export interface DriveState {
  /** Id of the folder "My Drive". */
  rootId: string;
  files: StoredFile[];
  /** By the id of their file. */
  documents: Record<string, StoredDocument>;
  /** Number of files created since the start, for new ids. */
  made: number;
  /** Oldest first. */
  changes?: FileChange[];
  /** Number of the newest change. */
  newestChange?: number;
  /** Page tokens before this number have ended. */
  changesFrom?: number;
}

/** A change of a file, which may be gone since. */
export interface FileChange {
  number: number;
  fileId: string;
  /** RFC 3339. */
  time: string;
}

export interface StoredFile {
  id: string;
  name: string;
  mimeType: string;
  parents: string[];
  /** Times as RFC 3339. */
  createdTime: string;
  modifiedTime: string;
  trashed: boolean;
  starred: boolean;
  description?: string;
  owner: { email: string; name: string };
  /** Who changed it last, unless it was the owner. */
  modifiedBy?: { email: string; name: string; me: boolean };
  /** The account's role. */
  role: DriveRole;
  sharedWithMeTime?: string;
  /** Its shared drive. */
  driveId?: string;
  /** False: the account never opened it. */
  viewedByMe?: boolean;
  shortcut?: { targetId: string; targetMimeType: string };
  permissions: StoredPermission[];
  version: number;
  comments?: StoredComment[];
  content?: StoredContent;
  /** Size of its exports, if it differs from the stored content's. */
  exportBytes?: number;
}

export type DriveRole = 'owner' | 'writer' | 'commenter' | 'reader';

export interface StoredPermission {
  id: string;
  type: 'user' | 'group' | 'domain' | 'anyone';
  role: DriveRole;
  email?: string;
  domain?: string;
}

/** A permission on a file. */
export interface EffectivePermission extends StoredPermission {
  /** Id of the folder that passes it on; undefined: the file's own. */
  inheritedFrom?: string;
}

export interface StoredComment {
  id: string;
  /** Displayed name. */
  author: string;
  content: string;
  /** RFC 3339. */
  at: string;
  resolved: boolean;
}

/** `made` content is generated when it is read: `bytes` of noise, or numbered lines. */
export type StoredContent =
  | { kind: 'text'; text: string }
  | { kind: 'base64'; base64: string }
  | { kind: 'made'; what: 'noise' | 'lines'; bytes: number };

export const NATIVE = 'application/vnd.google-apps.';
export const FOLDER = `${NATIVE}folder`;
export const SHORTCUT = `${NATIVE}shortcut`;
export const DOCUMENT = `${NATIVE}document`;
export const SPREADSHEET = `${NATIVE}spreadsheet`;
export const PRESENTATION = `${NATIVE}presentation`;

/** An id in the drive's format, derived from account and key. */
export function driveIdOf(account: Account, key: string): string {
  return fileIdOf(account, 'drive', key).slice(0, 33);
}

export function newFileId(state: DriveState, account: Account): string {
  state.made += 1;
  return driveIdOf(account, `made:${state.made}`);
}

/** @throws ApiFault 404, also for a file of a shared drive if the call does not support them */
export function fileOf(state: DriveState, id: string | undefined, query: URLSearchParams): StoredFile {
  const wanted = id === 'root' ? state.rootId : id;
  const file = state.files.find((candidate) => candidate.id === wanted);
  if (file === undefined || (file.driveId !== undefined && query.get('supportsAllDrives') !== 'true'))
    throw notFound(`File not found: ${id}.`);
  return file;
}

/**
 * A change of a file. No two have the same time, which the sandbox's clock alone wouldn't ensure.
 *
 * @param by who changes it; `me`: whether that is the account
 */
export function touch(file: StoredFile, now: number, by: Pick<Account, 'email' | 'name'>, me = true): void {
  file.modifiedBy = { email: by.email, name: by.name, me };
  file.version += 1;
  file.modifiedTime = new Date(Math.max(now, Date.parse(file.modifiedTime) + 1)).toISOString();
}

/** The permissions of a file: its own, and those that its folders pass on. Of two of one grantee, the nearer one. */
export function permissionsOf(state: DriveState, file: StoredFile): EffectivePermission[] {
  const found = new Map<string, EffectivePermission>();
  const visited = new Set<StoredFile>();
  for (let at: StoredFile | undefined = file; at !== undefined && !visited.has(at); ) {
    visited.add(at);
    for (const permission of at.permissions) {
      const grantee = `${permission.type} ${permission.email ?? permission.domain ?? ''}`;
      if (!found.has(grantee)) found.set(grantee, at === file ? permission : { ...permission, inheritedFrom: at.id });
    }
    const parent: string | undefined = at.parents[0];
    at = state.files.find(({ id }) => id === parent);
  }
  return [...found.values()];
}

/** A file that the account created or owns. */
export function ownFile(account: Account, id: string, name: string, mimeType: string, parent: string, now: number): StoredFile {
  const at = new Date(now).toISOString();
  return {
    id,
    name,
    mimeType,
    parents: [parent],
    createdTime: at,
    modifiedTime: at,
    trashed: false,
    starred: false,
    owner: { email: account.email, name: account.name },
    role: 'owner',
    permissions: [{ id: account.sub, type: 'user', role: 'owner', email: account.email }],
    version: 1,
  };
}
