import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { WorkspaceApiError } from '../../providers/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace-session.ts';
import { builtIn } from '../built-in.ts';
import { fileReference } from '../file-reference.ts';
import { manyLines } from '../shown-text.ts';
import { type DriveFile, driveFile, FILE_FIELDS, FOLDER, fileItem, NATIVE, openFile, shownLine, toItem } from './drive-file.ts';
import { offset, textPart } from './text-part.ts';

/** The format that each of the drive's own kinds is read in. */
const EXPORTS: Record<string, string> = {
  [`${NATIVE}document`]: 'text/markdown',
  [`${NATIVE}spreadsheet`]: 'text/csv',
  [`${NATIVE}presentation`]: 'text/plain',
};
/** Files that are text though their type doesn't begin with it. */
const TEXT_TYPES =
  /^(text\/.+|application\/(json|xml|yaml|x-yaml|javascript|x-javascript|sql|toml|x-sh|csv|x-ndjson|.+\+(json|xml))|image\/svg\+xml)$/;
/** A little below what one answer of the provider's may hold. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024;
/** In base64 it still fits into an answer. */
const MAX_BINARY_BYTES = 128 * 1024;

const readable = manyLines(2 * MAX_TEXT_BYTES);

const INFO_FIELDS = `${FILE_FIELDS},description,createdTime,permissions(type,role,emailAddress)`;
const fileWithInfo = driveFile.extend({
  description: shownLine.optional(),
  createdTime: z.iso.datetime({ offset: true }).optional().catch(undefined),
  permissions: z.array(z.object({ type: shownLine, role: shownLine, emailAddress: shownLine.optional() })).optional(),
});

export const infoAction = builtIn({
  name: 'drive.info',
  provider: 'workspace',
  effect: 'read',
  description: 'Tell what a file or folder is, where it lies and who may see it; of a shortcut, where it leads.',
  scopes: ['drive'],
  input: z.strictObject({ id: fileReference().describe('Id or web address of the file.') }),
  output: fileItem.extend({
    created: z.string().optional(),
    description: z.string().optional(),
    people: z
      .array(z.object({ who: z.string(), role: z.string() }))
      .optional()
      .describe('Who may see it, the first hundred; absent where the account may not know.'),
  }),
  summary: ({ id }) => `Look up the file ${id}`,
  run: ({ id }, { session }) => describeFile(session, id),
});

export const readAction = builtIn({
  name: 'drive.read',
  provider: 'workspace',
  effect: 'read',
  description:
    'Read a file: documents as Markdown, spreadsheets (first sheet) as CSV, presentations and text files as text, small other files as base64. Long text comes in parts.',
  scopes: ['drive'],
  input: z.strictObject({ id: fileReference().describe('Id or web address of the file; shortcuts are followed.'), offset }),
  output: fileItem.extend({
    format: z.string().describe('What `text` is, or what `base64` holds.'),
    text: z.string().optional(),
    base64: z.string().optional(),
    next_offset: z.number().optional().describe('There is more: give it as `offset`.'),
  }),
  summary: ({ id }) => `Read the file ${id}`,
  async run({ id, offset: start }, { session }) {
    const file = await openFile(session, id);
    const { bytes, format } = await contentOf(session, file);
    if (!isText(format)) return { ...toItem(file), format, base64: bytes.toString('base64') };
    const { text, next } = textPart(readable.parse(decode(bytes)), start);
    return { ...toItem(file), format, text, ...(next !== undefined && { next_offset: next }) };
  },
});

async function describeFile(session: WorkspaceSession, fileId: string) {
  const params = { fileId, supportsAllDrives: true, fields: INFO_FIELDS };
  const { createdTime, description, permissions, ...file } = await session.call('drive.files.get', params, fileWithInfo);
  const people = permissions?.slice(0, 100).map(({ type, role, emailAddress }) => ({ who: emailAddress ?? type, role }));
  return {
    ...toItem(file),
    ...(createdTime !== undefined && { created: createdTime }),
    ...(description !== undefined && { description }),
    ...(people !== undefined && { people }),
  };
}

/** @throws AppError that names the file and its link when it can't be read here */
async function contentOf(session: WorkspaceSession, file: DriveFile): Promise<{ bytes: Buffer; format: string }> {
  const { id, mimeType } = file;
  if (mimeType === FOLDER) throw refusal(file, 'invalid_request', 'is a folder: list it with drive.search');
  const format = mimeType.startsWith(NATIVE) ? EXPORTS[mimeType] : mimeType;
  if (format === undefined) throw refusal(file, 'unsupported_media_type', 'can’t be read as text: open it by its link');
  refuseTooLarge(file, format);
  try {
    const { bytes } = mimeType.startsWith(NATIVE)
      ? await session.download('drive.files.export', { fileId: id, mimeType: format })
      : await session.download('drive.files.get', { fileId: id, alt: 'media', supportsAllDrives: true });
    if (!isText(format) && bytes.length > MAX_BINARY_BYTES) throw refusal(file, 'too_large', 'is too large to be handed over');
    return { bytes, format };
  } catch (error) {
    throw readFailure(file, error);
  }
}

/** Before anything is fetched, where the size is known. */
function refuseTooLarge(file: DriveFile, format: string): void {
  const { size = 0 } = file;
  if (isText(format) && size > MAX_TEXT_BYTES) throw refusal(file, 'too_large', 'has more than 10 MB of text: open it by its link');
  if (!isText(format) && size > MAX_BINARY_BYTES)
    throw refusal(file, 'too_large', 'is no text and has more than 128 kB: open it by its link');
}

function readFailure(file: DriveFile, error: unknown): unknown {
  const isExportLimit = error instanceof WorkspaceApiError && error.reason === 'exportSizeLimitExceeded';
  if (isExportLimit) return refusal(file, 'too_large', 'is over 10 MB as an export, which the provider refuses: open it by its link');
  if (error instanceof AppError && error.code === 'too_large' && error.details === undefined) {
    return refusal(file, 'too_large', 'is too large to be read: open it by its link');
  }
  return error;
}

function refusal(file: DriveFile, code: 'invalid_request' | 'too_large' | 'unsupported_media_type', why: string): AppError {
  return new AppError(code, `“${file.name}” ${why}.`, { details: { ...toItem(file) } });
}

function isText(format: string): boolean {
  return TEXT_TYPES.test(format);
}

/** UTF-8 or UTF-16 with a mark, else UTF-8, else what Windows wrote in western Europe. */
function decode(bytes: Buffer): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
