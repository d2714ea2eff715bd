import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { type Audience, people, UNKNOWN, union } from '../../providers/audience.ts';
import { checked, responseReader } from '../../providers/responses.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { asciiLowerCase } from '../../validation/lower-case.ts';
import { quoted, quotedUpTo } from '../display-text.ts';
import { showRecipient } from './mail-fields.ts';
import { type MailMessage, MESSAGE_FIELDS, toMessage } from './mail-messages.ts';
import { attachmentsOf, bodyText, HtmlBudget, type MailPart } from './mail-parts.ts';
import { RECIPIENT_FIELDS, recipientsOf, type StoredRecipients } from './mail-recipients.ts';
import { shown } from './mail-text.ts';

/** Characters of a draft's text that are read. */
const MAX_TEXT = 200_000;
/** Characters of it that a question shows. */
const SHOWN_TEXT = 2_000;

/** The message is validated by its own schema. */
const gmailDraft = z.object({ message: z.looseObject({ payload: z.unknown() }) });

/** A stored draft. */
export interface Draft {
  id: string;
  message: MailMessage;
  recipients: StoredRecipients;
  subject: string;
  text: string;
  files: MailPart[];
}

export const mailDraft = responseReader(import.meta.url, 'mailDraft', (response) => toMessage(checked(gmailDraft, response).message));

/** @throws AppError `not_found` */
export async function fetchDraft(session: WorkspaceSession, id: string): Promise<Draft> {
  const params = { userId: 'me', id, format: 'full', fields: `message(${MESSAGE_FIELDS})` };
  const message = await session.call('gmail.users.drafts.get', params, mailDraft).catch((error) => {
    throw toNoDraft(error);
  });
  const text = await bodyText(session, message.id, message.root, new HtmlBudget(), MAX_TEXT);
  return {
    id,
    message,
    recipients: recipientsOf(message.root.addresses),
    subject: shown.subject.parse(message.root.headers.get('subject') ?? ''),
    // The length of a text that continues shows that it does.
    text: text.length > MAX_TEXT ? text : text.trimEnd(),
    files: attachmentsOf(message.root),
  };
}

/** `not_found` for an unknown id; any other error unchanged. The provider responds with 400 to malformed ids. */
export function toNoDraft(error: unknown): unknown {
  const isUnknown = error instanceof WorkspaceApiError && (error.httpStatus === 404 || error.httpStatus === 400);
  return isUnknown ? new AppError('not_found', 'id: There is no such draft in this account.', { cause: error }) : error;
}

/** Changes with everything that a recipient of the draft sees. At the provider, each edit gives it another message id. */
export function draftVersion({ message, recipients, subject, text, files }: Draft): string {
  const named = files.map(({ id, fileName, mimeType, size }) => [id, fileName, mimeType, size]);
  return createHash('sha256')
    .update(JSON.stringify([message.id, recipients, subject, text, named]))
    .digest('hex');
}

/** Everyone who receives the draft, lower case. */
export function draftAddresses({ recipients }: Draft): string[] {
  return RECIPIENT_FIELDS.flatMap((field) => recipients[field].map(({ address }) => asciiLowerCase(address)));
}

export function draftAudience(draft: Draft): Audience {
  return union(people(draftAddresses(draft)), draft.recipients.isIncomplete ? UNKNOWN : []);
}

/** For the approval prompt: the recipients first, then subject, text and files. */
export function describeDraft(draft: Draft): string {
  const { recipients, subject, text, files } = draft;
  const lists = RECIPIENT_FIELDS.filter((field) => recipients[field].length > 0);
  const named = lists.map((field) => `${field} ${recipients[field].map(showRecipient).join(', ')}`);
  const to = [...named, ...(recipients.isIncomplete ? ['possibly others'] : [])].join('; ');
  const attached = files.map(({ fileName, mimeType, size }) => `${quoted(fileName)} (${quoted(mimeType)}, ${size} bytes)`).join(', ');
  const about = `the draft ${quoted(subject)}, with the text ${quotedUpTo(text, SHOWN_TEXT)}`;
  return `${to === '' ? 'to nobody' : to}: ${about}${attached === '' ? '' : `, with ${attached}`}`;
}
