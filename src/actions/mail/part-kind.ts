import { isPage } from '../files/text-types.ts';

/** What a part is to a reader. `none`: it has no content of its own. */
export type PartKind = 'plain' | 'html' | 'message' | 'file' | 'none';

/** HTML for programs that run or reduce it; the last choice of all others. */
const LAST_CHOICES = new Set(['text/x-amp-html', 'text/watch-html']);
const PLAIN = new Set(['text/plain', 'text/enriched', 'text/markdown']);
/** Types of messages in messages (RFC 2046, 5.2.1; RFC 6532, 3.7). */
export const MESSAGES: ReadonlySet<string> = new Set(['message/rfc822', 'message/global', 'message/news']);

/** What decides it. */
interface Described {
  mimeType: string;
  fileName: string;
  headers: ReadonlyMap<string, string>;
  size: number;
  attachmentId: string | undefined;
  parts: readonly unknown[];
}

/**
 * @param isMain whether the part is the message's only one, the first, one of its alternatives, or that which others belong to: its text
 * is read even if it has a file name
 */
export function kindOf({ mimeType, fileName, headers, size, attachmentId, parts }: Described, isMain: boolean): PartKind {
  if (mimeType.startsWith('multipart/')) return 'none';
  const hasContent = size > 0 || attachmentId !== undefined;
  // Of a delivery report, the provider may give the fields as parts.
  if (parts.length > 0 && (MESSAGES.has(mimeType) || (mimeType.startsWith('message/') && !hasContent))) return 'message';
  const text = isPage(mimeType) ? 'html' : PLAIN.has(mimeType) ? 'plain' : undefined;
  const isFile = isSetAside(headers.get('content-disposition') ?? '') || (fileName !== '' && !isMain);
  if (text !== undefined && !isFile) return text;
  return isFile || fileName !== '' || hasContent ? 'file' : 'none';
}

/** A disposition that isn't known counts as `attachment` (RFC 2183, 2.8). */
function isSetAside(disposition: string): boolean {
  const [, type = 'inline'] = /^\s*([\w-]+)/.exec(disposition) ?? [];
  return type.toLowerCase() !== 'inline';
}

export function isLastChoice({ mimeType }: Pick<Described, 'mimeType'>): boolean {
  return LAST_CHOICES.has(mimeType);
}
