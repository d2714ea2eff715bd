import { z } from 'zod';
import { addressKey, domainKey } from '../../validation/email-address.ts';
import { type Audience, UNKNOWN, union, type Viewer } from '../shared/audience.ts';
import { list } from '../transport/response-list.ts';
import type { WorkspaceSession } from './workspace-session.ts';

/** Optional fields with invalid values are dropped, and count as unknown. */
const word = z.string().max(500).optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

/**
 * How a file is shared. Permissions that a folder passes on are among the file's own. Users who may not share a file
 * don't see its permissions, and those of files in shared drives are never listed here
 * (Drive API v3, `files.permissions`).
 */
export const fileSharing = z.object({
  shared: flag,
  ownedByMe: flag,
  /** Of the shared drive that the file is in. */
  driveId: word,
  owners: list(z.object({ emailAddress: word, displayName: word, me: flag }))
    .optional()
    .catch(undefined),
  permissions: list(z.object({ type: word, role: word, emailAddress: word, domain: word }))
    .optional()
    .catch(undefined),
});

type FileSharing = z.output<typeof fileSharing>;
type FilePermission = NonNullable<FileSharing['permissions']>[number];

/** More than a person can read. */
const MAX_LISTED = 500;
/** The fields of {@link fileSharing} as the API's `fields` names them. */
export const SHARING_FIELDS = 'shared,ownedByMe,driveId,owners(emailAddress,displayName,me),permissions(type,role,emailAddress,domain)';

/**
 * Who sees a file besides the account. A file counts as private only if the provider says that it is the account's and
 * not shared.
 *
 * @param own address of the account
 */
export function fileAudience(file: FileSharing, own: string): Audience {
  const isPrivate = file.ownedByMe === true && file.shared === false && file.driveId === undefined;
  if (isPrivate) return [];
  const isOther = (viewer: Viewer) => viewer.kind !== 'person' || viewer.address !== addressKey(own);
  const isOwn = ({ role }: FilePermission) => role === 'owner' && file.ownedByMe === true;
  const permissions = file.permissions ?? [];
  const listed = permissions
    .slice(0, MAX_LISTED)
    .filter((permission) => !isOwn(permission))
    .map(viewerOf)
    .filter(isOther);
  const owners = (file.owners ?? []).filter(({ me }) => me !== true).map(({ emailAddress }) => personOf(emailAddress));
  const isComplete = file.driveId === undefined && listed.length > 0 && permissions.length <= MAX_LISTED;
  return union(owners.filter(isOther), listed, isComplete ? [] : UNKNOWN);
}

/** @throws AppError `not_found` */
export async function readFileAudience(session: WorkspaceSession, fileId: string, own: string): Promise<Audience> {
  const params = { fileId, supportsAllDrives: true, fields: SHARING_FIELDS };
  return fileAudience(await session.call('drive.files.get', params, fileSharing), own);
}

/** Whom a permission lets see a file. */
export function viewerOf({ type, emailAddress, domain }: Omit<FilePermission, 'role'>): Viewer {
  if (type === 'anyone') return { kind: 'anyone' };
  if (type === 'domain' && domain !== undefined) return { kind: 'domain', domain: domainKey(domain) };
  if (type === 'group' && emailAddress !== undefined) return { kind: 'group', address: addressKey(emailAddress) };
  return type === 'user' ? personOf(emailAddress) : { kind: 'unknown' };
}

function personOf(address: string | undefined): Viewer {
  return address === undefined ? { kind: 'unknown' } : { kind: 'person', address: addressKey(address) };
}
