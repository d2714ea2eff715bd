import { FORWARDED } from './mail-corpus-attached.ts';
import { CHARSETS, HEADERS, NAMES, TRANSFER } from './mail-corpus-encodings.ts';
import { ALTERNATIVES, FLOWED, PAGES, STRUCTURES } from './mail-corpus-texts.ts';

/** A message, and what a person reads in it. */
export interface CorpusMail {
  /** One character per byte; lines end in LF. */
  raw: string;
  text: string;
  /** Ids and names in the list of its attachments. */
  attachments?: Record<string, string>;
  /** By id of the attachment: its text. */
  opened?: Record<string, string>;
  subject?: string;
  from?: string;
  /** Why postal-mime reads another text. */
  differs?: string;
  /** Why postal-mime lists other files, or calls them otherwise. */
  otherFiles?: string;
}

/**
 * Messages of our own making after RFC 2045–2049, 2183, 2231, 3676, 5322 and 6532, and after what users of mail programs have
 * reported.
 */
export const MAIL_CORPUS: Record<string, Record<string, CorpusMail>> = {
  alternatives: ALTERNATIVES,
  'flowed text': FLOWED,
  'HTML alone': PAGES,
  'transfer encodings': TRANSFER,
  charsets: CHARSETS,
  structures: STRUCTURES,
  'names of files': NAMES,
  'header fields': HEADERS,
  'forwarded messages': FORWARDED,
};
