import { workerTask } from '../../off-thread/worker-task.ts';
import type { PartLimit } from '../shared/text-part.ts';
import { TextWindow } from '../shared/text-window.ts';
import { isGeneric } from './text-types.ts';

/** Formats whose text is read. */
export type OfficeFormat = 'pdf' | 'docx';

/** In lower case. Word's templates, and files with macros, are the same format. */
const MEDIA_TYPES: Record<OfficeFormat, readonly string[]> = {
  pdf: ['application/pdf', 'application/x-pdf', 'application/acrobat', 'application/vnd.pdf', 'text/pdf', 'text/x-pdf'],
  docx: [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.template',
    'application/vnd.ms-word.document.macroenabled.12',
    'application/vnd.ms-word.template.macroenabled.12',
  ],
};
/** What programs call a Word document that don't know the type: by what it is packed in, or by its predecessor. */
const CLAIMED_DOCX = /^application\/(?:(?:x-)?zip(?:-compressed)?|(?:vnd\.)?ms-?word)$/;
/** Programs may write something before the header of a PDF. */
const HEADER_BYTES = 1_024;

interface Part {
  /** Bytes, or base64url. */
  content: Uint8Array | string;
  format: OfficeFormat;
  /** UTF-16 units of the text. */
  start: number;
  limit: PartLimit;
}

/** A part of a file's text. To be run on a thread of its own: the parsers read whole files, which strangers made. */
export const officeText = workerTask(import.meta.url, 'officeText', async ({ content, format, start, limit }: Part) => {
  // A copy of the buffer, which the parser rejects.
  const bytes = typeof content === 'string' ? new Uint8Array(Buffer.from(content, 'base64url')) : content;
  const size = bytes.length;
  const window = new TextWindow(start, limit);
  if (format === 'pdf') {
    const { readPdf } = await import('./pdf-text.ts');
    await readPdf(bytes, window);
  } else {
    const { readDocx } = await import('../word/docx-text.ts');
    readDocx(bytes, window);
  }
  return { size, ...window.part() };
});

/**
 * The format of a file by its media type, or by its name if the type says nothing.
 *
 * @returns undefined for others
 */
export function officeFormat(mediaType: string, name: string): OfficeFormat | undefined {
  const type = mediaType.toLowerCase();
  const isDocx = /\.do[ct][xm]$/i.test(name);
  if (isDocx && (isGeneric(type) || CLAIMED_DOCX.test(type))) return 'docx';
  if (isGeneric(type) && /\.pdf$/i.test(name)) return 'pdf';
  return (['pdf', 'docx'] as const).find((format) => MEDIA_TYPES[format].includes(type));
}

/**
 * Whether content begins as files of the format do: a wrong media type says nothing about it.
 *
 * @param content bytes, or base64url
 */
export function looksLike(format: OfficeFormat, content: Uint8Array | string): boolean {
  const head = typeof content === 'string' ? Buffer.from(content.slice(0, 2 * HEADER_BYTES), 'base64url') : content;
  const text = Buffer.from(head.subarray(0, HEADER_BYTES)).toString('latin1');
  return format === 'pdf' ? text.includes('%PDF-') : text.startsWith('PK\u0003\u0004');
}
