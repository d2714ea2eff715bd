import type { Recipient } from './mail-fields.ts';
import { decodeWords, shown } from './mail-text.ts';

export const RECIPIENT_FIELDS = ['to', 'cc', 'bcc'] as const;

/** The recipients of a stored message, as its own header fields name them. */
export interface StoredRecipients extends Record<(typeof RECIPIENT_FIELDS)[number], Recipient[]> {
  /** Some of the fields can't be read completely, so that there may be others. */
  isIncomplete: boolean;
}

/** No message has longer fields: 100 recipients with long names. Their number is limited, too: each is parsed. */
const MAX_FIELD = 60_000;
const MAX_FIELDS = 10;
const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,190}$/;

/**
 * Reads the recipients of a message (RFC 5322 section 3.4).
 *
 * @param fields the values of each header field as received, encoded words included; a field may be repeated
 */
export async function readRecipients(fields: Readonly<Record<keyof Omit<StoredRecipients, 'isIncomplete'>, readonly string[]>>) {
  const { default: parse } = await import('nodemailer/lib/addressparser');
  const read: StoredRecipients = { to: [], cc: [], bcc: [], isIncomplete: false };
  for (const field of RECIPIENT_FIELDS) {
    read.isIncomplete ||= fields[field].length > MAX_FIELDS;
    for (const value of fields[field].slice(0, MAX_FIELDS)) {
      const entries = parse(value.slice(0, MAX_FIELD), { flatten: true });
      const valid = entries.filter(({ address }) => ADDRESS.test(address));
      // Encoded words are decoded last, because what they hold must not be taken for an address (RFC 2047 section 5).
      read[field].push(...valid.map(({ name, address }) => ({ name: shown.name.parse(decodeWords(name)), address })));
      read.isIncomplete ||= value.length > MAX_FIELD || valid.length < entries.length || hasOther(value, valid);
    }
  }
  return read;
}

/** Whether the text contains an address that isn't among those that were read: another program may read it otherwise. */
function hasOther(value: string, read: readonly { address: string }[]): boolean {
  const known = new Set(read.map(({ address }) => address.toLowerCase()));
  const parts = value.toLowerCase().split(/[\s,;:<>()"']+/);
  return parts.some((part) => part.includes('@') && !known.has(part));
}
