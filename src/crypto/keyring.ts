import type { KeyObject } from 'node:crypto';
import type { MasterKey } from '../config/master-key-list.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { type KeyService, KmsMasterKey } from './kms-master-key.ts';
import { CANARY_PURPOSE, type KeyContext, LocalMasterKey, type MasterKeyHandle, masterKeyIdOf } from './master-key.ts';

/** A key as it is stored: wrapped, and by which master key. */
export interface WrappedKey {
  masterKeyId: string;
  wrapped: Buffer;
}

export interface KeyringDeps {
  /** Takes the alarm when a key is missing that data was wrapped under. */
  logger?: Logger;
  /** Where master keys are that this process doesn't hold itself. */
  service?: KeyService;
}

/** The master keys: the first wraps, every one unwraps. */
export class Keyring {
  readonly #deps: KeyringDeps;
  #keys: readonly MasterKeyHandle[];

  constructor(keys: readonly MasterKey[], deps: KeyringDeps = {}) {
    this.#deps = deps;
    this.#keys = this.#handles(keys, []);
  }

  get primaryId(): string {
    return this.#primary.id;
  }

  /** The ids of all keys, the primary first. */
  get ids(): string[] {
    return this.#keys.map((key) => key.id);
  }

  /** Encrypts a data key under the primary master key. @throws AppError `unavailable` while the key service is away */
  async wrap(secret: Buffer, context: KeyContext): Promise<WrappedKey> {
    const primary = this.#primary;
    return { masterKeyId: primary.id, wrapped: await primary.wrap(secret, context) };
  }

  /**
   * Decrypts what {@link wrap} made for the same context, under whichever master key.
   *
   * @throws AppError `internal`; `unavailable` while the key service is away. A missing master key is logged as an
   * error that names its id: whatever it wrapped is out of reach
   */
  unwrap(wrapped: Buffer, context: KeyContext): Promise<KeyObject> {
    const id = masterKeyIdOf(wrapped);
    if (id === undefined) return Promise.reject(unreadable('not a wrapped key'));
    const key = this.#keys.find((candidate) => candidate.id === id);
    if (key !== undefined) return key.unwrap(wrapped, context);
    this.#deps.logger?.error({ key_id: id }, 'a master key that data is wrapped under is missing');
    return Promise.reject(unreadable(`no master key ${id}`));
  }

  /** A known value under one of the keys; stored beside the data, it proves at start that the key is still the same. */
  sealCanary(id: string): Promise<Buffer> {
    return this.wrapUnder(id, Buffer.from(CANARY), canaryContext(id));
  }

  /** Encrypts a secret under one of the keys. @throws AppError `unavailable` while the key service is away */
  async wrapUnder(id: string, secret: Buffer, context: KeyContext): Promise<Buffer> {
    const key = this.#keys.find((candidate) => candidate.id === id);
    if (key === undefined) throw new Error(`no master key ${id}`);
    return key.wrap(secret, context);
  }

  /**
   * Whether the key of that id is the one the canary was sealed under.
   *
   * @throws AppError `unavailable`
   */
  async checkCanary(id: string, record: Buffer): Promise<boolean> {
    const key = this.#keys.find((candidate) => candidate.id === id);
    try {
      return key !== undefined && (await key.unwrap(record, canaryContext(id))).export().toString() === CANARY;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') throw error;
      return false;
    }
  }

  /** Another keyring of the same kind, to be tried before its keys come into force; it raises no alarm of missing keys. */
  candidate(keys: readonly MasterKey[]): Keyring {
    const { service } = this.#deps;
    return new Keyring(keys, service === undefined ? {} : { service });
  }

  /**
   * Takes a new list of keys, in its order.
   *
   * @throws Error when the list is empty or gives a known id another secret; the keys then stay as they were
   */
  replace(keys: readonly MasterKey[]): void {
    this.#keys = this.#handles(keys, this.#keys);
  }

  get #primary(): MasterKeyHandle {
    return this.#keys[0] as MasterKeyHandle;
  }

  #handles(keys: readonly MasterKey[], known: readonly MasterKeyHandle[]): MasterKeyHandle[] {
    if (keys.length === 0) throw new Error('a keyring needs a key');
    return keys.map((key) => {
      const same = known.find((handle) => handle.id === key.id);
      if (same === undefined) return this.#handle(key);
      if (!same.isFor(key)) throw new Error(`key ${key.id} has another value than before; a new key needs a new id`);
      return same;
    });
  }

  #handle(key: MasterKey): MasterKeyHandle {
    if ('secret' in key) return new LocalMasterKey(key);
    if (this.#deps.service === undefined) throw new Error(`key ${key.id} is at a key service, and none is set up`);
    return new KmsMasterKey(key, this.#deps.service);
  }
}

const CANARY = 'steward';

function canaryContext(id: string): KeyContext {
  return { purpose: CANARY_PURPOSE, userId: '', keyId: id };
}

function unreadable(cause: string): AppError {
  return new AppError('internal', 'Stored data could not be read.', { cause: new Error(cause) });
}
