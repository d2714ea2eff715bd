import { workerTask } from '../../off-thread/portable.ts';
import { textPart } from '../shared/text-part.ts';
import { charsetOf, decodeText, shown } from './mail-text.ts';

const MAX_TEXT = 50_000;
/** A multiple of three, so that the base64 of consecutive parts can be concatenated. */
const MAX_BYTES = 384 * 1024;
export const MAX_OFFSET = 100_000_000;
const TEXTS = /^(text\/|application\/(json|xml|yaml|x-yaml|csv|rtf|x-ndjson|sql)$|application\/[\w.-]+\+(json|xml)$|message\/)/;

interface Attachment {
  /** base64url */
  data: string;
  mimeType: string;
  /** The part's own header. */
  contentType: string;
  /** Characters of a text, else bytes. */
  offset: number;
}

/** The part of an attachment that one result contains: text as text, anything else as base64. */
export const attachmentPart = workerTask(import.meta.url, 'attachmentPart', (attachment: Attachment) => {
  const bytes = Buffer.from(attachment.data, 'base64url');
  return { size: bytes.length, ...(asText(bytes, attachment) ?? asBytes(bytes, attachment.offset)) };
});

/** @returns undefined if it isn't text, whatever its type */
function asText(bytes: Buffer, { mimeType, contentType, offset }: Attachment) {
  if (!TEXTS.test(mimeType) || bytes.includes(0)) return undefined;
  return textPart(shown.text.parse(decodeText(bytes, charsetOf(contentType))), offset, MAX_TEXT);
}

function asBytes(bytes: Buffer, offset: number) {
  const end = offset + MAX_BYTES;
  return { base64: bytes.subarray(offset, end).toString('base64'), ...(end < bytes.length && { next_offset: end }) };
}
