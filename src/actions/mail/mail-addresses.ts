import { english } from '../../../public/language/english.js';
import { type AddressList, joinLists, type Mailbox, parseAddressList } from '../../validation/address-list.ts';
import { shortened } from '../../validation/cut-text.ts';
import { singleLine } from '../shared/display-text.ts';
import { decodeWords } from './mail-text.ts';

/** The header fields that hold addresses. */
export const ADDRESS_FIELDS = ['from', 'sender', 'reply-to', 'to', 'cc', 'bcc'] as const;
export type AddressField = (typeof ADDRESS_FIELDS)[number];
/** Those of its recipients. */
export const RECIPIENT_FIELDS = ['to', 'cc', 'bcc'] as const;

/** The recipients of a stored message, as its own header fields name them. */
export interface StoredRecipients extends Record<(typeof RECIPIENT_FIELDS)[number], Mailbox[]> {
  /** Some of the fields can't be read completely, so that there may be others. */
  isIncomplete: boolean;
}

/** The fields that a message has, each with all its values. */
export type Addresses = Partial<Record<AddressField, AddressList>>;

/** A field is repeated by mistake or to deceive; of more values, the first are read. */
const MAX_VALUES = 10;
/** Characters of an address list where several messages are shown. */
const MAX_SHOWN = 2_000;
const MAX_NAME = 100;
/** Words that need no quotes as a display name, in any script. */
const PLAIN_NAME = /^[\p{L}\p{M}\p{N} '_+-]*$/u;

/** @param headers as received, encoded words included */
export function addressesOf(headers: readonly { name: string; value: string }[]): Addresses {
  const found: Addresses = {};
  for (const field of ADDRESS_FIELDS) {
    const values = headers.filter(({ name }) => name.toLowerCase() === field);
    if (values.length === 0) continue;
    const read = joinLists(values.slice(0, MAX_VALUES).map(({ value }) => parseAddressList(value)));
    const isWhole = values.length <= MAX_VALUES;
    found[field] = { ...read, isComplete: read.isComplete && isWhole, isCut: read.isCut || !isWhole };
  }
  return found;
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

/** The display name with its encoded words decoded, which what they hold makes no syntax (RFC 2047, 6.2); long ones are shortened. */
export function nameOf({ name }: Mailbox): string {
  return shortened(singleLine.parse(decodeWords(name)), MAX_NAME);
}

/** Whether {@link nameOf} leaves out a part of the name. */
export function isShortened({ name }: Mailbox): boolean {
  return decodeWords(name).length > MAX_NAME;
}

/**
 * An address list as others read it: each address whole, with its name in quotes where that is needed, and the number of
 * those that are left out. Text that is no address is in quotes, too.
 *
 * @param max characters, of which the first address may have more
 * @returns undefined without the field
 */
export function shownAddresses(list: AddressList | undefined, max = MAX_SHOWN): string | undefined {
  if (list === undefined) return undefined;
  const shown: string[] = [];
  let length = 0;
  for (const mailbox of list.entries) {
    const text = shownMailbox(mailbox);
    length += text.length + 2;
    if (shown.length > 0 && length > max) break;
    shown.push(text);
  }
  const more = list.entries.length - shown.length;
  const left = list.isCut ? ['and others'] : more > 0 ? [`and ${english.number(more)} more`] : [];
  return [...shown, ...left].join(', ');
}

export function shownMailbox(mailbox: Mailbox): string {
  const name = nameOf(mailbox);
  return mailbox.address === '' ? quotedName(name) : formatMailbox({ name, address: mailbox.address });
}

/** A mailbox as an address list has it (RFC 5322, 3.4). @param name decoded */
export function formatMailbox({ name, address }: Mailbox): string {
  if (name.trim() === '') return address;
  return `${PLAIN_NAME.test(name) ? name.trim() : quotedName(name)} <${address}>`;
}

function quotedName(name: string): string {
  return `"${name.trim().replace(/["\\]/g, '\\$&')}"`;
}
