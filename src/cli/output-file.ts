import { randomBytes } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../errors.ts';

type Transform = NodeJS.ReadWriteStream;

/**
 * Writes a file atomically, readable by its owner only: an existing file is replaced once the new one is complete.
 *
 * @throws StartError when it can't be written
 */
export async function writeWhole(path: string, content: AsyncIterable<string | Buffer>, through: Transform[] = []): Promise<void> {
  await assertFile(path);
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  try {
    const file = await open(partial, 'wx', 0o600);
    // Flushed before the rename, so that the name never refers to an incomplete file.
    await pipeline([Readable.from(content), ...through, file.createWriteStream({ flush: true })]);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    const code = (error as NodeJS.ErrnoException).syscall === undefined ? undefined : (error as NodeJS.ErrnoException).code;
    throw code === undefined ? error : new StartError(`${path} can't be written (${code}).`);
  }
}

/** A device or a link must not be replaced by a file. */
async function assertFile(path: string): Promise<void> {
  const known = await lstat(path).catch(() => undefined);
  if (known !== undefined && !known.isFile()) throw new StartError(`${path} exists and is not a regular file.`);
}
