import { createHash } from 'node:crypto';
import { ApiFault } from '../api-fault.ts';
import { markdownOf } from './docs-export.ts';
import { plainText } from './docs-model.ts';
import { DOCUMENT, type DriveState, NATIVE, PRESENTATION, SPREADSHEET, type StoredContent, type StoredFile } from './drive-state.ts';

/** Larger exports are rejected (files.export: "limited to 10 MB"). */
const MAX_EXPORT_BYTES = 10 * 1024 * 1024;

const EXPORTS: Record<string, readonly string[]> = {
  [DOCUMENT]: ['text/plain', 'text/markdown', 'application/pdf'],
  [SPREADSHEET]: ['text/csv', 'application/pdf'],
  [PRESENTATION]: ['text/plain', 'application/pdf'],
};

/** Size of a file; native files have none. */
export function sizeOf(file: StoredFile): number | undefined {
  if (file.mimeType.startsWith(NATIVE)) return undefined;
  const { content } = file;
  if (content === undefined) return 0;
  return content.kind === 'made' ? content.bytes : bytesOf(content).length;
}

/** MD5 of a stored file's bytes, in hexadecimal digits; of made content, which may be large, of what it is made of. */
export function contentHash({ content }: StoredFile): string {
  const bytes = content === undefined || content.kind === 'made' ? JSON.stringify(content ?? '') : bytesOf(content);
  return createHash('md5').update(bytes).digest('hex');
}

/** A file's bytes. @throws ApiFault 403 for native files */
export function download(file: StoredFile): Buffer {
  if (file.mimeType.startsWith(NATIVE)) {
    throw new ApiFault(403, 'fileNotDownloadable', 'Only files with binary content can be downloaded. Use Export with Docs Editors files.');
  }
  return bytesOf(file.content ?? { kind: 'text', text: '' });
}

/**
 * A native file in another format.
 *
 * @throws ApiFault 403 when it is not native or its export too large, 400 for an unsupported format
 */
export function exported(file: StoredFile, mimeType: string, state: DriveState): Buffer {
  const formats = EXPORTS[file.mimeType];
  if (formats === undefined) throw new ApiFault(403, 'fileNotExportable', 'Export only supports Docs Editors files.');
  if (!formats.includes(mimeType)) throw new ApiFault(400, 'badRequest', 'The requested conversion is not supported.');
  const bytes = Buffer.from(exportText(file, mimeType, state));
  if ((file.exportBytes ?? bytes.length) > MAX_EXPORT_BYTES) {
    throw new ApiFault(403, 'exportSizeLimitExceeded', 'This file is too large to be exported.');
  }
  return bytes;
}

/** The searchable text. */
export function contentText(file: StoredFile, state: DriveState): string {
  const document = state.documents[file.id];
  if (document !== undefined) return plainText(document);
  return file.content?.kind === 'text' ? file.content.text : '';
}

/** Uploaded content; text is stored as text. */
export function storedContent(bytes: Buffer): StoredContent {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? { kind: 'text', text } : { kind: 'base64', base64: bytes.toString('base64') };
}

function exportText(file: StoredFile, mimeType: string, state: DriveState): string {
  const document = state.documents[file.id];
  const text = document && mimeType === 'text/markdown' ? markdownOf(document) : contentText(file, state);
  // Exported plain text begins with a byte order mark, as the provider's does.
  if (mimeType === 'text/plain') return `\ufeff${text}`;
  return mimeType === 'application/pdf' ? `%PDF-1.4\n% ${file.name}\n%%EOF\n` : text;
}

function bytesOf(content: StoredContent): Buffer {
  if (content.kind === 'text') return Buffer.from(content.text);
  if (content.kind === 'base64') return Buffer.from(content.base64, 'base64');
  return content.what === 'noise' ? Buffer.alloc(content.bytes, 'c0ffee99', 'hex') : numberedLines(content.bytes);
}

/** Numbered lines of 64 bytes. */
function numberedLines(bytes: number): Buffer {
  const made = Buffer.alloc(bytes, '0000000 the quay was quiet, two boats came in, one went out 🚢\n');
  const lineBytes = Buffer.byteLength('0000000 the quay was quiet, two boats came in, one went out 🚢\n');
  for (let at = 0; at + 7 <= bytes; at += lineBytes) made.write(String(at / lineBytes).padStart(7, '0'), at);
  return made;
}
