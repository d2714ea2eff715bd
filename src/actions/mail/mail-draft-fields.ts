import { type AddressList, parseAddressList } from '../../validation/address-list.ts';
import { asciiLowerCase } from '../../validation/lower-case.ts';
import { ADDRESS_FIELDS, isShortened } from './mail-addresses.ts';
import { decodeWords } from './mail-text.ts';

/** A header field as it is written, encoded words decoded. */
export interface HeaderField {
  name: string;
  value: string;
}

const ADDRESSES = new Set<string>(ADDRESS_FIELDS);
/** Fields that hold identifiers, and those of the parts, which tell no program whom to write to. */
const IDENTIFYING = /^(?:message-id|in-reply-to|references|received|content-.*)$/;
/** An address or a link. */
const TARGET = /@|:\/\//;
/** Longer than a person reads; their words aren't decoded. */
const MAX_VALUE = 50_000;

/**
 * The fields of a draft of which more reaches its recipients than the names and addresses of {@link ADDRESS_FIELDS} and the
 * first subject: all others with an address or a link, such as `Disposition-Notification-To` (RFC 8098, 2.1) and
 * `List-Unsubscribe` (RFC 2369, 3.2).
 */
export function otherFields(headers: readonly HeaderField[]): HeaderField[] {
  const subject = headers.find(({ name }) => asciiLowerCase(name) === 'subject');
  return headers
    .filter((field) => field.value.length > MAX_VALUE || (field !== subject && tells(field)))
    .map(({ name, value }) => ({ name, value: value.length > MAX_VALUE ? value : decodeWords(value) }));
}

function tells({ name, value }: HeaderField): boolean {
  const field = asciiLowerCase(name);
  if (ADDRESSES.has(field)) return !isWhole(parseAddressList(value), value);
  return field === 'subject' || (!IDENTIFYING.test(field) && TARGET.test(decodeWords(value)));
}

/** Whether the entries are all that the field says: comments and names of groups aren't among them (RFC 5322, 3.2.2 and 3.4). */
function isWhole({ entries, isComplete }: AddressList, value: string): boolean {
  const named = entries.map(({ name, address }) => name + address).join('');
  return isComplete && marksIn(value) === marksIn(named) && !entries.some(isShortened);
}

function marksIn(text: string): number {
  return text.match(/[(:]/g)?.length ?? 0;
}
