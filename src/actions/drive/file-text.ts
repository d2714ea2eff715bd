import { workerTask } from '../../off-thread/worker-task.ts';
import { decodeText } from '../files/decode-text.ts';
import { multiLine } from '../shared/display-text.ts';
import { type PartLimit, textPart } from '../shared/text-part.ts';

const cleaned = multiLine;

interface FilePart {
  bytes: Uint8Array;
  mimeType: string;
  start: number;
  limit: PartLimit;
}

/** The part of a file's text that starts at an offset, cleaned. */
export const decodeFile = workerTask(import.meta.url, 'decodeFile', ({ bytes, mimeType, start, limit }: FilePart) =>
  textPart(cleaned.parse(decodeText(bytes, { mimeType })), start, limit),
);
