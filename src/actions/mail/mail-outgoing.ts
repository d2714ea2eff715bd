import { z } from 'zod';
import { addressKey } from '../../validation/email-address.ts';
import { quoted } from '../shared/display-text.ts';
import { fileReference } from '../shared/file-reference.ts';
import { MAX_FILES } from './drive-files.ts';
import type { AttachedFile } from './mail-compose.ts';
import { bodyField, headerText, MAX_RECIPIENTS, mailId, type Recipient, recipients, showRecipient } from './mail-fields.ts';

const MAX_ATTACHMENTS = 20;
const MAX_CONTENT = 1_000_000;

const attachment = z
  .strictObject({
    name: headerText(200)
      .min(1, 'must not be empty')
      .refine((name) => !/[/\\]/.test(name), 'must be a file name')
      .describe('File name.'),
    mime: z
      .string()
      .max(100)
      .regex(/^[A-Za-z]+\/[A-Za-z0-9][A-Za-z0-9.+_-]*$/, 'must be a media type such as text/csv')
      .refine((type) => !/^(?:multipart|message)\//i.test(type), 'must be a media type such as text/csv')
      .optional()
      .describe('Media type; default by the name.'),
    text: z.string().max(MAX_CONTENT).optional().describe('Content; this or base64.'),
    base64: z
      .string()
      .max(MAX_CONTENT)
      .regex(/^[\w+/-]*={0,2}$/, 'must be base64')
      .optional()
      .describe('Content; this or text.'),
  })
  .refine(({ text, base64 }) => (text === undefined) !== (base64 === undefined), { path: ['text'], error: 'give either text or base64' });

/** A message to send or to draft. The sender is always the account. */
export const outgoingMail = z
  .strictObject({
    to: recipients(1).describe('Recipients, each a@b.c or Name <a@b.c>.'),
    cc: recipients(0).default([]).describe('Recipients of a copy.'),
    bcc: recipients(0).default([]).describe('Recipients of a blind copy.'),
    subject: headerText(500).optional().describe('Subject; ignored in a reply.'),
    body: bodyField.describe('Plain text.'),
    reply_to: mailId.optional().describe('Id of the message to reply to.'),
    attachments: z.array(attachment).max(MAX_ATTACHMENTS).default([]).describe('Files, of a million characters in all.'),
    files: z.array(fileReference()).max(MAX_FILES).default([]).describe('Drive files to attach, by id or URL; native ones as PDF.'),
  })
  .refine(({ subject, reply_to }) => (subject ?? '') !== '' || reply_to !== undefined, {
    path: ['subject'],
    error: 'is required unless it is a reply',
  })
  .refine((mail) => allRecipients(mail).length <= MAX_RECIPIENTS, {
    path: ['to'],
    error: `at most ${MAX_RECIPIENTS} recipients, copies included`,
  })
  // The approval prompt must not show a subject that isn't sent.
  .transform(({ subject, ...mail }) => (subject === undefined || mail.reply_to !== undefined ? mail : { ...mail, subject }));

export type OutgoingMail = z.output<typeof outgoingMail> & { subject?: string };

/** The files that the caller gave with their content. */
export function givenFiles({ attachments }: Pick<OutgoingMail, 'attachments'>): AttachedFile[] {
  return attachments.map(({ name, mime, text, base64 = '' }) => {
    const isText = text !== undefined;
    return { name, mime, content: isText ? Buffer.from(text) : Buffer.from(base64, 'base64'), isText };
  });
}

/** All recipients, including cc and bcc. */
function allRecipients({ to, cc, bcc }: Record<'to' | 'cc' | 'bcc', readonly Recipient[]>): Recipient[] {
  return [...to, ...cc, ...bcc];
}

/** The values that a policy's allow-list is checked against. */
export function allAddresses(mail: OutgoingMail): string[] {
  return allRecipients(mail).map(({ address }) => addressKey(address));
}

/**
 * One line with all recipients first, then the subject and the files.
 *
 * @param replySubject of a reply, if it is known
 * @param files those of the drive; by default their ids
 */
export function describeMail(mail: OutgoingMail, replySubject?: string, files = mail.files.map((id) => `the file ${id}`)): string {
  const { to, cc, bcc, subject = '', reply_to } = mail;
  const lists = [['to', to] as const, ['cc', cc] as const, ['bcc', bcc] as const].filter(([, who]) => who.length > 0);
  const recipients = lists.map(([label, who]) => `${label} ${who.map(showRecipient).join(', ')}`).join('; ');
  const reply = `a reply${replySubject === undefined ? '' : ` ${quoted(replySubject)}`} to message ${reply_to}`;
  const given = givenFiles(mail).map(({ name, content }) => `${quoted(name)} (${content.length} bytes)`);
  const attached = [...given, ...files].join(', ');
  return `${recipients}: ${reply_to === undefined ? quoted(subject) : reply}${attached === '' ? '' : `, with ${attached}`}`;
}
