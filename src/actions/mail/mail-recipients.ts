import { type Addresses, nameOf } from './mail-addresses.ts';
import type { Recipient } from './mail-fields.ts';

export const RECIPIENT_FIELDS = ['to', 'cc', 'bcc'] as const;

/** The recipients of a stored message, as its own header fields name them. */
export interface StoredRecipients extends Record<(typeof RECIPIENT_FIELDS)[number], Recipient[]> {
  /** Some of the fields can't be read completely, so that there may be others. */
  isIncomplete: boolean;
}

export function recipientsOf(addresses: Addresses): StoredRecipients {
  const read: StoredRecipients = { to: [], cc: [], bcc: [], isIncomplete: false };
  for (const field of RECIPIENT_FIELDS) {
    const { entries, isComplete } = addresses[field] ?? { entries: [], isComplete: true };
    read[field] = entries.filter(({ address }) => address !== '').map((one) => ({ name: nameOf(one), address: one.address }));
    read.isIncomplete ||= !isComplete;
  }
  return read;
}
