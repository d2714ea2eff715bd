import { workerTask } from '../../off-thread/worker-task.ts';
import { readableText } from '../files/readable-text.ts';
import { multiLine } from '../shared/display-text.ts';
import { withoutEmbeddedData } from '../shared/embedded-data.ts';
import { type PartLimit, textPart } from '../shared/text-part.ts';

interface FilePart {
  bytes: Uint8Array;
  mimeType: string;
  start: number;
  limit: PartLimit;
}

/** The part of a file's text that starts at an offset, cleaned, without the files in it. */
export const decodeFile = workerTask(import.meta.url, 'decodeFile', async ({ bytes, mimeType, start, limit }: FilePart) =>
  textPart(withoutEmbeddedData(multiLine.parse(await readableText(bytes, { mimeType }))), start, limit),
);
