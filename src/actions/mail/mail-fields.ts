import { z } from 'zod';
import { identifier } from '../../providers/shared/provider-text.ts';
import { type Mailbox, parseAddressList } from '../../validation/address-list.ts';
import { severalLines } from '../../validation/text-input.ts';
import { emailAddress, text } from '../../validation/validate.ts';
import { quoted } from '../shared/display-text.ts';

/** Ids of messages, threads and drafts. Characters that would change a URL path are rejected. */
export const mailId = z.string().regex(/^[\w-]{1,128}$/, 'must be an id from an earlier result');

export const pageToken = identifier.optional();

// C1 controls and line separators end lines in some clients; direction marks make a name look like another.
const INVISIBLE = /[\u0080-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

export const query = text(1000, 0).default('');

/** A value for a header: one line without invisible characters. */
export function headerText(max: number) {
  return (
    text(max, 0)
      .refine((value) => !INVISIBLE.test(value), 'must not contain invisible characters')
      .refine((value) => value.isWellFormed(), 'must be well-formed text')
      // It would be displayed differently from the text that was approved (RFC 2047).
      .refine((value) => !/=\?[^?\s]+\?[bq]\?/i.test(value), 'must not hold encoded words')
  );
}

/** The text of a message; line breaks and tabs are the only control characters allowed. */
export const bodyField = severalLines(200_000, 0);

/** A mailbox with an address; its name is decoded. */
export type Recipient = Mailbox;

export const MAX_RECIPIENTS = 100;

/**
 * A list of addresses, each `a@b.c` or `Name <a@b.c>`. A single string is accepted as a list of one, and recipients as the
 * user was shown them, who may send them back; the JSON Schema names only lists of texts, to keep forms simple.
 */
export function recipients(minItems: 0 | 1) {
  return z
    .unknown()
    .meta({ type: 'array', items: { type: 'string' }, minItems, maxItems: MAX_RECIPIENTS })
    .transform((value, context): Recipient[] => {
      const list: unknown[] = Array.isArray(value) ? value : [value];
      const reject = (message: string, path: number[] = []) => context.issues.push({ code: 'custom', input: value, message, path });
      if (value === undefined) reject('is required');
      else if (list.length < minItems) reject('must contain an address');
      if (list.length > MAX_RECIPIENTS) reject(`must have at most ${MAX_RECIPIENTS} addresses`);
      return list.slice(0, MAX_RECIPIENTS).map((one, index) => {
        const parsed = (typeof one === 'object' ? shownRecipient : recipient).safeParse(one);
        if (parsed.success) return parsed.data;
        const reason = typeof one === 'string' ? parsed.error.issues[0]?.message : undefined;
        reject(reason ?? 'must be an address', Array.isArray(value) ? [index] : []);
        return { name: '', address: '' };
      });
    });
}

const displayName = headerText(100).refine((name) => !/[<>]/.test(name), 'must be a name');

const recipient = headerText(400).transform((value, context): Recipient => {
  const { entries, isComplete } = parseAddressList(value);
  const [one] = entries;
  const address = emailAddress.safeParse(one?.address);
  const named = one?.name === '' || displayName.safeParse(one?.name).success;
  if (one === undefined || entries.length > 1 || !isComplete || !address.success || !named) {
    context.issues.push({ code: 'custom', input: value, message: 'must be a mail address: a@b.c or Name <a@b.c>' });
  }
  return { name: one?.name ?? '', address: address.data ?? '' };
});

const shownRecipient = z.strictObject({ name: displayName, address: emailAddress });

/** `“Name” <address>`, for the approval prompt. */
export function showRecipient({ name, address }: Recipient): string {
  return name === '' ? address : `${quoted(name)} <${address}>`;
}
