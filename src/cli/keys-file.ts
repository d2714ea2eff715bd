import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { formatKeyset, type MasterKey, parseKeyset } from '../config/master-key-list.ts';
import { StartError } from '../errors.ts';

/** Owner and group at most, whatever the mode was before. */
const MODE = 0o640;
const OWNER_ONLY = 0o600;

/**
 * Replaces the list of keys in a file atomically, also across a power loss. The file keeps its owner, so that the service
 * can still read it after a change made by root.
 *
 * @param change gets the current keys and returns the new list
 * @throws StartError when the file can't be written; any error of `change`
 */
export function changeKeysFile(path: string, change: (keys: MasterKey[]) => MasterKey[]): void {
  try {
    // A link stays; its target is replaced.
    const target = realpathSync(path);
    const keys = change(parseKeyset(readFileSync(target, 'utf8')));
    replace(target, formatKeyset(keys));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    throw new StartError(`${path} can’t be changed (${code}). Is it read-only here? Run this where it can be written.`);
  }
}

function replace(path: string, text: string): void {
  const { uid, gid, mode } = statSync(path);
  const next = `${path}.${randomBytes(4).toString('hex')}.new`;
  try {
    writeFileSync(next, text, { flag: 'wx', mode: OWNER_ONLY, flush: true });
    chmodSync(next, (mode & MODE) | OWNER_ONLY);
    chownSync(next, uid, gid);
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
  sync(dirname(path));
}

/** The rename is durable once the folder is synced. */
function sync(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
