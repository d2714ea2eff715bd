import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../errors.ts';

/**
 * Locks the data folder for this process. The lock is SQLite's, on a file of its own: the operating system releases it
 * however the process ends, so that no stale lock or process id remains.
 *
 * @param busy the error message if another process has the lock
 * @returns releases the lock
 * @throws StartError when another process has the lock
 */
export function lockDataDirectory(
  directory: string,
  busy = `Another Steward is running on the data folder ${directory}. Stop it, or give this one its own with DATA_DIR.`,
): () => void {
  const lock = openLock(directory);
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock.close();
    if (error instanceof Error && /locked|busy/.test(error.message)) throw new StartError(busy);
    throw error;
  }
  return () => lock.close();
}

function openLock(directory: string): DatabaseSync {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return new DatabaseSync(join(directory, 'lock.sqlite'));
  } catch (error) {
    throw new StartError(`The data folder ${directory} (DATA_DIR) cannot be used: ${(error as Error).message}.`);
  }
}
