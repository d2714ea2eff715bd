import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { builtIn } from '../built-in.ts';
import { asUnknownMail, gmailMessage } from './gmail-answers.ts';
import { mailId } from './mail-fields.ts';
import { attachmentsOf, type MailPart, partBytes, readPayload } from './mail-parts.ts';
import { charsetOf, cutText, decodeText, shown } from './mail-text.ts';

const TEXT_ROOM = 50_000;
/** A multiple of three, so that the pieces' base64 can be put together. */
const BYTE_ROOM = 384 * 1024;
const MAX_OFFSET = 100_000_000;
const TEXTS = /^(text\/|application\/(json|xml|yaml|x-yaml|csv|rtf|x-ndjson|sql)$|application\/[\w.-]+\+(json|xml)$|message\/)/;

export const readAttachment = builtIn({
  name: 'mail.attachment',
  provider: 'workspace',
  effect: 'read',
  description: 'Read an attachment of a message: text as text, anything else as base64.',
  scopes: ['mail.modify'],
  capBytes: 640 * 1024,
  input: z.strictObject({
    message: mailId.describe('Id of the message.'),
    attachment: z
      .string()
      .regex(/^(root|\d+(\.\d+)*)$/, 'must be an id from mail.read')
      .max(100)
      .describe('Id of the attachment, as mail.read lists it.'),
    offset: z.int().min(0).max(MAX_OFFSET).default(0).describe('Where to go on in a long one: `next_offset` of the answer before.'),
  }),
  output: z.object({
    name: z.string(),
    mime: z.string(),
    size: z.number().describe('Bytes of the whole attachment.'),
    text: z.string().optional(),
    base64: z.string().optional(),
    next_offset: z.number().optional().describe('There is more: pass this as `offset`.'),
  }),
  summary: ({ message, attachment }) => `Read attachment ${attachment} of message ${message}`,
  async run({ message: id, attachment, offset }, { session }) {
    const params = { userId: 'me', id, format: 'full', fields: 'id,threadId,internalDate,payload' };
    const message = await session.call('gmail.users.messages.get', params, gmailMessage).catch((error: unknown) => {
      throw asUnknownMail(error, 'message');
    });
    const part = attachmentsOf(await readPayload(message.payload)).find((candidate) => candidate.id === attachment);
    if (part === undefined) throw new AppError('not_found', 'attachment: The message has no such attachment.');
    const bytes = await partBytes(session, id, part);
    const head = { name: part.fileName === '' ? 'unnamed' : part.fileName, mime: part.mimeType, size: bytes.length };
    return { ...head, ...(asText(part, bytes, offset) ?? asBytes(bytes, offset)) };
  },
});

/** undefined when it isn't text, whatever its type says. */
function asText({ mimeType, headers }: MailPart, bytes: Buffer, offset: number) {
  if (!TEXTS.test(mimeType) || bytes.includes(0)) return undefined;
  const whole = shown.text.parse(decodeText(bytes, charsetOf(headers.get('content-type') ?? '')));
  const text = cutText(whole, offset, TEXT_ROOM);
  return { text, ...(offset + text.length < whole.length && { next_offset: offset + text.length }) };
}

function asBytes(bytes: Buffer, offset: number) {
  const end = offset + BYTE_ROOM;
  return { base64: bytes.subarray(offset, end).toString('base64'), ...(end < bytes.length && { next_offset: end }) };
}
