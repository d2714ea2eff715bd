import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { list } from '../../providers/transport/response-list.ts';
import { FOLDER } from '../../providers/workspace/folder-contents.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { looksLike, type OfficeFormat, officeFormat, officeText } from '../files/office-text.ts';
import { isPage, isTextContent, textType } from '../files/text-types.ts';
import { builtIn } from '../shared/built-in.ts';
import { fileReference } from '../shared/file-reference.ts';
import { offset, type PartLimit, partLimit } from '../shared/text-part.ts';
import {
  type DriveFile,
  downloadFile,
  driveFile,
  FILE_FIELDS,
  fileItem,
  fileSource,
  getFile,
  isExportLimit,
  NATIVE,
  openFile,
  shownFile,
  shownLine,
  toItem,
} from './drive-file.ts';
import { granteeOf } from './file-permissions.ts';
import { decodeFile } from './file-text.ts';
import { readerOf } from './wrong-kind.ts';

/** The export formats of native types. */
const EXPORTS: Record<string, string> = {
  [`${NATIVE}document`]: 'text/markdown',
  [`${NATIVE}spreadsheet`]: 'text/csv',
  [`${NATIVE}presentation`]: 'text/plain',
};
const MAX_TEXT_BYTES = 10 * 1024 * 1024;
/** An export, whose size isn't known in advance, may be a little larger. */
const MAX_DOWNLOAD_BYTES = 12 * 1024 * 1024;
const MAX_BINARY_BYTES = 128 * 1024;
/** Longer texts are read off the main thread; pages, which take longer, from some 10 ms on. */
const LONG_BYTES = { page: 6 * 1024, text: 256 * 1024 };

const INFO_FIELDS = `${FILE_FIELDS},description,createdTime,permissions(type,role,emailAddress,domain)`;
const fileWithInfo = driveFile.extend({
  description: shownLine.optional(),
  createdTime: z.iso.datetime({ offset: true }).optional().catch(undefined),
  permissions: list(
    z.object({ type: shownLine, role: shownLine, emailAddress: shownLine.optional(), domain: shownLine.optional() }),
  ).optional(),
});

export const infoAction = builtIn('workspace', {
  name: 'drive.info',
  effect: 'read',
  description: 'Show the type, folder and permissions of a file or folder; for a shortcut, also its target.',
  scopes: ['drive'],
  input: z.strictObject({ id: fileReference().describe('Id or URL of the file.') }),
  output: fileItem.extend({
    created: z.string().optional(),
    description: z.string().optional(),
    people: z
      .array(z.object({ who: z.string(), role: z.string() }))
      .optional()
      .describe('Who has access; absent if the account may not see it, and in shared drives: use drive.permissions.'),
  }),
  sources: (file) => [fileSource(file)],
  summary: ({ id }) => `Show the file ${id}`,
  shown: async ({ id }, _facts, { session }) => ({ items: { id: [shownFile(await getFile(session, id))] } }),
  run: ({ id }, { session }) => describeFile(session, id),
});

export const readAction = builtIn('workspace', {
  name: 'drive.read',
  effect: 'read',
  description:
    'Read a file: documents as Markdown, spreadsheets (first sheet) as CSV, other text, PDF and DOCX as text, small other files as base64. Long text comes in parts.',
  scopes: ['drive'],
  input: z.strictObject({ id: fileReference().describe('Id or URL of the file; shortcuts are followed.'), offset }),
  output: fileItem.extend({
    format: z.string().describe('Media type of `text` or `base64`.'),
    text: z.string().optional(),
    base64: z.string().optional(),
    next_offset: z.number().optional().describe('There is more: pass this as `offset`.'),
  }),
  // Of text that was uploaded, the provider doesn't know who wrote it.
  sources: ({ id: item, name, owner: author, modified: time }) => [{ item, integrity: 'others', name, author, time }],
  summary: ({ id }) => `Read the file ${id}`,
  shown: async ({ id }, _facts, { session }) => ({ items: { id: [shownFile(await openFile(session, id))] } }),
  async run({ id, offset: start }, { session, capBytes }) {
    const file = await openFile(session, id);
    const item = toItem(file);
    return { ...item, ...(await contentOf(session, file, start, partLimit(capBytes, item))) };
  },
});

async function describeFile(session: WorkspaceSession, fileId: string) {
  const params = { fileId, supportsAllDrives: true, fields: INFO_FIELDS };
  const { createdTime, description, permissions, ...file } = await session.call('drive.files.get', params, fileWithInfo);
  const people = permissions?.map((permission) => ({ who: granteeOf(permission), role: permission.role }));
  return {
    ...toItem(file),
    created: createdTime,
    description,
    people,
  };
}

/** @throws AppError that names the file and its link if it can't be read */
async function contentOf(session: WorkspaceSession, file: DriveFile, start: number, limit: PartLimit) {
  const { mimeType } = file;
  if (mimeType === FOLDER) throw unreadable(file, 'invalid_request', 'is a folder: list it with drive.search');
  const format = mimeType.startsWith(NATIVE) ? EXPORTS[mimeType] : mimeType;
  if (format === undefined) throw unreadable(file, 'unsupported_media_type', 'can’t be read as text: open its link');
  assertSize(file, format, limit);
  const type = textType(format, file.name);
  try {
    if (type !== undefined) {
      return await downloadFile(session, file, format, MAX_DOWNLOAD_BYTES, (bytes) =>
        textContent(session, file, { type, bytes, start, limit }),
      );
    }
    const office = officeFormat(mimeType, file.name);
    if (office !== undefined) {
      const read = (bytes: Uint8Array<ArrayBuffer>) => officeContent(session, file, { office, bytes, start, limit });
      return await downloadFile(session, file, format, MAX_DOWNLOAD_BYTES, read);
    }
    return { format, base64: await downloadFile(session, file, format, binaryBytes(limit), toBase64) };
  } catch (error) {
    throw readFailure(file, error);
  }
}

/** As text; a file that is not what its type or name says, as any other. */
async function textContent(
  session: WorkspaceSession,
  file: DriveFile,
  { type, bytes, start, limit }: { type: string; bytes: Uint8Array<ArrayBuffer>; start: number; limit: PartLimit },
) {
  if (!isTextContent(bytes)) return otherContent(file, bytes, limit);
  const input = { bytes, mimeType: type, start, limit };
  const isLong = bytes.length > (isPage(type) ? LONG_BYTES.page : LONG_BYTES.text);
  const part = await (isLong ? session.offThread(decodeFile, input, [bytes.buffer]) : decodeFile.run(input));
  return { format: isPage(type) ? 'text/plain' : type, ...part };
}

/** The same of a PDF or a Word document. */
async function officeContent(
  session: WorkspaceSession,
  file: DriveFile,
  { office, bytes, start, limit }: { office: OfficeFormat; bytes: Uint8Array<ArrayBuffer>; start: number; limit: PartLimit },
) {
  if (!looksLike(office, bytes)) return otherContent(file, bytes, limit);
  const input = { content: bytes, format: office, start, limit };
  const { size: _, ...part } = await session.onOwnThread(officeText, input, [bytes.buffer]);
  return { format: 'text/plain', ...part };
}

function otherContent(file: DriveFile, bytes: Uint8Array, limit: PartLimit) {
  if (bytes.length > binaryBytes(limit)) throw tooLargeBinary(file, limit);
  return { format: file.mimeType, base64: toBase64(bytes) };
}

/** Checks the size before the download, if it is known. */
function assertSize(file: DriveFile, format: string, limit: PartLimit): void {
  const { size = 0 } = file;
  const isRead = textType(format, file.name) !== undefined || officeFormat(format, file.name) !== undefined;
  if (isRead && size > MAX_TEXT_BYTES) throw unreadable(file, 'too_large', 'has more than 10 MB: open its link');
  if (!isRead && size > binaryBytes(limit)) throw tooLargeBinary(file, limit);
}

/** What fits into a result as base64. */
function binaryBytes({ bytes }: PartLimit): number {
  return Math.max(0, Math.min(MAX_BINARY_BYTES, Math.floor((bytes * 3) / 4)));
}

function tooLargeBinary(file: DriveFile, limit: PartLimit): AppError {
  return unreadable(file, 'too_large', `is not text and has more than ${Math.floor(binaryBytes(limit) / 1024)} kB: open its link`);
}

function readFailure(file: DriveFile, error: unknown): unknown {
  if (isExportLimit(error)) {
    return unreadable(file, 'too_large', `is larger than the provider’s export limit of 10 MB: use ${readerOf(file)}`);
  }
  if (error instanceof WorkspaceApiError && error.code === 'forbidden') return undownloadable(file, error);
  if (error instanceof AppError && error.code === 'too_large' && error.details === undefined) {
    return unreadable(file, 'too_large', 'is too large to be read: open its link');
  }
  if (error instanceof AppError && error.code === 'unsupported_media_type' && error.details === undefined) {
    return new AppError(error.code, `${error.message} Open its link.`, { details: { ...toItem(file) }, cause: error });
  }
  return error;
}

function unreadable(file: DriveFile, code: 'invalid_request' | 'too_large' | 'unsupported_media_type', why: string): AppError {
  return new AppError(code, `“${file.name}” ${why}.`, { details: { ...toItem(file) } });
}

/** What the provider says of downloads (Drive API, Resolve errors). */
const REFUSALS: Partial<Record<string, string>> = {
  cannotDownloadAbusiveFile: 'is taken for malware or spam by the provider, which doesn’t let it be downloaded.',
  cannotDownloadFile: 'may be viewed but not downloaded by this account: open its link.',
};

/** With the provider's own words, and the file. */
function undownloadable(file: DriveFile, error: WorkspaceApiError): AppError {
  const why = REFUSALS[error.reason] ?? `can’t be downloaded by this account (${error.reason || 'forbidden'}): open its link.`;
  return new AppError('forbidden', `“${file.name}” ${why}`, { details: { ...error.details, ...toItem(file) }, cause: error });
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
