import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, StartRefused } from '../errors.ts';
import { type MasterKey, parseKeyset } from '../keyset.ts';
import type { Logger } from '../logger.ts';
import type { Config } from '../settings.ts';
import { type DataKey, keyIdOf, open, type Place, seal } from './envelope.ts';

/** What a wrapped key is for; it unwraps only for the same three values. */
export interface KeyContext {
  purpose: string;
  userId: string;
  keyId: string;
}

interface HeldKey extends DataKey {
  secret: KeyObject;
}

/** Whether changed keys may come into force: throws when rows need a key that they lack. */
export type ApproveKeys = (candidate: Keyring) => Promise<void>;

/** The master keys: the first wraps, every one unwraps. */
export class Keyring {
  #keys: readonly HeldKey[];
  readonly #logger: Logger | undefined;

  /** @param logger takes the alarm when a key is missing that data was wrapped under */
  constructor(keys: readonly MasterKey[], logger?: Logger) {
    this.#keys = held(keys);
    this.#logger = logger;
  }

  get primaryId(): string {
    return this.#primary.id;
  }

  /** The ids of all keys, the primary first. */
  get ids(): string[] {
    return this.#keys.map((key) => key.id);
  }

  /**
   * The master key with that id.
   *
   * @throws AppError `internal` with a cause that names the id, and logs an error: whatever it wrapped is out of reach
   */
  key(id: string): DataKey {
    const key = this.#keys.find((candidate) => candidate.id === id);
    if (key !== undefined) return key;
    this.#logger?.error({ key_id: id }, 'a master key that data is wrapped under is missing');
    throw new AppError('internal', 'Stored data could not be read.', { cause: new Error(`no master key ${id}`) });
  }

  /** Encrypts a data key under the primary master key. */
  wrap(secret: Buffer, context: KeyContext): { masterKeyId: string; wrapped: Buffer } {
    const primary = this.#primary;
    return { masterKeyId: primary.id, wrapped: seal(primary, wrapPlace(context), secret) };
  }

  /**
   * Decrypts what {@link wrap} made for the same context, under whichever master key.
   *
   * @throws AppError `internal`
   */
  unwrap(wrapped: Buffer, context: KeyContext): Buffer {
    return open(this.key(keyIdOf(wrapped)), wrapPlace(context), wrapped);
  }

  /**
   * Takes a new list of keys, in its order.
   *
   * @throws Error when the list is empty or gives a known id another secret; the keys then stay as they were
   */
  replace(keys: readonly MasterKey[]): void {
    const replacement = held(keys);
    const changed = replacement.find((key) => this.#keys.some((known) => known.id === key.id && !known.secret.equals(key.secret)));
    if (changed !== undefined) throw new Error(`key ${changed.id} has another value than before; a new key needs a new id`);
    this.#keys = replacement;
  }

  get #primary(): HeldKey {
    return this.#keys[0] as HeldKey;
  }
}

/** A keyring with what keeps it up to date. */
export type OpenKeyring = Keyring & { approveWith(approve: ApproveKeys): void; close(): void };

const POLL_MS = 2000;

/**
 * Makes the keyring from where the configuration says the keys are; a keys file is read again when it changes.
 *
 * A changed file is read only after `approveWith`: what is stored decides whether its keys will do.
 *
 * @param dataDir holds the development key, which is made at the first start
 * @throws StartRefused when the keys can't be read
 */
export function openKeyring(source: Config['masterKeys'], dataDir: string, logger: Logger): OpenKeyring {
  if (source.kind === 'inline') return fixed(new Keyring(parseKeyset(source.text), logger));
  if (source.kind === 'development') return fixed(new Keyring(developmentKeys(dataDir), logger));
  const seen = fingerprint(source.path);
  const keyring = new Keyring(readKeys(source.path), logger);
  let timer: NodeJS.Timeout | undefined;
  return Object.assign(keyring, {
    approveWith(approve: ApproveKeys) {
      timer = watch(source.path, seen, keyring, approve, logger);
    },
    close: () => clearInterval(timer),
  });
}

/** Keys that don't change while the process runs. */
function fixed(keyring: Keyring): OpenKeyring {
  return Object.assign(keyring, { approveWith() {}, close() {} });
}

/** Polls: change notifications are lost on network mounts and when an orchestrator swaps a symbolic link. */
function watch(path: string, first: string, keyring: Keyring, approve: ApproveKeys, logger: Logger): NodeJS.Timeout {
  let seen = first;
  const check = async () => {
    const now = fingerprint(path);
    if (now === seen) return;
    seen = now;
    try {
      const keys = readKeys(path);
      await approve(new Keyring(keys));
      keyring.replace(keys);
      logger.info({ keys: keyring.ids }, 'master keys read again');
    } catch (err) {
      // A database that is away says nothing about the keys: asked again at the next look.
      if (err instanceof AppError && err.code === 'unavailable') seen = '';
      logger.error({ err }, 'the changed master keys file is not usable; the previous keys stay in force');
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
function developmentKeys(dataDir: string): MasterKey[] {
  const path = join(dataDir, 'master.key');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const fresh = `development-${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}\n`;
  try {
    writeFileSync(path, fresh, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new StartRefused(`${path} can't be made (${code})`);
  }
  return readKeys(path);
}

const CANARY = 'steward';

/** A known value sealed under one master key; stored beside the data, it proves at start that the key is still the same. */
export function sealCanary(keyring: Keyring, id: string): Buffer {
  return seal(keyring.key(id), canaryPlace(id), CANARY);
}

/** Whether the keyring's key of that id is the one the canary was sealed under. */
export function checkCanary(keyring: Keyring, id: string, record: Uint8Array): boolean {
  try {
    return open(keyring.key(id), canaryPlace(id), record).toString() === CANARY;
  } catch {
    return false;
  }
}

/** A KeyObject prints empty, where a Buffer in a log or a stack dump would not. */
function held(keys: readonly MasterKey[]): HeldKey[] {
  if (keys.length === 0) throw new Error('a keyring needs a key');
  return keys.map(({ id, secret }) => ({ id, secret: createSecretKey(secret) }));
}

// Master keys seal nothing but wrapped keys and canaries; the column keeps the two apart.
function wrapPlace({ purpose, userId, keyId }: KeyContext): Place {
  return { table: 'keyring', column: `wrap:${purpose}`, userId, rowId: keyId };
}

function canaryPlace(id: string): Place {
  return { table: 'keyring', column: 'canary', userId: '', rowId: id };
}
