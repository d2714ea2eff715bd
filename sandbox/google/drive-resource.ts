import { contentHash, sizeOf } from './drive-content.ts';
import {
  DOCUMENT,
  type DriveState,
  type EffectivePermission,
  FOLDER,
  PRESENTATION,
  permissionsOf,
  SPREADSHEET,
  type StoredFile,
} from './drive-state.ts';

const EDITORS: Record<string, string> = { [DOCUMENT]: 'document', [SPREADSHEET]: 'spreadsheets', [PRESENTATION]: 'presentation' };

/** A file in a response, with every field. */
export function fileResource(state: DriveState, file: StoredFile): object {
  const { id, name, mimeType, parents, createdTime, modifiedTime, trashed, starred, driveId, viewedByMe = true, shortcut } = file;
  const size = sizeOf(file);
  const permissions = permissionsOf(state, file);
  const mayWrite = file.role === 'owner' || file.role === 'writer';
  return {
    kind: 'drive#file',
    id,
    name,
    mimeType,
    starred,
    trashed,
    explicitlyTrashed: trashed,
    version: String(file.version),
    spaces: ['drive'],
    ...(parents.length > 0 && { parents }),
    ...(file.description !== undefined && { description: file.description }),
    webViewLink: webLink(file),
    createdTime,
    modifiedTime,
    lastModifyingUser: modifierOf(file),
    viewedByMe,
    ...(file.sharedWithMeTime !== undefined && { sharedWithMeTime: file.sharedWithMeTime }),
    // Files of a shared drive have no owners.
    ...(driveId === undefined
      ? {
          owners: [{ kind: 'drive#user', displayName: file.owner.name, emailAddress: file.owner.email, me: file.role === 'owner' }],
          ownedByMe: file.role === 'owner',
          shared: permissions.length > 1 || file.role !== 'owner',
          ...(mayWrite && { permissions: permissions.map(permissionResource) }),
        }
      : { driveId }),
    capabilities: {
      canEdit: mayWrite,
      canShare: mayWrite,
      canTrash: file.role === 'owner',
      canCopy: mimeType !== FOLDER,
      canDownload: true,
    },
    ...(size !== undefined && { size: String(size), quotaBytesUsed: String(size), originalFilename: name, ...revisionOf(file) }),
    ...(shortcut !== undefined && { shortcutDetails: shortcut }),
  };
}

function modifierOf({ modifiedBy, owner, role }: StoredFile): object {
  const { email, name, me } = modifiedBy ?? { ...owner, me: role === 'owner' };
  return { kind: 'drive#user', displayName: name, emailAddress: email, me };
}

/** Of a file with stored content; a native one has neither. */
function revisionOf(file: StoredFile): object {
  const md5Checksum = contentHash(file);
  return { md5Checksum, headRevisionId: `rev-${file.id}-${md5Checksum}` };
}

export function permissionResource({ id, type, role, email, domain, inheritedFrom }: EffectivePermission): object {
  const person = email !== undefined && { emailAddress: email, displayName: email.split('@', 1)[0] };
  const company = domain !== undefined && { domain, displayName: domain };
  const from = inheritedFrom === undefined ? { inherited: false } : { inherited: true, inheritedFrom };
  const permissionDetails = [{ permissionType: 'file', role, ...from }];
  return { kind: 'drive#permission', id, type, role, ...person, ...company, permissionDetails, deleted: false, pendingOwner: false };
}

function webLink({ id, mimeType }: StoredFile): string {
  if (mimeType === FOLDER) return `https://drive.google.com/drive/folders/${id}`;
  const editor = EDITORS[mimeType];
  return editor === undefined
    ? `https://drive.google.com/file/d/${id}/view?usp=drivesdk`
    : `https://docs.google.com/${editor}/d/${id}/edit?usp=drivesdk`;
}
