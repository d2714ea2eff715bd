import { AppError } from '../../errors.ts';
import type { TextWindow } from '../shared/text-window.ts';
import { annotationLines } from './pdf-annotations.ts';

/** Further pages are not read. */
const MAX_PAGES = 500;
const NO_TEXT = '[This PDF has no text. It may be a scan.]';

type Document = Awaited<ReturnType<typeof import('unpdf').getDocumentProxy>>;

/**
 * Adds the text of a PDF, page by page.
 *
 * @throws AppError `unsupported_media_type` if it is encrypted or damaged
 */
export async function readPdf(bytes: Uint8Array, window: TextWindow): Promise<void> {
  const { getDocumentProxy } = await import('unpdf');
  // Fonts are needed for display only. Images, XFA forms and scripts are not read, and nothing is fetched.
  const options = { useSystemFonts: false, disableFontFace: true, useWasm: false, useWorkerFetch: false, enableXfa: false, verbosity: 0 };
  try {
    const document = await getDocumentProxy(bytes, { ...options, maxImageSize: 1 });
    const { numPages } = document;
    for (let number = 1; number <= Math.min(numPages, MAX_PAGES) && !window.isFull; number += 1) {
      await addPage(await document.getPage(number), window);
    }
    if (window.length === 0) window.add(NO_TEXT);
    if (numPages > MAX_PAGES && !window.isFull) window.add(`\n\n[Only the first ${MAX_PAGES} of ${numPages} pages are read.]`);
  } catch (error) {
    throw unreadable(error);
  }
}

/** Its text, and what is written on it besides. */
async function addPage(page: Awaited<ReturnType<Document['getPage']>>, window: TextWindow): Promise<void> {
  const { items } = await page.getTextContent();
  const annotations = await page.getAnnotations();
  page.cleanup();
  // Other items mark where content begins and ends.
  const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
  let separator = window.length === 0 ? '' : '\n\n';
  for (const part of [text.trim(), ...annotationLines(annotations)]) {
    if (part === '' || window.isFull) continue;
    window.add(separator + part);
    separator = '\n';
  }
}

function unreadable(error: unknown): AppError {
  const isEncrypted = error instanceof Error && error.name === 'PasswordException';
  const message = isEncrypted ? 'The PDF is encrypted: it opens with its password only.' : 'The PDF is damaged, and can’t be read.';
  return new AppError('unsupported_media_type', message, { cause: error });
}
