import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PollOptions } from '../clock/poll.ts';
import type { Polls } from '../clock/polls.ts';
import type { Config } from '../config/config.ts';
import { formatKeyset, type MasterKey, parseKeyset } from '../config/master-key-list.ts';
import { AppError, StartError } from '../errors.ts';
import { Keyring, type KeyringDeps } from './keyring.ts';

/** Throws when changed keys lack one that stored data needs. */
export type CheckKeys = (candidate: Keyring) => Promise<void>;

type KeySource = Pick<Config, 'masterKeys' | 'dataDir'>;

const WATCH: PollOptions = { everyMs: 2_000, failure: 'the master keys file can’t be watched; retrying' };

/**
 * Makes the keyring from the configured source. Changes of a keys file are applied after `watch` is called, since
 * checking them needs the database.
 *
 * @throws StartError when the keys can't be read
 */
export function openKeyring(source: KeySource, deps: KeyringDeps) {
  const path = keysPath(source);
  if (path === undefined) return { keyring: new Keyring(currentKeys(source), deps), watch() {} };
  if (source.masterKeys.kind === 'development') createDevelopmentKey(source.dataDir, path);
  let seen = fingerprint(path);
  const keyring = new Keyring(readKeys(path), deps);
  const applyChanges = async (check: CheckKeys, onChange: () => void) => {
    const now = fingerprint(path);
    if (now === seen) return;
    seen = now;
    try {
      const keys = readKeys(path);
      await check(new Keyring(keys, deps));
      keyring.replace(keys);
      deps.logger?.info({ keys: keyring.ids }, 'master keys read again');
      onChange();
    } catch (err) {
      // The keys could not be checked while the database or the key service is unavailable: retried at the next poll.
      if (err instanceof AppError && err.code === 'unavailable') seen = '';
      deps.logger?.error({ err }, 'the changed master keys file is not usable; the previous keys remain in use');
    }
  };
  return {
    keyring,
    /** Starts to apply changes of the file that pass `check`, and calls `onChange` after each. */
    watch(polls: Polls, check: CheckKeys, onChange: () => void) {
      // Change notifications are lost on network mounts and when an orchestrator swaps a symbolic link.
      polls.create(() => applyChanges(check, onChange), WATCH).start();
    },
  };
}

/** The keys file; undefined when the keys are in the environment. */
export function keysPath({ masterKeys, dataDir }: KeySource): string | undefined {
  if (masterKeys.kind === 'inline') return undefined;
  return masterKeys.kind === 'file' ? masterKeys.path : join(dataDir, 'master.key');
}

/** The keys that the source holds now. @throws StartError when they can't be read */
export function currentKeys(source: KeySource): MasterKey[] {
  const path = keysPath(source);
  return path === undefined && source.masterKeys.kind === 'inline' ? parseKeyset(source.masterKeys.text) : readKeys(path ?? '');
}

function fingerprint(path: string): string {
  try {
    const stat = statSync(path);
    return [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

function readKeys(path: string): MasterKey[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartError(`${path} can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return parseKeyset(text);
  } catch (error) {
    throw new StartError(`${path} ${(error as Error).message}`);
  }
}

/** Never replaces an existing file, whatever it holds, because stored data needs its key. */
function createDevelopmentKey(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const fresh = formatKeyset([{ id: `development-${randomBytes(4).toString('hex')}`, secret: randomBytes(32) }]);
  try {
    writeFileSync(path, fresh, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new StartError(`${path} can't be created (${code})`);
  }
}
