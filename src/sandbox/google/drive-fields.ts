import { invalid } from './api-fault.ts';

/** What a partial answer keeps: names with what is kept below them; null = all of it. */
interface Mask {
  [name: string]: Mask | null;
}

/** What files are known to have: a mask that names anything else is refused, as the provider does. */
const FILE_FIELDS =
  'kind id name mimeType description starred trashed explicitlyTrashed parents properties appProperties spaces version webContentLink webViewLink iconLink hasThumbnail thumbnailLink viewedByMe viewedByMeTime createdTime modifiedTime modifiedByMe modifiedByMeTime sharedWithMeTime sharingUser owners driveId lastModifyingUser shared ownedByMe capabilities viewersCanCopyContent copyRequiresWriterPermission writersCanShare permissions permissionIds folderColorRgb originalFilename fullFileExtension fileExtension md5Checksum sha1Checksum sha256Checksum size quotaBytesUsed headRevisionId contentHints imageMediaMetadata videoMediaMetadata isAppAuthorized exportLinks shortcutDetails contentRestrictions linkShareMetadata labelInfo resourceKey';
const KNOWN = new Set(FILE_FIELDS.split(' '));

/**
 * The part of a file that `fields` asks for.
 *
 * @throws ApiFault 400 when the mask can't be read or names an unknown field
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

/** The part of any answer that `fields` asks for; null = the whole answer. */
export function answerPart(answer: object, fields: string | null): object {
  return fields === null ? answer : (part(answer, parseMask(fields)) as object);
}

function checkFileMask(mask: Mask): void {
  const unknown = Object.keys(mask).find((name) => name !== '*' && !KNOWN.has(name));
  if (unknown !== undefined) throw invalid(`Invalid field selection ${unknown}`);
}

/** `a,b(c,d/e),*` */
function parseMask(fields: string): Mask {
  const tokens = fields.match(/[A-Za-z_*][A-Za-z0-9_]*|[(),/]|\S/g) ?? [];
  let at = 0;
  const list = (): Mask => {
    const mask: Mask = {};
    do {
      const name = tokens[at++] ?? '';
      if (!/^(\*|\w+)$/.test(name)) throw invalid(`Invalid field selection ${name}`);
      mask[name] = below();
    } while (tokens[at] === ',' && at++ >= 0);
    return mask;
  };
  const below = (): Mask | null => {
    if (tokens[at] === '/') {
      at += 1;
      const name = tokens[at++] ?? '';
      return { [name]: below() };
    }
    if (tokens[at] !== '(') return null;
    at += 1;
    const inner = list();
    if (tokens[at++] !== ')') throw invalid('Invalid field selection');
    return inner;
  };
  const mask = list();
  if (at < tokens.length) throw invalid(`Invalid field selection ${tokens[at]}`);
  return mask;
}

function part(value: unknown, mask: Mask | null): unknown {
  if (mask === null || '*' in mask) return value;
  if (Array.isArray(value)) return value.map((item) => part(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => Object.hasOwn(mask, name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, part(inner, mask[name] ?? null)]));
}
