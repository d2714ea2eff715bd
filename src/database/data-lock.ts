import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartRefused } from '../errors.ts';

/**
 * Takes the data folder for this process alone. The lock is SQLite's on a file
 * of its own: the operating system drops it with the process, however that
 * ends, so a kill leaves nothing stale behind and no process id can be mistaken.
 *
 * @param busy what to tell the operator when another process has it
 * @returns gives the folder back
 * @throws StartRefused when another process owns it
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
    if (error instanceof Error && /locked|busy/.test(error.message)) throw new StartRefused(busy);
    throw error;
  }
  return () => lock.close();
}

function openLock(directory: string): DatabaseSync {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return new DatabaseSync(join(directory, 'lock.sqlite'));
  } catch (error) {
    throw new StartRefused(`The data folder ${directory} (DATA_DIR) can't be used: ${(error as Error).message}.`);
  }
}
