import { workerTask } from '../../off-thread/worker-task.ts';
import { readableText } from '../files/readable-text.ts';
import { isTextContent, textType } from '../files/text-types.ts';
import { multiLine } from '../shared/display-text.ts';
import { withoutEmbeddedData } from '../shared/embedded-data.ts';
import { type PartLimit, textPart } from '../shared/text-part.ts';
import { charsetOf } from './header-parameters.ts';
import { asWritten } from './text-format.ts';

const MAX_BYTES = 384 * 1024;
export const MAX_OFFSET = 100_000_000;

interface Attachment {
  /** base64url */
  data: string;
  mimeType: string;
  name: string;
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
async function asText(bytes: Buffer, { mimeType, name, contentType, offset, limit }: Attachment) {
  const type = textType(mimeType, name);
  if (type === undefined || !isTextContent(bytes)) return undefined;
  const text = await readableText(bytes, { charset: charsetOf(contentType), mimeType: type });
  return textPart(withoutEmbeddedData(multiLine.parse(asWritten(text, type, contentType))), offset, limit);
}

/** A multiple of three bytes, so that the base64 of consecutive parts can be concatenated. */
function asBytes(bytes: Buffer, { offset, limit }: Attachment) {
  const end = offset + Math.min(MAX_BYTES, Math.max(1, Math.floor(limit.bytes / 4)) * 3);
  return { base64: bytes.subarray(offset, end).toString('base64'), ...(end < bytes.length && { next_offset: end }) };
}
