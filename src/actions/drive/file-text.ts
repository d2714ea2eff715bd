import { workerTask } from '../../off-thread/worker-task.ts';
import { multiLine } from '../shared/display-text.ts';
import { type PartLimit, textPart } from '../shared/text-part.ts';

const cleaned = multiLine;

interface FilePart {
  bytes: Uint8Array;
  start: number;
  limit: PartLimit;
}

/** The part of a file's text that starts at an offset, cleaned. */
export const decodeFile = workerTask(import.meta.url, 'decodeFile', ({ bytes, start, limit }: FilePart) =>
  textPart(cleaned.parse(decode(bytes)), start, limit),
);

/** Decodes UTF-16 with a byte order mark, else UTF-8, else Windows-1252. */
function decode(bytes: Uint8Array): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
