import { portable } from '../../threads/portable.ts';
import { charsetOf, cutText, decodeText, shown } from './mail-text.ts';

const MAX_TEXT = 50_000;
/** A multiple of three, so that the pieces' base64 can be put together. */
const MAX_BYTES = 384 * 1024;
export const MAX_OFFSET = 100_000_000;
const TEXTS = /^(text\/|application\/(json|xml|yaml|x-yaml|csv|rtf|x-ndjson|sql)$|application\/[\w.-]+\+(json|xml)$|message\/)/;

interface Attachment {
  /** base64url */
  data: string;
  mimeType: string;
  /** The part's own header. */
  contentType: string;
  /** Of a text characters, else bytes. */
  offset: number;
}

/** What one answer holds of an attachment: text as text, anything else as base64. */
export const attachmentPart = portable(import.meta.url, 'attachmentPart', (attachment: Attachment) => {
  const bytes = Buffer.from(attachment.data, 'base64url');
  return { size: bytes.length, ...(asText(bytes, attachment) ?? asBytes(bytes, attachment.offset)) };
});

/** undefined when it isn't text, whatever its type says. */
function asText(bytes: Buffer, { mimeType, contentType, offset }: Attachment) {
  if (!TEXTS.test(mimeType) || bytes.includes(0)) return undefined;
  const whole = shown.text.parse(decodeText(bytes, charsetOf(contentType)));
  const text = cutText(whole, offset, MAX_TEXT);
  return { text, ...(offset + text.length < whole.length && { next_offset: offset + text.length }) };
}

function asBytes(bytes: Buffer, offset: number) {
  const end = offset + MAX_BYTES;
  return { base64: bytes.subarray(offset, end).toString('base64'), ...(end < bytes.length && { next_offset: end }) };
}
