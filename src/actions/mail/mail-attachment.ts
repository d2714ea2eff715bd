import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { looksLike, officeFormat, officeText } from '../files/office-text.ts';
import { isPage, textType } from '../files/text-types.ts';
import { builtIn } from '../shared/built-in.ts';
import type { ShownItem } from '../shared/shown.ts';
import { partLimit } from '../shared/text-part.ts';
import { attachedMessage } from './attached-message.ts';
import { attachmentPart, MAX_OFFSET } from './attachment-part.ts';
import { listedAttachments, shownAttachment } from './listed-attachments.ts';
import { LONG_CONTENT } from './mail-body.ts';
import { mailId } from './mail-fields.ts';
import { fetchMessage } from './mail-messages.ts';
import { attachmentName, attachmentsOf, MAX_PART_ID, type MailPart, partData } from './mail-parts.ts';
import { nameMessages, shownMails } from './mail-preview.ts';
import { openedMessage, partWithId } from './message-file.ts';

/** Of a text file, UTF-16 units. */
const MAX_TEXT = 50_000;

export const attachmentId = z
  .string()
  .regex(/^(root|\d+(\.\d+)*)$/, 'must be an id from mail.read')
  .max(MAX_PART_ID)
  .describe('Id, as mail.read lists it.');

export const readAttachment = builtIn('workspace', {
  name: 'mail.attachment',
  effect: 'read',
  description: 'Read an attachment of a message: text, PDF, DOCX and attached messages as text, anything else as base64.',
  scopes: ['mail.modify'],
  capBytes: 640 * 1024,
  input: z.strictObject({
    message: mailId.describe('Id of the message.'),
    attachment: attachmentId,
    offset: z.int().min(0).max(MAX_OFFSET).default(0).describe('`next_offset` of the previous result.'),
  }),
  output: z.object({
    name: z.string(),
    mime: z.string(),
    size: z.number().describe('Size of the whole attachment, bytes.'),
    text: z.string().optional(),
    base64: z.string().optional(),
    attachments: z.array(shownAttachment).optional().describe('Of an attached message.'),
    next_offset: z.number().optional().describe('There is more: pass this as `offset`.'),
  }),
  sources: ({ name }, { message: item }) => [{ item, integrity: 'others', name }],
  summary: ({ message, attachment }) => `Read attachment ${attachment} of message ${message}`,
  async shown({ message, attachment }, _facts, { session }) {
    const [part, named] = await Promise.all([findAttachment(session, message, attachment), nameMessages(session, [message])]);
    return { items: { attachment: [shownPart(part)], message: shownMails(named) } };
  },
  async run({ message: id, attachment, offset }, { session, capBytes }) {
    const part = await openedMessage(session, id, await findAttachment(session, id, attachment));
    const about = { name: attachmentName(part), mime: part.mimeType };
    if (part.kind === 'message') {
      const attachments = listedAttachments(part.parts.flatMap(attachmentsOf));
      const whole = { ...about, size: part.size, attachments };
      return { ...whole, ...(await attachedMessage(session, id, part, offset, partLimit(capBytes, whole, MAX_TEXT))) };
    }
    const data = await partData(session, id, part);
    const format = officeFormat(part.mimeType, part.fileName);
    if (format !== undefined && looksLike(format, data)) {
      return {
        ...about,
        ...(await session.onOwnThread(officeText, { content: data, format, start: offset, limit: partLimit(capBytes, about) })),
      };
    }
    const input = {
      data,
      mimeType: part.mimeType,
      name: part.fileName,
      contentType: part.headers.get('content-type') ?? '',
      offset,
      limit: partLimit(capBytes, about, MAX_TEXT),
    };
    const isHtml = isPage(textType(part.mimeType, part.fileName) ?? '');
    const read = await (data.length > (isHtml ? LONG_CONTENT.html : LONG_CONTENT.plain)
      ? session.offThread(attachmentPart, input)
      : attachmentPart.run(input));
    return { ...about, ...read };
  },
});

/** For a question's list. */
export function shownPart(part: MailPart): ShownItem {
  return { name: attachmentName(part), type: part.mimeType, bytes: part.size };
}

/** @throws AppError `not_found` naming the field */
export async function findAttachment(session: WorkspaceSession, messageId: string, attachment: string): Promise<MailPart> {
  const { root } = await fetchMessage(session, messageId);
  const part = await partWithId(session, messageId, attachmentsOf(root), attachment);
  if (part === undefined) throw new AppError('not_found', 'attachment: The message has no such attachment.');
  return part;
}
