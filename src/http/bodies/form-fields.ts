import { parse } from 'node:querystring';
import { AppError } from '../../errors.ts';
import { workerTask } from '../../off-thread/worker-task.ts';

const [PLUS, SPACE] = [0x2b, 0x20];

interface LargeForm {
  /** Are changed. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Most fields. */
  fields: number;
}

/** Express' parser keeps a malformed escape as it is; this rejects it. @throws AppError `invalid_request` */
export function assertWellFormed(raw: Buffer): void {
  try {
    decodeURIComponent(raw.toString('latin1').replaceAll('+', ' '));
  } catch (cause) {
    throw new AppError('invalid_request', 'The form is not percent-encoded correctly.', { cause });
  }
}

/** The fields of a large form. Decoding a megabyte takes some 20 milliseconds. */
export const formFields = workerTask(import.meta.url, 'formFields', ({ bytes, fields }: LargeForm) => {
  // In texts, each would become a piece of its own: megabytes of them exceed the memory of a thread.
  for (let at = bytes.indexOf(PLUS); at !== -1; at = bytes.indexOf(PLUS, at + 1)) bytes[at] = SPACE;
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  assertWellFormed(raw);
  const text = raw.toString();
  if (text.split('&', fields + 1).length > fields) throw new AppError('too_large', 'The form has too many fields.');
  return { ...parse(text) };
});
