import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { list } from '../../providers/transport/response-list.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { addressKey, domainKey } from '../../validation/email-address.ts';
import { quoted } from '../shared/display-text.ts';
import { shownLine } from './drive-file.ts';

/** Largest page of the provider's list. */
const PAGE = 100;
/** More is not searched for one grantee. */
const MAX_PAGES = 20;

/** Optional fields with invalid values are dropped. */
const word = shownLine.optional().catch(undefined);
const detail = z.object({ inherited: z.boolean().optional().catch(undefined), inheritedFrom: word });

const filePermission = z.object({
  id: z.string().regex(/^[\w.-]{1,255}$/),
  type: shownLine,
  role: shownLine,
  emailAddress: word,
  domain: word,
  displayName: word,
  /** A temporary permission. */
  expirationTime: word,
  permissionDetails: list(detail, 100).optional().catch(undefined),
});

export type FilePermission = z.output<typeof filePermission>;

const FIELDS =
  'nextPageToken,permissions(id,type,role,emailAddress,domain,displayName,expirationTime,permissionDetails(inherited,inheritedFrom))';
const permissionList = z.object({ nextPageToken: z.string().max(4_096).optional(), permissions: list(filePermission, 1_000).default([]) });

/** One page of a file's permissions, those that folders pass on included. */
export async function listPermissions(session: WorkspaceSession, fileId: string, page: string | undefined) {
  const params = { fileId, supportsAllDrives: true, pageSize: PAGE, fields: FIELDS, pageToken: page };
  const { permissions, nextPageToken } = await session.call('drive.permissions.list', params, permissionList);
  return { permissions, next: nextPageToken };
}

/** Who has a permission: a mail address, a domain, or `anyone`. */
export function granteeOf({ type, emailAddress, domain }: Pick<FilePermission, 'type' | 'emailAddress' | 'domain'>): string {
  return emailAddress ?? domain ?? type;
}

/** Whether only a folder gives it: then it can't be removed from the file alone. */
export function isInherited({ permissionDetails = [] }: FilePermission): boolean {
  return permissionDetails.length > 0 && permissionDetails.every(({ inherited }) => inherited === true);
}

/**
 * The permission of one grantee that can be removed from the file.
 *
 * @param who see {@link granteeOf}, in any case
 * @throws AppError `not_found` if there is none, `invalid_request` if it is the owner's, or a folder's
 */
export async function removablePermission(session: WorkspaceSession, fileId: string, who: string): Promise<FilePermission> {
  const found = await findPermission(session, fileId, keyOf(who));
  if (found === undefined) throw new AppError('not_found', `who: The file is not shared with ${quoted(who)}.`);
  if (found.role === 'owner') throw new AppError('invalid_request', 'who: The owner of a file can’t be removed.');
  if (!isInherited(found)) return found;
  const folder = found.permissionDetails?.find(({ inheritedFrom }) => inheritedFrom !== undefined)?.inheritedFrom;
  throw new AppError('invalid_request', `who: ${quoted(who)} has access to a folder that the file is in. Unshare that folder instead.`, {
    ...(folder !== undefined && { details: { folder } }),
  });
}

async function findPermission(session: WorkspaceSession, fileId: string, who: string): Promise<FilePermission | undefined> {
  let page: string | undefined;
  for (let read = 0; read < MAX_PAGES; read += 1) {
    const { permissions, next } = await listPermissions(session, fileId, page);
    const found = permissions.find((permission) => keyOf(granteeOf(permission)) === who);
    if (found !== undefined || next === undefined) return found;
    page = next;
  }
  throw new AppError('too_large', 'The file has more permissions than can be searched.');
}

function keyOf(who: string): string {
  return who.includes('@') ? addressKey(who) : domainKey(who);
}
