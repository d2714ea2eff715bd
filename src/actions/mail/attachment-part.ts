import { workerTask } from '../../off-thread/worker-task.ts';
import { type PartLimit, textPart } from '../shared/text-part.ts';
import { decodeText, shown } from './mail-text.ts';
import { asWritten, contentParameters } from './text-format.ts';

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
  limit: PartLimit;
}

/** The part of an attachment that one result contains: text as text, anything else as base64. */
export const attachmentPart = workerTask(import.meta.url, 'attachmentPart', async (attachment: Attachment) => {
  const bytes = Buffer.from(attachment.data, 'base64url');
  return { size: bytes.length, ...((await asText(bytes, attachment)) ?? asBytes(bytes, attachment)) };
});

/** @returns undefined if it isn't text, whatever its type */
async function asText(bytes: Buffer, { mimeType, contentType, offset, limit }: Attachment) {
  if (!TEXTS.test(mimeType) || bytes.includes(0)) return undefined;
  const parameters = await contentParameters(contentType);
  const text = asWritten(decodeText(bytes, parameters.charset), mimeType, parameters);
  return textPart(shown.text.parse(text), offset, limit);
}

/** A multiple of three bytes, so that the base64 of consecutive parts can be concatenated. */
function asBytes(bytes: Buffer, { offset, limit }: Attachment) {
  const end = offset + Math.min(MAX_BYTES, Math.max(1, Math.floor(limit.bytes / 4)) * 3);
  return { base64: bytes.subarray(offset, end).toString('base64'), ...(end < bytes.length && { next_offset: end }) };
}
