import { randomBytes } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StartRefused } from '../errors.ts';

type Transform = NodeJS.ReadWriteStream;

/**
 * Writes a file that is there whole or not at all, readable by its owner only; what stood under its name before stays
 * until then.
 *
 * @throws StartRefused where it can't be written
 */
export async function writeWhole(path: string, content: AsyncIterable<string | Buffer>, through: Transform[] = []): Promise<void> {
  await assertFile(path);
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  try {
    const file = await open(partial, 'wx', 0o600);
    // In the end it must lie on the disk before it takes the name.
    await pipeline([Readable.from(content), ...through, file.createWriteStream({ flush: true })]);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    const code = (error as NodeJS.ErrnoException).syscall === undefined ? undefined : (error as NodeJS.ErrnoException).code;
    throw code === undefined ? error : new StartRefused(`${path} can't be written (${code}).`);
  }
}

/** A device or a link would be replaced by a file. */
async function assertFile(path: string): Promise<void> {
  const known = await lstat(path).catch(() => undefined);
  if (known !== undefined && !known.isFile()) throw new StartRefused(`${path} is there already, and is no ordinary file.`);
}
