import { invalid } from '../api-fault.ts';
import { type Mask, parseMask, part } from './partial-response.ts';

/** Known fields of files. A mask that names others is rejected, as the provider does. */
const FILE_FIELDS =
  'kind id name mimeType description starred trashed explicitlyTrashed parents properties appProperties spaces version webContentLink webViewLink iconLink hasThumbnail thumbnailLink viewedByMe viewedByMeTime createdTime modifiedTime modifiedByMe modifiedByMeTime sharedWithMeTime sharingUser owners driveId lastModifyingUser shared ownedByMe capabilities viewersCanCopyContent copyRequiresWriterPermission writersCanShare permissions permissionIds folderColorRgb originalFilename fullFileExtension fileExtension md5Checksum sha1Checksum sha256Checksum size quotaBytesUsed headRevisionId contentHints imageMediaMetadata videoMediaMetadata isAppAuthorized exportLinks shortcutDetails contentRestrictions linkShareMetadata labelInfo resourceKey';
const KNOWN = new Set(FILE_FIELDS.split(' '));

/**
 * The part of a file that `fields` selects.
 *
 * @throws ApiFault 400 for an invalid mask or an unknown field
 */
export function filePart(file: object, fields: string | null): object {
  const mask = parseMask(fields ?? 'kind,id,name,mimeType');
  checkFileMask(mask);
  return part(file, mask) as object;
}

/** As {@link filePart}, for a list of files. */
export function listPart(list: { files: object[] }, fields: string | null): object {
  const mask = parseMask(fields ?? 'kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)');
  if (mask.files) checkFileMask(mask.files);
  return part(list, mask) as object;
}

function checkFileMask(mask: Mask): void {
  const unknown = Object.keys(mask).find((name) => name !== '*' && !KNOWN.has(name));
  if (unknown !== undefined) throw invalid(`Invalid field selection ${unknown}`);
}
