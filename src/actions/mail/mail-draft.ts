import { z } from 'zod';
import { english } from '../../../public/language/english.js';
import { AppError } from '../../errors.ts';
import { type Audience, people, UNKNOWN, union } from '../../providers/shared/audience.ts';
import { hashOf } from '../../providers/shared/version-hash.ts';
import { checked, responseReader } from '../../providers/transport/responses.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import type { AddressList } from '../../validation/address-list.ts';
import { addressKey } from '../../validation/email-address.ts';
import { quoted, quotedUpTo, singleLine } from '../shared/display-text.ts';
import type { ShownMail } from '../shared/shown.ts';
import { orNotFound } from './gmail-responses.ts';
import { nameOf, RECIPIENT_FIELDS, recipientsOf, type StoredRecipients } from './mail-addresses.ts';
import { allTexts, bodyText, HtmlBudget } from './mail-body.ts';
import { type HeaderField, otherFields } from './mail-draft-fields.ts';
import { showRecipient } from './mail-fields.ts';
import { type MailMessage, MESSAGE_FIELDS, toMessage } from './mail-messages.ts';
import { attachmentsOf, type MailPart, readFields } from './mail-parts.ts';
import { MAX_NAME } from './mail-text.ts';

/** Characters of a draft's text that are read. */
const MAX_TEXT = 200_000;
/** Characters of a draft that can be sent: more than a person reads before deciding. */
const MAX_SENT = 20_000;
const TOO_LONG = `id: The draft has more than ${english.number(MAX_SENT)} characters, or a file with a name of ${MAX_NAME} or more. Send it in the mail service.`;

/** The message is validated by its own schema. */
const gmailDraft = z.object({ message: z.looseObject({ payload: z.unknown().optional() }) });

/** A stored draft. */
export interface Draft {
  id: string;
  message: MailMessage;
  recipients: StoredRecipients;
  /** Others that recipients or their programs see. */
  fields: HeaderField[];
  subject: string;
  text: string;
  files: MailPart[];
}

export const mailDraft = responseReader(import.meta.url, 'mailDraft', (response) => {
  const { message } = checked(gmailDraft, response);
  return { message: toMessage(message), fields: otherFields(readFields(message.payload)) };
});

/** With its text as it is displayed. @throws AppError `not_found` */
export async function fetchDraft(session: WorkspaceSession, id: string): Promise<Draft> {
  const draft = await fetchWithoutText(session, id);
  const { message } = draft;
  const text = await bodyText(message.root, { session, messageId: message.id, budget: new HtmlBudget(), enough: MAX_TEXT });
  return {
    ...draft,
    subject: singleLine.parse(draft.subject),
    // The length of a text that continues shows that it does.
    text: text.length > MAX_TEXT ? text : text.trimEnd(),
  };
}

async function fetchWithoutText(session: WorkspaceSession, id: string): Promise<Omit<Draft, 'text'>> {
  const params = { userId: 'me', id, format: 'full', fields: `message(${MESSAGE_FIELDS})` };
  const { message, fields } = await orNotFound('id', session.call('gmail.users.drafts.get', params, mailDraft), 'draft');
  return {
    id,
    message,
    fields,
    recipients: recipientsOf(message.root.addresses),
    subject: message.root.headers.get('subject') ?? '',
    files: attachmentsOf(message.root),
  };
}

/**
 * With everything that its recipients may see, since a draft is sent as it is stored: of alternatives each, and of
 * HTML also what is hidden.
 *
 * @throws AppError `not_found`; `too_large` for one that can't be shown in full
 */
export async function fetchWholeDraft(session: WorkspaceSession, id: string): Promise<Draft> {
  const draft = await fetchWithoutText(session, id);
  const { message } = draft;
  const budget = new HtmlBudget();
  const text = await allTexts(message.root, { session, messageId: message.id, budget, enough: MAX_SENT });
  const whole = { ...draft, text: text.trimEnd() };
  if (budget.exceeded || !isShownInFull(whole)) throw new AppError('too_large', TOO_LONG);
  return whole;
}

/** Whether its question has all of it, and no more than a person reads. */
function isShownInFull(draft: Draft): boolean {
  const { subject, text, fields, files } = draft;
  const isCut = [subject, text, ...fields.map(({ value }) => value)].some(({ length }) => length > MAX_SENT);
  return !isCut && files.every(({ fileName }) => fileName.length < MAX_NAME) && describeDraft(draft, '').length <= MAX_SENT;
}

/** Changes with everything that a recipient of the draft sees. At the provider, each edit gives it another message id. */
export function draftVersion({ message, fields, recipients, subject, text, files }: Draft): string {
  const { from, sender, 'reply-to': replyTo } = message.root.addresses;
  const named = files.map(({ id, fileName, mimeType, size }) => [id, fileName, mimeType, size]);
  return hashOf([message.id, from, sender, replyTo, fields, recipients, subject, text, named]);
}

/** Everyone who receives the draft, lower case. */
export function draftAddresses({ recipients }: Draft): string[] {
  return RECIPIENT_FIELDS.flatMap((field) => recipients[field].map(({ address }) => addressKey(address)));
}

export function draftAudience(draft: Draft): Audience {
  return union(people(draftAddresses(draft)), draft.recipients.isIncomplete ? UNKNOWN : []);
}

/**
 * For the approval prompt: the recipients first, then sender, subject, text, files and other header fields.
 *
 * @param account the account's own address
 * @param maxText characters of the text
 */
export function describeDraft(draft: Draft, account: string, maxText = MAX_SENT): string {
  const { recipients, subject, text, files, fields } = draft;
  const lists = RECIPIENT_FIELDS.filter((field) => recipients[field].length > 0);
  const named = lists.map((field) => `${field} ${recipients[field].map(showRecipient).join(', ')}`);
  const to = [...named, ...(recipients.isIncomplete ? ['possibly others'] : []), ...sendersOf(draft, account)].join('; ');
  const about = `the draft ${quotedUpTo(subject, MAX_SENT)}, with the text ${quotedUpTo(text, maxText)}`;
  const attached = files.map(({ fileName, mimeType, size }) => `${quotedUpTo(fileName, MAX_NAME)} (${quoted(mimeType)}, ${size} bytes)`);
  const written = fields.map(({ name, value }) => `the header field ${quoted(name)} ${quotedUpTo(value, maxText)}`);
  const more = [...attached, ...written].join(', ');
  return `${to === '' ? 'to nobody' : to}: ${about}${more === '' ? '' : `, with ${more}`}`;
}

/** The same for a question's list. */
export function shownDraft({ message, recipients, subject, text, files, fields }: Draft): ShownMail {
  const senders = (['from', 'sender', 'reply-to'] as const).flatMap((what) =>
    (message.root.addresses[what]?.entries ?? []).map((one) => ({ what, who: { name: nameOf(one), address: one.address } })),
  );
  return {
    ...recipients,
    senders,
    subject,
    body: text,
    files: files.map(({ fileName, mimeType, size }) => ({ name: fileName, type: mimeType, bytes: size })),
    headers: fields,
  };
}

/** Whom the recipients take for the sender, and to whom they reply, where it isn't just the account. */
function sendersOf({ message }: Draft, account: string): string[] {
  const { from, sender, 'reply-to': replyTo } = message.root.addresses;
  const others = (list: AddressList | undefined) =>
    (list?.entries ?? [])
      .filter(({ name, address }) => name !== '' || addressKey(address) !== addressKey(account))
      .map((one) => (one.address === '' ? quoted(one.name) : showRecipient({ name: nameOf(one), address: one.address })));
  return Object.entries({ from: others(from), 'sent by': others(sender), 'replies to': others(replyTo) }).flatMap(([what, who]) =>
    who.length === 0 ? [] : [`${what} ${who.join(', ')}`],
  );
}
