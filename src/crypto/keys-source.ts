import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { formatKeyset, type MasterKey, parseKeyset } from '../config/master-key-list.ts';
import { AppError, StartRefused } from '../errors.ts';
import { Keyring, type KeyringDeps } from './keyring.ts';

/** Whether changed keys may come into force: throws when rows need a key that they lack. */
export type ApproveKeys = (candidate: Keyring) => Promise<void>;

/** A keyring with what keeps it up to date. */
export interface OpenKeyring {
  keyring: Keyring;
  /** From now on a changed file counts, if `approve` lets it; `changed` is called after each time it did. */
  approveWith(approve: ApproveKeys, changed: () => void): void;
  close(): void;
}

type KeySource = Pick<Config, 'masterKeys' | 'dataDir'>;

const POLL_MS = 2000;

/**
 * Makes the keyring from where the configuration says the keys are; a keys file is read again when it changes.
 *
 * A changed file is read only after `approveWith`: what is stored decides whether its keys will do.
 *
 * @throws StartRefused when the keys can't be read
 */
export function openKeyring(source: KeySource, deps: KeyringDeps): OpenKeyring {
  const path = keysPath(source);
  if (path === undefined) return { keyring: new Keyring(currentKeys(source), deps), approveWith() {}, close() {} };
  if (source.masterKeys.kind === 'development') makeDevelopmentKey(source.dataDir, path);
  const seen = fingerprint(path);
  const keyring = new Keyring(readKeys(path), deps);
  let timer: NodeJS.Timeout | undefined;
  return {
    keyring,
    approveWith(approve, changed) {
      timer = watch(path, seen, keyring, approve, changed, deps);
    },
    close: () => clearInterval(timer),
  };
}

/** The file that the keys are in; undefined when they stand in the environment. */
export function keysPath({ masterKeys, dataDir }: KeySource): string | undefined {
  if (masterKeys.kind === 'inline') return undefined;
  return masterKeys.kind === 'file' ? masterKeys.path : join(dataDir, 'master.key');
}

/** The keys as they stand there now. @throws StartRefused when they can't be read */
export function currentKeys(source: KeySource): MasterKey[] {
  const path = keysPath(source);
  return path === undefined && source.masterKeys.kind === 'inline' ? parseKeyset(source.masterKeys.text) : readKeys(path ?? '');
}

/** Polls: change notifications are lost on network mounts and when an orchestrator swaps a symbolic link. */
function watch(
  path: string,
  first: string,
  keyring: Keyring,
  approve: ApproveKeys,
  changed: () => void,
  { logger }: KeyringDeps,
): NodeJS.Timeout {
  let seen = first;
  const check = async () => {
    const now = fingerprint(path);
    if (now === seen) return;
    seen = now;
    try {
      const keys = readKeys(path);
      await approve(keyring.candidate(keys));
      keyring.replace(keys);
      logger?.info({ keys: keyring.ids }, 'master keys read again');
      changed();
    } catch (err) {
      // A database or a key service that is away says nothing about the keys: asked again at the next look.
      if (err instanceof AppError && err.code === 'unavailable') seen = '';
      logger?.error({ err }, 'the changed master keys file is not usable; the previous keys stay in force');
    }
  };
  return setInterval(check, POLL_MS).unref();
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
    throw new StartRefused(`${path} can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return parseKeyset(text);
  } catch (error) {
    throw new StartRefused(`${path} ${(error as Error).message}`);
  }
}

/** An existing file is never replaced, whatever it holds: the data could not be read with another key. */
function makeDevelopmentKey(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const fresh = formatKeyset([{ id: `development-${randomBytes(4).toString('hex')}`, secret: randomBytes(32) }]);
  try {
    writeFileSync(path, fresh, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new StartRefused(`${path} can't be made (${code})`);
  }
}
